#include "attached.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <memory>

using namespace judge::channel;

FakeDevice& attached_device() {
  static FakeDevice& device = *[] {
    // Never destroyed: the library uses the connection until the process ends.
    auto* const made = std::make_unique<FakeDevice>().release();
    dup2(made->host_socket(), kSocketFd);
    dup2(made->bulk_fd(), kBulkFd);
    dup2(made->window_fd(), kMappedFd);
    cudaPeekAtLastError();  // connects, so that no test sees the greeting
    return made;
  }();
  device.forget();
  return device;
}

std::string last_report(FakeDevice& device) {
  const auto reports = device.requests(Call::report);
  if (reports.empty()) return "";
  std::string text = reports.back().text();
  return text.replace(text.find('\0'), 1, ": ");
}
