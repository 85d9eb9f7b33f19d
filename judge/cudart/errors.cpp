// Error names and texts, and the two error states of CUDA: the last error of each thread, and the sticky error of a
// device on which a kernel died (CUDA Runtime API, "Error Handling").

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "judge/cudart/api_call.h"

namespace judge::cudart {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

cudaError_t ApiCall::done(cudaError_t status) const {
  if (status == cudaSuccess) status = connection_.sticky();
  if (status != cudaSuccess && status != cudaErrorNotReady) last_error = status;
  return status;
}

cudaError_t ApiCall::report(std::string_view name, cudaError_t code, std::string_view sentence,
                            channel::ReportKind kind) const {
  std::string payload(name);
  payload.push_back('\0');
  payload.append(sentence);
  payload.resize(std::min<std::size_t>(payload.size(), channel::kMaxReportBytes));
  channel::ReportRequest request;
  request.code = code;
  request.kind = kind;
  connection_.call<channel::Call::report>(request, nullptr, std::as_bytes(std::span(payload)));
  return done(code);
}

cudaError_t ApiCall::fail(cudaError_t code, std::string_view sentence, channel::ReportKind kind) const {
  return report(name_, code, sentence, kind);
}

cudaError_t ApiCall::unsupported(std::string_view what) const {
  return report(what, cudaErrorNotSupported, "", channel::ReportKind::unsupported);
}

std::string hex(const void* address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%" PRIxPTR, reinterpret_cast<std::uintptr_t>(address));
  return text;
}

}  // namespace judge::cudart

extern "C" {

cudaError_t cudaGetLastError() {
  using namespace judge::cudart;
  const cudaError_t error = std::exchange(last_error, cudaSuccess);
  const cudaError_t sticky = Connection::get().sticky();
  return error != cudaSuccess ? error : sticky;
}

cudaError_t cudaPeekAtLastError() {
  using namespace judge::cudart;
  return last_error != cudaSuccess ? last_error : Connection::get().sticky();
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define X(name, text) \
  case name:          \
    return #name;
#include "judge/cudart/errors.def"
#undef X
    default:
      return "unrecognized error code";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define X(name, text) \
  case name:          \
    return text;
#include "judge/cudart/errors.def"
#undef X
    default:
      return "unrecognized error code";
  }
}

}  // extern "C"
