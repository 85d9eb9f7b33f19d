#pragma once
// Shared by the files of the program that builds the box. It is single-threaded, statically linked and trusted.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "judge/sandbox/plan.h"

namespace judge::sandbox::inner {

// What has been set up so far, carried from step to step and reported when the program starts.
struct Setup {
  const Plan& plan;
  std::uint32_t applied = 0;
  std::vector<std::string> details = std::vector<std::string>(kLayerCount);
  uid_t caller_uid = 0;
  gid_t caller_gid = 0;

  bool wants(LayerBit layer) const { return (plan.wanted_layers & layer) != 0; }
  bool has(LayerBit layer) const { return (applied & layer) != 0; }
  void apply(LayerBit layer, std::string detail = {});
  void miss(LayerBit layer, std::string why);
};

std::string error_text(const std::string& what);  // "what: " and errno's sentence

// Where messages for the judge go before the program runs; it moves when the caller's descriptors take their places.
extern int ready_descriptor;
void report_ready(const Setup& setup, const std::string& error);
[[noreturn]] void fail(const Setup& setup, const std::string& error);

// namespaces.cpp
void enter_user_and_pid_namespace(Setup& setup);  // the pid namespace takes effect for the next fork
void enter_other_namespaces(Setup& setup);        // mount (with a private root), ipc, network
bool map_self(uid_t uid, gid_t gid, uid_t outer_uid, gid_t outer_gid);

// root.cpp
bool build_private_root(Setup& setup, std::string& why);  // in a fresh mount namespace

// confine.cpp: the last steps of the process that becomes the first program
[[noreturn]] void confine_and_execute(Setup& setup, pid_t outer_pid);
void drop_capabilities();

// landlock.cpp
void apply_landlock(Setup& setup);

// Folders and files of every Linux system that programs, compilers and the loader need. No /etc/passwd, no /home.
const std::vector<std::string>& system_paths();
const std::vector<std::string>& device_files();

}  // namespace judge::sandbox::inner
