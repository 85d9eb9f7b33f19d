#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "boxed.h"
#include "catch.h"

using namespace judge::sandbox;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// A pipe whose write end goes into the box: it ends only when the last process that holds it is gone.
struct Witness {
  int ends[2];
  Witness() { REQUIRE(pipe2(ends, O_CLOEXEC) == 0); }
  ~Witness() { close(ends[0]); }
  void started() { close(ends[1]); }
  bool all_gone() const {
    pollfd event{ends[0], POLLIN, 0};
    char byte;
    return poll(&event, 1, 0) == 1 && read(ends[0], &byte, 1) == 0;
  }
};

}  // namespace

TEST_CASE("how a program ended is told truly") {
  for (const Way& way : ways()) {
    INFO(way.name);
    const Outcome seven = probe_in_box(way, {{"exit", "7"}});
    CHECK(seven.exit.exited);
    CHECK(seven.exit.status == 7);
    const Outcome aborted = probe_in_box(way, {{"abort"}});
    CHECK(aborted.exit.signaled);
    CHECK(aborted.exit.signal == SIGABRT);
    const Outcome overflow = probe_in_box(way, {{"stack"}});
    CHECK(overflow.exit.signal == SIGSEGV);
  }
}

TEST_CASE("an endless sleep ends at the deadline, an endless loop at the CPU limit") {
  for (const Way& way : ways()) {
    INFO(way.name);
    const Clock::time_point begin = Clock::now();
    const Outcome asleep = probe_in_box(way, {{"sleep"}, [](BoxOptions&) {}, milliseconds(100)});
    CHECK(asleep.timed_out);
    CHECK(asleep.exit.signaled);
    CHECK(asleep.exit.signal == SIGKILL);
    CHECK(Clock::now() - begin < milliseconds(5000));
  }
  const Outcome spun = probe_in_box(
      ways()[0],
      {{"spin"}, [](BoxOptions& options) { options.limits.cpu = milliseconds(1000); }, milliseconds(60'000)});
  CHECK(!spun.timed_out);
  CHECK(spun.exit.cpu_limit);
}

TEST_CASE("a fork bomb is bounded, and all of it is gone at the end") {
  for (const Way& way : ways()) {
    INFO(way.name);
    // Without a user of its own or a user namespace the box's processes are counted among all of the user's.
    const bool counted_alone = way.left_out == 0 || (geteuid() == 0 && !way.as_ordinary_user);
    Witness witness;
    const Outcome bomb = probe_in_box(way, {{"fork_bomb"}, [&](BoxOptions& options) {
                                              options.limits.processes = 20;
                                              options.descriptors.emplace_back(witness.ends[1], 5);
                                            }});
    witness.started();
    CHECK(bomb.exit.exited);
    CHECK(std::atoi(bomb.out.c_str()) >= 10);
    CHECK(std::atoi(bomb.out.c_str()) < (counted_alone ? 20 : 200));
    CHECK(witness.all_gone());
  }
}

TEST_CASE("an orphan in a session of its own does not survive") {
  for (const Way& way : ways()) {
    INFO(way.name);
    Witness witness;
    const Outcome left = probe_in_box(
        way, {{"orphan"}, [&](BoxOptions& options) { options.descriptors.emplace_back(witness.ends[1], 5); }});
    witness.started();
    CHECK(left.exit.exited);
    CHECK(left.exit.status == 0);
    CHECK(witness.all_gone());
  }
}

TEST_CASE("the box and its watcher go when the judge is killed") {
  REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);  // the watcher becomes ours, and its end can be seen
  for (const Way& way : ways()) {
    if (way.as_ordinary_user) continue;
    INFO(way.name);
    Witness witness;
    const pid_t judge = fork();
    if (judge == 0) {
      probe_in_box(way, {{"sleep"},
                         [&](BoxOptions& options) { options.descriptors.emplace_back(witness.ends[1], 5); },
                         milliseconds(60'000)});
      _exit(0);
    }
    witness.started();
    std::this_thread::sleep_for(milliseconds(300));
    ::kill(judge, SIGKILL);
    REQUIRE(waitpid(judge, nullptr, 0) == judge);
    const Clock::time_point deadline = Clock::now() + milliseconds(5000);
    pid_t left = 0;
    while ((left = waitpid(-1, nullptr, WNOHANG)) >= 0 && Clock::now() < deadline)
      std::this_thread::sleep_for(milliseconds(5));
    CHECK(left == -1);  // no child at all
    CHECK(witness.all_gone());
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_CASE("a file can grow to the limit and no further") {
  for (const Way& way : ways()) {
    INFO(way.name);
    TestFolder folder;
    const auto prepare = [&] { return std::to_string(std::filesystem::create_directory(folder.path() / "w")); };
    way.as_ordinary_user ? as_ordinary_user(prepare) : prepare();
    const Outcome full = probe_in_box(way, {{"file", folder.path() / "w/file"}, [&](BoxOptions& options) {
                                              options.writable = {folder.path() / "w"};
                                              options.limits.file_bytes = 1'000'000;
                                            }});
    CHECK(full.out == "1000000 EFBIG");
  }
}

TEST_CASE("run captures, caps and stops") {
  const auto soon = [](int ms) { return Clock::now() + milliseconds(ms); };
  SECTION("a flood of output") {
    const Captured flood = run(probe_options({"flood"}), soon(20'000), 10'000);
    CHECK(flood.out.size() == 10'000);
    CHECK(flood.truncated);
    CHECK(!flood.timed_out);
    CHECK(flood.exit.signaled);
  }
  SECTION("exactly the cap is not a cut") {
    const Captured exact = run(probe_options({"environment"}), soon(5000), 1);  // one newline
    CHECK(exact.out == "\n");
    CHECK(!exact.truncated);
  }
  SECTION("memory") {
    const Captured memory = run(probe_options({"memory"}), soon(20'000), 1 << 20, 64 << 20);
    CHECK(memory.memory_limit);
    CHECK(!memory.timed_out);
    CHECK(memory.exit.peak_rss_bytes > 32u << 20);
  }
  SECTION("the deadline") {
    const Captured late = run(probe_options({"sleep"}), soon(50));
    CHECK(late.timed_out);
    CHECK(late.wall_ms < 5000);
  }
}

TEST_CASE("boxes leave no descriptor behind, also when they fail or are moved") {
  probe();  // what is made once per process is made now
  run(probe_options({"exit", "0"}), Clock::now() + std::chrono::seconds(5));
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 5; ++i) {
    run(probe_options({"exit", "0"}), Clock::now() + std::chrono::seconds(5));
    BoxOptions missing;
    missing.argv = {"/nonexistent/program"};
    CHECK_THROWS_AS(Box::start(missing), BoxError);
    Box first = Box::start(probe_options({"sleep"}));
    Box second = Box::start(probe_options({"sleep"}));
    first = std::move(second);
  }
  CHECK(open_descriptors() == before);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);  // no child, no zombie
}

TEST_CASE("memory of the tree is what its processes touched") {
  Box box = Box::start(probe_options({"sleep"}));
  CHECK(box.pid() > 0);
  CHECK(box.tree_rss_bytes() < 8u << 20);
  CHECK(!box.wait_until(Clock::now()));
  const Exit end = box.kill();
  CHECK(end.signaled);
  CHECK(box.wait_until(Clock::now())->signal == SIGKILL);  // asking again is allowed
  CHECK(box.tree_rss_bytes() == 0);
}
