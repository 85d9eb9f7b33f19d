// Tries one thing that a boxed program must not be able to do (or must), and prints "ok" or the error's name.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <dirent.h>

extern char** environ;

namespace {

int say(bool worked) {
  std::printf("%s\n", worked ? "ok" : strerrorname_np(errno));
  return 0;
}

int numbered_entries(const char* folder) {
  int count = 0;
  DIR* dir = opendir(folder);
  while (dirent* entry = dir ? readdir(dir) : nullptr)
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') ++count;
  if (dir) closedir(dir);
  return count;
}

int fork_bomb() {
  int count = 0;
  for (; count < 5000; ++count) {
    const pid_t child = fork();
    if (child == 0)
      for (;;) pause();
    if (child < 0) break;
  }
  std::printf("%d\n", count);
  return 0;
}

// Leaves a process in a session of its own behind, which ignores what can be ignored.
int orphan() {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) {
      for (int number = 1; number < 32; ++number) signal(number, SIG_IGN);
      for (;;) pause();
    }
    _exit(0);
  }
  wait(nullptr);
  return 0;
}

int write_until_stopped(const char* path) {
  signal(SIGXFSZ, SIG_IGN);
  const int fd = open(path, O_WRONLY | O_CREAT, 0644);
  if (fd < 0) return say(false);
  const std::vector<char> block(1 << 16, 'x');
  long long total = 0;
  for (ssize_t n; total < (1ll << 30) && (n = write(fd, block.data(), block.size())) > 0;) total += n;
  std::printf("%lld %s\n", total, strerrorname_np(errno));
  return 0;
}

int recurse(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return recurse(depth + 1) + frame[0];
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const char* const argument = argc > 2 ? argv[2] : "";
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (what == "read") return say(open(argument, O_RDONLY) >= 0);
  if (what == "write") return say(open(argument, O_WRONLY | O_CREAT, 0644) >= 0);
  if (what == "remove") return say(unlink(argument) == 0);
  if (what == "internet") return say(socket(AF_INET, SOCK_STREAM, 0) >= 0);
  if (what == "netlink") return say(socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
  if (what == "abstract") {  // a server of the test listens there
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path + 1, argument);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + std::strlen(argument));
    return say(connect(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  }
  if (what == "kill") return say(kill(std::atoi(argument), 0) == 0);
  if (what == "ptrace") return say(ptrace(PTRACE_SEIZE, std::atoi(argument), nullptr, nullptr) == 0);
  if (what == "processes") return std::printf("%d\n", numbered_entries("/proc")), 0;
  if (what == "descriptors") {
    for (int fd = 0; fd < 256; ++fd)
      if (fcntl(fd, F_GETFD) >= 0) std::printf("%d ", fd);
    return std::printf("\n"), 0;
  }
  if (what == "environment") {
    for (char** variable = environ; *variable; ++variable) std::printf("%s;", *variable);
    return std::printf("\n"), 0;
  }
  if (what == "who") {
    std::printf("%u %u %d", getuid(), getgid(), getgroups(0, nullptr));
    return std::printf(" %s\n", setuid(0) == 0 && getuid() == 0 ? "root" : "not root"), 0;
  }
  if (what == "shared_memory") return say(shmget(IPC_PRIVATE, 4096, 0600) >= 0);
  if (what == "unshare") return say(unshare(CLONE_NEWUSER) == 0);
  if (what == "clone_user") return say(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) >= 0);
  if (what == "clone3") return say(syscall(SYS_clone3, nullptr, 0) >= 0);
  if (what == "io_uring") return say(syscall(SYS_io_uring_setup, 4, nullptr) >= 0);
  if (what == "bpf") return say(syscall(SYS_bpf, 0, nullptr, 0) >= 0);
  if (what == "execute") return execl(argument, argument, nullptr), say(false);
  if (what == "execveat") {
    const char* const arguments[] = {argument, nullptr};
    return syscall(SYS_execveat, AT_FDCWD, argument, arguments, environ, 0), say(false);
  }
  if (what == "thread") {
    bool ran = false;
    std::thread([&ran] { ran = true; }).join();
    return say(ran);
  }
  if (what == "window")
    return say(mmap(nullptr, 256ull << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
               MAP_FAILED);
  if (what == "fork_bomb") return fork_bomb();
  if (what == "orphan") return orphan();
  if (what == "file") return write_until_stopped(argument);
  if (what == "flood")
    for (;;) std::printf("yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\n");
  if (what == "spin")
    for (volatile bool forever = true; forever;) {
    }
  if (what == "sleep")
    for (;;) pause();
  if (what == "memory")
    for (std::vector<std::vector<char>> blocks;;) {
      blocks.emplace_back(8 << 20, 'x');
      usleep(2000);
    }
  if (what == "stack") return recurse(0);
  if (what == "abort") std::abort();
  if (what == "exit") return std::atoi(argument);
  return 99;
}
