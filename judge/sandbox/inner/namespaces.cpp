#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

#include "judge/sandbox/inner/inner.h"

namespace judge::sandbox::inner {
namespace {

constexpr const char* kNamespaceRemedy =
    "; start the judge as an ordinary user, or where user namespaces are disabled: sysctl "
    "kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu); in a "
    "container: --security-opt seccomp=unconfined or --cap-add SYS_ADMIN";

bool write_file(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int saved = errno;
  close(fd);
  errno = saved;
  return written;
}

void enter(Setup& setup, LayerBit layer, int flag, const char* name) {
  if (!setup.wants(layer)) return setup.miss(layer, "left out on request");
  if (unshare(flag) == 0) return setup.apply(layer);
  setup.miss(layer, error_text(std::string("unshare(") + name + ")") + kNamespaceRemedy);
}

}  // namespace

bool map_self(uid_t uid, gid_t gid, uid_t outer_uid, gid_t outer_gid) {
  // user_namespaces(7): without privilege over the parent, setgroups must be denied before the group map is written.
  return write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/uid_map", std::to_string(uid) + " " + std::to_string(outer_uid) + " 1") &&
         write_file("/proc/self/gid_map", std::to_string(gid) + " " + std::to_string(outer_gid) + " 1");
}

void enter_user_and_pid_namespace(Setup& setup) {
  // Root needs no user namespace to make the others; it enters one after it has become the box's own user
  // (confine.cpp).
  if (setup.caller_uid != 0) {
    enter(setup, kUserNamespace, CLONE_NEWUSER, "CLONE_NEWUSER");
    if (setup.has(kUserNamespace) && !map_self(setup.caller_uid, setup.caller_gid, setup.caller_uid, setup.caller_gid))
      fail(setup, error_text("writing the user namespace's id maps"));
  }
  enter(setup, kPidNamespace, CLONE_NEWPID, "CLONE_NEWPID");
}

void enter_other_namespaces(Setup& setup) {
  enter(setup, kIpcNamespace, CLONE_NEWIPC, "CLONE_NEWIPC");
  if (setup.plan.network)
    setup.miss(kNetworkNamespace, "the caller asked for the network");
  else
    enter(setup, kNetworkNamespace, CLONE_NEWNET, "CLONE_NEWNET");

  if (!setup.wants(kMountNamespace)) return setup.miss(kMountNamespace, "left out on request");
  if (unshare(CLONE_NEWNS) != 0)
    return setup.miss(kMountNamespace, error_text("unshare(CLONE_NEWNS)") + kNamespaceRemedy);
  std::string why;
  if (build_private_root(setup, why)) return setup.apply(kMountNamespace, why);
  setup.miss(kMountNamespace, why);
}

}  // namespace judge::sandbox::inner
