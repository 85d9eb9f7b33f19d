#include "judge/sandbox/plan.h"
#include "judge/sandbox/sandbox.h"
#include "judge/sandbox/start.h"

namespace judge::sandbox {

std::string_view to_string(Layer layer) {
  switch (layer) {
    case Layer::no_new_privileges:
      return "no new privileges";
    case Layer::unprivileged_user:
      return "unprivileged user";
    case Layer::resource_limits:
      return "resource limits";
    case Layer::user_namespace:
      return "user namespace";
    case Layer::mount_namespace:
      return "mount namespace";
    case Layer::pid_namespace:
      return "pid namespace";
    case Layer::ipc_namespace:
      return "ipc namespace";
    case Layer::network_namespace:
      return "network namespace";
    case Layer::landlock:
      return "Landlock";
    case Layer::seccomp:
      return "seccomp";
  }
  return "?";
}

std::vector<LayerStatus> probe(const std::vector<std::filesystem::path>& readable) {
  std::vector<LayerStatus> statuses;
  for (int i = 0; i < kLayerCount; ++i) statuses.push_back({static_cast<Layer>(i), false, {}});
  BoxOptions options;
  options.argv = {"/bin/true"};
  options.readable = readable;
  try {
    Started started = start_leaving_out(options, 0);
    for (const Layer layer : started.box.applied()) statuses[static_cast<std::size_t>(layer)].available = true;
    for (std::size_t i = 0; i < statuses.size(); ++i) statuses[i].detail = started.details[i];
  } catch (const BoxError& error) {
    for (LayerStatus& status : statuses) status.detail = error.what();
  }
  return statuses;
}

}  // namespace judge::sandbox
