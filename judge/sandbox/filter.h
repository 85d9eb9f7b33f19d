#pragma once
// The system calls a boxed program may not make, as a BPF program ready to load.

#include <cstdint>
#include <string>

namespace judge::sandbox {

struct FilterOptions {
  bool network = false;
  bool may_start_programs = true;
  std::uint64_t exec_path_address = 0;  // !may_start_programs: the one execve whose path lies here is let through
  bool own_pid_namespace = true;        // false: signals only to itself (kOwnPidPlaceholder)
};

// Array of struct sock_filter; throws BoxError when libseccomp refuses.
std::string build_filter(const FilterOptions& options);

}  // namespace judge::sandbox
