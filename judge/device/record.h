#pragma once
// What the device recorded while one case ran: launches with counters and faults, and the plain list of operations.
// This is evidence from trusted code; the judge turns it into facts.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "judge/emulator/observe/counters.h"
#include "judge/emulator/observe/fault.h"
#include "judge/emulator/observe/trace.h"

namespace judge::device {

using emulator::Counters;
using emulator::Fault;
using emulator::SourceLocation;
using emulator::TracedAccess;

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

struct LineRecord {  // counters of one source line, all launches of the kernel in this record
  SourceLocation where;
  Counters counters;
};

struct LaunchRecord {
  std::string kernel;  // demangled, without the parameter list
  Dim3 grid, block;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t launches = 1;     // how often: more than one in a record that later launches were merged into
  Counters counters;
  std::vector<LineRecord> lines;  // only lines with a memory access, branch or barrier; ordered by file, line
  std::vector<TracedAccess> accesses;  // at RunOptions::traced_lines, of the first of merged launches
  std::vector<Fault> faults;      // first occurrence first, at most kMaxFaults; the rest only counted
  std::uint64_t faults_not_listed = 0;
  bool finished = true;           // false: stopped by a fault that ends the kernel
};

enum class OperationKind : std::uint8_t {
  allocate, free, copy_to_device, copy_from_device, copy_on_device, copy_to_symbol, copy_from_symbol, set, launch,
  synchronize, event_record, stream_create,
  allocate_managed, free_in_stream, stream_create_non_blocking, stream_wait, stream_synchronize, event_synchronize,
  prefetch_to_device, prefetch_to_host
};
std::string_view to_string(OperationKind kind);

struct Operation {
  OperationKind kind{};
  std::uint64_t bytes = 0;   // copies, sets, allocations, prefetches
  std::int32_t launch = -1;  // index into CaseRecord::launches when kind == launch
  std::uint64_t stream = 0;  // the library's handle; 0: the default stream
  std::uint64_t event = 0;   // event_record, stream_wait, event_synchronize: the library's handle
  // The host was free to go on before it was done. Of copies between host and device: an Async call and pinned memory.
  bool asynchronous = false;
  // Of copies between host and device whose rows lie without gaps: where the bytes are on either side; 0: not known.
  std::uint64_t device_address = 0, host_address = 0;
};

// Where the host program called the runtime: the return address's offset in the library or program that called, which
// whoever has that file can turn into a line (build::call_line). 0: not known. The untrusted process said so.
using CallSite = std::uint32_t;

struct ApiError {         // a runtime call that returned an error
  std::string call;       // "cudaLaunchKernel"
  int code = 0;           // cudaError_t
  std::string name;       // "cudaErrorInvalidConfiguration"
  std::string detail;     // which limit, which pointer: a sentence for the student
  bool is_launch = false; // a launch that did not happen
  CallSite call_site = 0;
  SourceLocation where;   // of the call; empty until the judge has looked it up
};

// A buffer that the entry may only read was written: by a kernel (`where` is the storing line) or by a call of the host
// program. Whether its contents changed is another question: a store may write what was there.
struct InputWrite {
  std::string buffer;
  std::string writer;     // the kernel's name, or "cudaMemcpy"
  bool by_kernel = false;
  CallSite call_site = 0;
  SourceLocation where;
};

// Elements of an output that hold, at the end of the case, what a copy from host memory put there.
struct HostResult {
  std::string buffer;
  std::uint64_t elements = 0;  // that are not 0: filling an output with zeros is no result
  std::uint64_t first = 0;     // index of the first of them
  std::string call;            // the last copy into the buffer: "cudaMemcpy"
  CallSite call_site = 0;
  SourceLocation where;
};

struct CaseRecord {
  std::vector<LaunchRecord> launches;   // at most kMaxLaunchRecords, later ones merged by kernel and shape
  std::vector<Operation> operations;    // at most kMaxOperations
  std::uint64_t operations_not_listed = 0;
  std::vector<ApiError> api_errors;     // at most 16
  std::vector<InputWrite> input_writes; // at most 16, one for each buffer and writer
  std::vector<HostResult> host_results; // one for each output
  std::vector<std::string> unsupported; // names of calls or instructions the device does not implement (judge_error)
  std::string kernel_output;            // device printf, capped
  bool output_truncated = false;
  std::uint64_t steps = 0;              // thread instructions executed
  std::uint64_t leaked_bytes = 0;       // device memory the entry allocated and did not free
};

inline constexpr std::size_t kMaxFaults = 32;          // per launch: enough to see a pattern, small enough to read
inline constexpr std::size_t kMaxLaunchRecords = 256;
inline constexpr std::size_t kMaxOperations = 4096;
inline constexpr std::size_t kMaxInputWrites = 16;

}  // namespace judge::device
