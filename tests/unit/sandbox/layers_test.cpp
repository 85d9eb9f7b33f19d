#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "boxed.h"
#include "catch.h"
#include "judge/sandbox/plan.h"
#include "judge/sandbox/start.h"

using namespace judge::sandbox;

namespace {

std::string answer(
    const Way& way, std::vector<std::string> words, std::function<void(BoxOptions&)> adjust = [](auto&) {}) {
  const Outcome outcome = probe_in_box(way, {std::move(words), std::move(adjust)});
  INFO(way.name << ": " << outcome.error);
  return outcome.error.empty() ? outcome.out : "box error: " + outcome.error;
}

bool has(const Outcome& outcome, Layer layer) {
  return std::find(outcome.applied.begin(), outcome.applied.end(), layer) != outcome.applied.end();
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
  chmod(path.c_str(), 0666);
}

}  // namespace

TEST_CASE("every layer is named and probed") {
  const std::vector<LayerStatus> layers = probe();
  REQUIRE(layers.size() == 10);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    CHECK(static_cast<std::size_t>(layers[i].layer) == i);
    CHECK(to_string(layers[i].layer) != "?");
    if (!layers[i].available) CHECK(!layers[i].detail.empty());
  }
  // no_new_privs, rlimits and seccomp exist on every Linux that can build this.
  CHECK(layers[static_cast<std::size_t>(Layer::no_new_privileges)].available);
  CHECK(layers[static_cast<std::size_t>(Layer::resource_limits)].available);
  CHECK(layers[static_cast<std::size_t>(Layer::seccomp)].available);
}

TEST_CASE("files that are not listed cannot be read or written") {
  TestFolder folder;
  const std::string listed = folder.path() / "listed", other = folder.path() / "other";
  write_file(listed, "a");
  write_file(other, "b");
  for (const Way& way : ways()) {
    INFO(way.name);
    const auto readable = [&](BoxOptions& options) { options.readable = {listed}; };
    CHECK(answer(way, {"read", listed}, readable) == "ok");
    const std::string refused = answer(way, {"read", other}, readable);
    CHECK((refused == "ENOENT" || refused == "EACCES"));
    const std::string password = answer(way, {"read", "/etc/passwd"});
    CHECK((password == "ENOENT" || password == "EACCES"));
    const std::string write_listed = answer(way, {"write", listed}, readable);
    CHECK((write_listed == "EROFS" || write_listed == "EACCES"));
    const std::string write_system = answer(way, {"write", "/usr/written-by-a-test"});
    CHECK((write_system == "EROFS" || write_system == "EACCES"));
    const std::string remove = answer(way, {"remove", listed}, readable);
    CHECK((remove == "EROFS" || remove == "EACCES" || remove == "EBUSY"));
  }
  CHECK(std::filesystem::exists(listed));
}

TEST_CASE("the private root hides files on its own, without Landlock") {
  TestFolder folder;
  const std::string other = folder.path() / "other";
  write_file(other, "b");
  const Way way{"without Landlock", false, kLandlock};
  const Outcome outcome = probe_in_box(way, {{"read", other}});
  CHECK(!has(outcome, Layer::landlock));
  if (has(outcome, Layer::mount_namespace))
    CHECK(outcome.out == "ENOENT");
  else
    WARN("no mount namespace here: the private root was not tried");
}

TEST_CASE("a writable folder can be written, also beneath one that only its owner may enter") {
  for (const Way& way : ways()) {
    INFO(way.name);
    TestFolder folder;
    const auto inner = folder.path() / "writable";
    const auto prepare = [&] {
      std::filesystem::create_directory(inner);
      return std::string();
    };
    if (way.as_ordinary_user)
      as_ordinary_user(prepare);
    else
      prepare();
    const auto writable = [&](BoxOptions& options) { options.writable = {inner}; };
    CHECK(answer(way, {"write", inner / "made"}, writable) == "ok");
    CHECK(std::filesystem::exists(inner / "made"));
  }
  if (geteuid() == 0) {
    TestFolder closed;
    chmod(closed.path().c_str(), 0700);
    const std::string file = closed.path() / "file";
    write_file(file, "x");
    const auto readable = [&](BoxOptions& options) { options.readable = {file}; };
    const Outcome outcome = probe_in_box(ways()[0], {{"read", file}, readable});
    if (has(outcome, Layer::mount_namespace)) {
      CHECK(outcome.out == "ok");
      CHECK(has(outcome, Layer::unprivileged_user));
    } else {
      WARN("no mount namespace here: a folder closed to others was not tried");
    }
  }
}

TEST_CASE("the network cannot be reached") {
  for (const Way& way : ways()) {
    INFO(way.name);
    CHECK(answer(way, {"internet"}) == "EPERM");
    CHECK(answer(way, {"netlink"}) == "EPERM");
    CHECK(answer(way, {"internet"}, [](BoxOptions& options) { options.network = true; }) == "ok");
  }
}

TEST_CASE("an abstract socket of the machine cannot be reached") {
  const std::string name = "judge-sandbox-test-" + std::to_string(getpid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path + 1, name.c_str());
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(bind(server, reinterpret_cast<sockaddr*>(&address),
               static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())) == 0);
  REQUIRE(listen(server, 4) == 0);
  const std::string got = answer(ways()[0], {"abstract", name});
  CHECK((got == "ECONNREFUSED" || got == "EPERM"));
  close(server);
}

TEST_CASE("other processes cannot be seen, signalled or traced") {
  const std::string own = std::to_string(getpid());
  for (const Way& way : ways()) {
    INFO(way.name);
    const Outcome seen = probe_in_box(way, {{"processes"}});
    if (has(seen, Layer::pid_namespace) && has(seen, Layer::mount_namespace))
      CHECK(std::atoi(seen.out.c_str()) <= 2);  // init and itself
    const std::string killed = answer(way, {"kill", own});
    CHECK((killed == "ESRCH" || killed == "EPERM"));
    CHECK(answer(way, {"ptrace", own}) == "EPERM");
  }
}

TEST_CASE("calls that reach for the kernel or for namespaces are refused") {
  for (const Way& way : ways()) {
    INFO(way.name);
    for (const char* call : {"unshare", "clone_user", "io_uring", "bpf", "shared_memory"})
      CHECK((std::string(call) + " " + answer(way, {call})) == std::string(call) + " EPERM");
    CHECK(answer(way, {"clone3"}) == "ENOSYS");
    CHECK(answer(way, {"thread"}) == "ok");  // the harmless half: the C library falls back to clone
    CHECK(answer(way, {"window"}) == "ok");
  }
}

TEST_CASE("privilege is gone") {
  for (const Way& way : ways()) {
    const std::string who = answer(way, {"who"});
    INFO(way.name << ": " << who);
    const auto uid = static_cast<std::uint32_t>(std::strtoul(who.c_str(), nullptr, 10));
    if (geteuid() == 0 && !way.as_ordinary_user)
      CHECK((uid >= kBoxUserBase || uid == 65534));
    else
      CHECK(uid == (way.as_ordinary_user ? 65534u : getuid()));
    CHECK(who.ends_with(" 0 not root"));
  }
}

TEST_CASE("nothing is inherited: environment, descriptors, signals") {
  const int extra = open("/dev/null", O_RDONLY);  // not close-on-exec, on purpose
  REQUIRE(setenv("JUDGE_TEST_SECRET", "1", 1) == 0);
  for (const Way& way : ways()) {
    INFO(way.name);
    CHECK(answer(way, {"environment"}).empty());
    CHECK(answer(way, {"environment"}, [](BoxOptions& options) { options.environment = {{"A", "b=c"}}; }) == "A=b=c;");
    CHECK(answer(way, {"descriptors"}) == "0 1 2 ");
    CHECK(answer(way, {"descriptors"}, [&](BoxOptions& options) {
            options.descriptors.emplace_back(extra, 7);
            options.descriptors.emplace_back(extra, 4);
            options.descriptors.emplace_back(extra, 3);
          }) == "0 1 2 3 4 7 ");
  }
  close(extra);
}

TEST_CASE("a program that may not start programs cannot") {
  for (const Way& way : ways()) {
    INFO(way.name);
    const auto alone = [](BoxOptions& options) { options.may_start_programs = false; };
    CHECK(answer(way, {"execute", "/bin/true"}, alone) == "EPERM");
    CHECK(answer(way, {"execveat", "/bin/true"}, alone) == "EPERM");
    CHECK(answer(way, {"execute", "/bin/true"}).empty());  // the harmless half: it became /bin/true
  }
}

TEST_CASE("a required layer that is missing stops the start and is named") {
  BoxOptions options = probe_options({"exit", "0"});
  options.required = {Layer::seccomp, Layer::landlock, Layer::network_namespace};
  try {
    start_leaving_out(options, kLandlock | kNetworkNamespace);
    FAIL("the box started");
  } catch (const BoxError& error) {
    const std::string text = error.what();
    CHECK(text.find("Landlock") != std::string::npos);
    CHECK(text.find("network namespace") != std::string::npos);
    CHECK(text.find("seccomp") == std::string::npos);
  }
}

TEST_CASE("a program that cannot be started is an error that names it") {
  BoxOptions options;
  options.argv = {"/nonexistent/program"};
  CHECK_THROWS_WITH(Box::start(options), Catch::Matchers::Contains("/nonexistent/program"));
  TestFolder folder;
  write_file(folder.path() / "text", "not a program");
  options.argv = {(folder.path() / "text").string()};
  CHECK_THROWS_WITH(Box::start(options), Catch::Matchers::Contains("cannot start"));
}
