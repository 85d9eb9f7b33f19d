// judge-device: owns the memory and the kernels of one judge, which talks to it on descriptor 3.

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <exception>

#include "judge/device/server.h"

int main(int argc, char** argv) {
  if (argc != 2 || ::fcntl(3, F_GETFD) < 0) {
    std::fprintf(stderr,
                 "judge-device is started by the judge: judge-device GPU, with the control line as descriptor 3\n");
    return 2;
  }
  // The end of the control line tells of the judge's death between launches; this one does so during a launch.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::fcntl(3, F_SETFD, FD_CLOEXEC);
  try {
    const auto device = judge::device::make_emulated_device(argv[1]);
    judge::device::Server server(*device, judge::device::ControlSocket(judge::device::Descriptor(3)));
    server.run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "judge-device: %s\n", e.what());
    return 3;
  }
  return 0;
}
