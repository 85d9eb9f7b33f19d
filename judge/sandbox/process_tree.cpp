#include "judge/sandbox/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace judge::sandbox {
namespace {

constexpr std::size_t kFileCap = 64 * 1024;
constexpr std::size_t kTreeCap = 65'536;  // a fork bomb without limits must not exhaust the watcher

std::string read_small_file(const char* path) {
  std::string text;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char buffer[4096];
  for (ssize_t got; text.size() < kFileCap && (got = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, got);
  close(fd);
  return text;
}

std::string read_process_file(pid_t pid, const char* name) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  return read_small_file(path);
}

template <class F>
void for_each_numbered_entry(const char* folder, F visit) {
  DIR* dir = opendir(folder);
  if (!dir) return;
  while (const dirent* entry = readdir(dir))
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) visit(static_cast<pid_t>(std::atol(entry->d_name)));
  closedir(dir);
}

// /proc/PID/task/TID/children needs CONFIG_PROC_CHILDREN; this is the way without it.
std::vector<pid_t> children_by_scan(pid_t parent) {
  std::vector<pid_t> found;
  for_each_numbered_entry("/proc", [&](pid_t pid) {
    const std::string stat = read_process_file(pid, "stat");
    const std::size_t name_end = stat.rfind(')');  // the name may hold blanks and parentheses
    if (name_end == std::string::npos) return;
    char state;
    int ppid = -1;
    if (std::sscanf(stat.c_str() + name_end + 1, " %c %d", &state, &ppid) == 2 && ppid == parent) found.push_back(pid);
  });
  return found;
}

}  // namespace

std::vector<pid_t> children(pid_t pid) {
  static const bool listed = access("/proc/thread-self/children", R_OK) == 0;
  if (!listed) return children_by_scan(pid);
  std::vector<pid_t> found;
  char tasks[64];
  std::snprintf(tasks, sizeof tasks, "/proc/%d/task", pid);
  for_each_numbered_entry(tasks, [&](pid_t thread) {
    char path[96];
    std::snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, thread);
    const std::string text = read_small_file(path);
    const char* at = text.c_str();
    for (char* next; *at; at = next) {
      const long child = std::strtol(at, &next, 10);
      if (next == at) break;
      found.push_back(static_cast<pid_t>(child));
    }
  });
  return found;
}

std::vector<pid_t> descendants(pid_t pid) {
  std::vector<pid_t> tree = children(pid);
  for (std::size_t i = 0; i < tree.size() && tree.size() < kTreeCap; ++i) {
    const std::vector<pid_t> below = children(tree[i]);
    tree.insert(tree.end(), below.begin(), below.end());
  }
  return tree;
}

std::uint64_t threads_of_user(uid_t uid) {
  std::uint64_t count = 0;
  for_each_numbered_entry("/proc", [&](pid_t pid) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/task", pid);
    struct stat info {};
    if (stat(path, &info) == 0 && info.st_uid == uid && info.st_nlink > 2) count += info.st_nlink - 2;  // "." and ".."
  });
  return count;
}

Usage usage(pid_t pid) {
  Usage found;
  const std::string stat = read_process_file(pid, "stat");
  unsigned long long user = 0, system = 0;
  if (const std::size_t name_end = stat.rfind(')'); name_end != std::string::npos)
    std::sscanf(stat.c_str() + name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system);
  const long ticks = sysconf(_SC_CLK_TCK);
  found.cpu_us = (user + system) * 1'000'000 / static_cast<unsigned long long>(ticks > 0 ? ticks : 100);
  const std::string status = read_process_file(pid, "status");
  if (const std::size_t at = status.find("VmHWM:"); at != std::string::npos)
    found.peak_rss_bytes = std::strtoull(status.c_str() + at + 6, nullptr, 10) * 1024;
  return found;
}

std::uint64_t private_rss_bytes(pid_t pid) {
  const std::string status = read_process_file(pid, "status");
  std::uint64_t kilobytes = 0;
  for (const char* key : {"RssAnon:", "RssShmem:"})
    if (const std::size_t at = status.find(key); at != std::string::npos)
      kilobytes += std::strtoull(status.c_str() + at + std::strlen(key), nullptr, 10);
  return kilobytes * 1024;
}

}  // namespace judge::sandbox
