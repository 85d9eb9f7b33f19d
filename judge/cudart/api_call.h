#pragma once
// Every runtime function is one ApiCall: it gives the error its CUDA meaning (last error, sticky error) and lets the
// device record what the library found itself.

#include <string>
#include <string_view>

#include "judge/cudart/connection.h"

namespace judge::cudart {

class ApiCall {
 public:
  // The default is evaluated where the exported function makes its ApiCall: the program's own line that called it.
  explicit ApiCall(std::string_view name, const void* caller = __builtin_return_address(0))
      : name_(name), connection_(Connection::get()) {
    connection_.set_caller(caller);
  }

  Connection& device() const { return connection_; }

  // The answer of the device or of a local operation. A healthy answer after a kernel died is the kernel's error.
  cudaError_t done(cudaError_t status) const;

  // An error found here. `sentence` tells the student which argument and why; the device records it.
  cudaError_t fail(cudaError_t code, std::string_view sentence,
                   channel::ReportKind kind = channel::ReportKind::api_error) const;

  // cudaErrorNotSupported, recorded as a limit of the judge, not a mistake of the student. `what` names the thing.
  cudaError_t unsupported(std::string_view what) const;

 private:
  cudaError_t report(std::string_view name, cudaError_t code, std::string_view sentence,
                     channel::ReportKind kind) const;

  std::string_view name_;
  Connection& connection_;
};

std::string hex(const void* address);  // "0x7f00"

}  // namespace judge::cudart
