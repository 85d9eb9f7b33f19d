#include "boxed.h"

#include <grp.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "judge/sandbox/plan.h"
#include "judge/sandbox/start.h"

namespace judge::sandbox {

namespace {

constexpr std::uint32_t kNamespaces =
    kUserNamespace | kMountNamespace | kPidNamespace | kIpcNamespace | kNetworkNamespace;
constexpr uid_t kOrdinary = 65534;

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

// Output in the child is small (a line), so that reading it after the end is enough.
Outcome run_here(std::uint32_t left_out, const ProbeRun& probe) {
  Outcome outcome;
  int out[2];
  if (pipe(out) != 0) throw std::runtime_error("pipe");
  BoxOptions options = probe_options(probe.words);
  options.descriptors = {{out[1], 1}};
  probe.adjust(options);
  try {
    Started started = start_leaving_out(options, left_out);
    close(out[1]);
    const auto end = started.box.wait_until(std::chrono::steady_clock::now() + probe.wall);
    outcome.timed_out = !end;
    outcome.exit = end ? *end : started.box.kill();
    outcome.applied = started.box.applied();
  } catch (const BoxError& error) {
    close(out[1]);
    outcome.error = error.what();
  }
  outcome.out = read_all(out[0]);
  close(out[0]);
  while (!outcome.out.empty() && outcome.out.back() == '\n') outcome.out.pop_back();
  return outcome;
}

}  // namespace

std::vector<Way> ways() {
  std::vector<Way> all = {{"as started", false, 0}, {"without namespaces", false, kNamespaces}};
  if (geteuid() == 0) {
    all.push_back({"as an ordinary user", true, 0});
    all.push_back({"as an ordinary user without namespaces", true, kNamespaces});
  }
  return all;
}

BoxOptions probe_options(const std::vector<std::string>& words) {
  BoxOptions options;
  options.argv = {SANDBOX_PROBE};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  return options;
}

std::string as_ordinary_user(const std::function<std::string()>& work) {
  if (geteuid() != 0) return work();
  int answer[2];
  if (pipe(answer) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(answer[0]);
    std::string text = "cannot become an ordinary user";
    if (setgroups(0, nullptr) == 0 && setresgid(kOrdinary, kOrdinary, kOrdinary) == 0 &&
        setresuid(kOrdinary, kOrdinary, kOrdinary) == 0) {
      try {
        text = work();
      } catch (const std::exception& error) {
        text = error.what();
      }
    }
    const ssize_t written = write(answer[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(answer[1]);
  std::string text = read_all(answer[0]);
  close(answer[0]);
  waitpid(child, nullptr, 0);
  return text;
}

Outcome probe_in_box(const Way& way, const ProbeRun& probe) {
  if (!way.as_ordinary_user) return run_here(way.left_out, probe);
  // The outcome crosses the process border as words and lines.
  const std::string text = as_ordinary_user([&] {
    const Outcome o = run_here(way.left_out, probe);
    std::ostringstream words;
    words << o.exit.exited << ' ' << o.exit.status << ' ' << o.exit.signaled << ' ' << o.exit.signal << ' '
          << o.exit.cpu_limit << ' ' << o.timed_out << ' ' << o.applied.size();
    for (const Layer layer : o.applied) words << ' ' << static_cast<int>(layer);
    words << '\n' << o.error << '\x1f' << o.out;
    return words.str();
  });
  Outcome o;
  std::istringstream words(text);
  std::size_t layers = 0;
  words >> o.exit.exited >> o.exit.status >> o.exit.signaled >> o.exit.signal >> o.exit.cpu_limit >> o.timed_out >>
      layers;
  if (!words) {
    o.error = text;
    return o;
  }
  for (int layer; layers > 0 && words >> layer; --layers) o.applied.push_back(static_cast<Layer>(layer));
  words.get();
  std::getline(words, o.error, '\x1f');
  std::getline(words, o.out, '\0');
  return o;
}

TestFolder::TestFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "judge-sandbox-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp");
  path_ = pattern;
  chmod(pattern.c_str(), 0777);
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace judge::sandbox
