#pragma once
// The processes below one process, from /proc. Used by the judge (memory of a box) and inside the box (killing what is
// left where there is no pid namespace).

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace judge::sandbox {

std::vector<pid_t> children(pid_t pid);      // direct children of any of its threads
std::vector<pid_t> descendants(pid_t pid);   // without itself; parents before children
std::uint64_t private_rss_bytes(pid_t pid);  // anonymous and shared-memory pages; files mapped from disk don't count

std::uint64_t threads_of_user(uid_t uid);  // that /proc shows

struct Usage {
  std::uint64_t cpu_us = 0;  // its own threads, in clock ticks
  std::uint64_t peak_rss_bytes = 0;
};
Usage usage(pid_t pid);  // of a running process

}  // namespace judge::sandbox
