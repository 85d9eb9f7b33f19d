// judge-device: owns the memory and the kernels of one judge, which talks to it on descriptor 3.

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <thread>

#include "judge/device/server.h"

int main(int argc, char** argv) {
  if (argc != 2 || ::fcntl(3, F_GETFD) < 0) {
    std::fprintf(stderr,
                 "judge-device is started by the judge: judge-device GPU, with the control line as descriptor 3\n");
    return 2;
  }
  ::fcntl(3, F_SETFD, FD_CLOEXEC);
  // The loop sees the judge's death between launches, this thread during one. PR_SET_PDEATHSIG would not do: it fires
  // when the judge's starting thread ends, and a session may outlive that.
  std::thread([] {
    pollfd judge{3, POLLRDHUP, 0};
    while (::poll(&judge, 1, -1) < 0) {
    }
    ::_exit(0);
  }).detach();
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
