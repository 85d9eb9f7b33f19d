#include "judge/sandbox/private_folder.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "boxed.h"
#include "catch.h"

using namespace judge::sandbox;
namespace fs = std::filesystem;

TEST_CASE("a private folder goes with its object, also with folders in it that its maker closed") {
  TestFolder parent;
  fs::path path;
  {
    const PrivateFolder folder(parent.path(), "tmp-");
    path = folder.path();
    CHECK(path.parent_path() == parent.path());
    fs::create_directories(path / "a/b");
    chmod((path / "a").c_str(), 0);
  }
  CHECK(!fs::exists(path));
}

TEST_CASE("the folder of a judge that was killed goes at the next start, that of one that works stays") {
  TestFolder parent;
  int told[2];
  REQUIRE(pipe(told) == 0);
  const pid_t killed = fork();
  if (killed == 0) {
    const PrivateFolder folder(parent.path(), "tmp-");
    if (write(told[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  REQUIRE(read(told[0], &byte, 1) == 1);
  close(told[0]), close(told[1]);
  const PrivateFolder alive(parent.path(), "tmp-");
  CHECK(std::distance(fs::directory_iterator(parent.path()), {}) == 2);  // both owners live
  kill(killed, SIGKILL);
  REQUIRE(waitpid(killed, nullptr, 0) == killed);
  fs::create_directory(parent.path() / "other");
  remove_abandoned(parent.path(), "tmp-");
  CHECK(fs::exists(alive.path()));
  CHECK(fs::exists(parent.path() / "other"));
  CHECK(std::distance(fs::directory_iterator(parent.path()), {}) == 2);
}

TEST_CASE("a process that ends by exit() takes the folders with it that a thread still uses") {
  TestFolder parent;
  const pid_t child = fork();
  if (child == 0) {
    new PrivateFolder(parent.path(), "tmp-");  // as of a thread that is left to itself
    std::exit(0);
  }
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(fs::is_empty(parent.path()));
}

TEST_CASE("names that a shell, make or the loader would misread are not plain") {
  CHECK(is_plain("/home/a.b/c_d-e+f/x9.cu"));
  for (const char* name : {"/a b", "/a'b", "/a\"b", "/a&b", "/a(b)", "/a$b", "/a:b", "/a;b", "/a,b", "/\xc3\xa9", "/a\nb"})
    CHECK(!is_plain(name));
}

TEST_CASE("where the wanted place has no plain name or is closed, the folder is made elsewhere") {
  TestFolder parent;
  const fs::path odd = parent.path() / "it's $HOME & (more)";
  fs::create_directory(odd);
  CHECK(is_plain(plain_folder(odd, "tmp-").path()));
  CHECK(plain_folder(parent.path(), "tmp-").path().parent_path() == parent.path());
  if (geteuid() == 0) {
    const fs::path closed = parent.path() / "closed";
    fs::create_directories(closed / "inner");
    chmod(closed.c_str(), 0700);
    CHECK(!reachable_in_box(closed / "inner"));
    CHECK(reachable_in_box(plain_folder(closed / "inner", "tmp-").path().parent_path()));
  }
}
