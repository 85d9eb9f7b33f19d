#include "judge/session/device_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "judge/device/properties.h"

namespace judge::session {
namespace {

// A cold start from a busy disk; a warm one takes a few milliseconds.
constexpr std::chrono::seconds kStartLimit{20};

struct SpawnFileActions {
  posix_spawn_file_actions_t value;
  SpawnFileActions() { ::posix_spawn_file_actions_init(&value); }
  ~SpawnFileActions() { ::posix_spawn_file_actions_destroy(&value); }
};

struct SpawnAttributes {
  posix_spawnattr_t value;
  SpawnAttributes() { ::posix_spawnattr_init(&value); }
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&value); }
};

}  // namespace

DeviceProcess::DeviceProcess(const DeviceOptions& options) {
  const std::string program = (options.program_dir / "judge-device").string();
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    throw SessionError("device start", std::string("socketpair: ") + std::strerror(errno));
  device::Descriptor ours(pair[0]), theirs(pair[1]);

  SpawnFileActions actions;
  ::posix_spawn_file_actions_addopen(&actions.value, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions.value, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions.value, theirs.get(), 3);
  // Its own process group: Ctrl-C is for the judge, which ends the device itself. Signals as at a fresh start.
  SpawnAttributes attributes;
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes.value, &none);
  ::posix_spawnattr_setsigdefault(&attributes.value, &all);
  ::posix_spawnattr_setpgroup(&attributes.value, 0);
  ::posix_spawnattr_setflags(&attributes.value, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  std::string gpu = options.gpu;
  std::string argv0 = program;
  std::array<char*, 3> argv{argv0.data(), gpu.data(), nullptr};
  const int error = ::posix_spawn(&pid_, program.c_str(), &actions.value, &attributes.value, argv.data(), environ);
  if (error != 0) {
    pid_ = -1;
    throw SessionError("device start", "cannot start " + program + ": " + std::strerror(error));
  }
  theirs.reset();
  control_ = device::ControlSocket(std::move(ours));
  try {
    const auto greeting = receive(std::chrono::steady_clock::now() + kStartLimit);
    if (!greeting) throw SessionError("device start", program + " did not answer within 20 s");
    properties_ = device::properties_from_json(greeting->text);
  } catch (const SessionError& e) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    throw SessionError("device start", e.what());
  }
}

DeviceProcess::~DeviceProcess() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void DeviceProcess::report_death() {
  std::string how = "the device process ended";
  int status = 0;
  if (pid_ >= 0 && ::waitpid(pid_, &status, 0) == pid_) {
    pid_ = -1;
    if (WIFSIGNALED(status))
      how += std::string(" by signal ") + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
    else
      how += " with status " + std::to_string(WEXITSTATUS(status));
  }
  throw SessionError("device", how);
}

void DeviceProcess::send(const std::string& command, std::span<const int> descriptors) {
  try {
    control_.send(command, descriptors);
  } catch (const device::ControlClosed&) {
    report_death();
  } catch (const std::runtime_error& e) {
    throw SessionError("device", e.what());
  }
}

std::optional<device::ControlMessage> DeviceProcess::receive(std::chrono::steady_clock::time_point deadline) {
  try {
    auto message = control_.receive(deadline);
    if (message && message->text.starts_with("{\"error\":"))
      throw SessionError("device", nlohmann::json::parse(message->text).at("error").get<std::string>());
    return message;
  } catch (const device::ControlClosed&) {
    report_death();
  } catch (const SessionError&) {
    throw;
  } catch (const std::exception& e) {
    throw SessionError("device", e.what());
  }
}

std::uint64_t DeviceProcess::peak_bytes() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  return 0;
}

}  // namespace judge::session
