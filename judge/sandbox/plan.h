#pragma once
// What the judge asks of the program that builds the box (inner/), and what comes back. Both sides are compiled from
// this header and shipped together, so the encoding carries no version; every length is checked all the same.

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace judge::sandbox {

// Bit i of a layer mask is the Layer with value i in sandbox.h.
enum LayerBit : std::uint32_t {
  kNoNewPrivileges = 1u << 0,
  kUnprivilegedUser = 1u << 1,
  kResourceLimits = 1u << 2,
  kUserNamespace = 1u << 3,
  kMountNamespace = 1u << 4,
  kPidNamespace = 1u << 5,
  kIpcNamespace = 1u << 6,
  kNetworkNamespace = 1u << 7,
  kLandlock = 1u << 8,
  kSeccomp = 1u << 9
};
inline constexpr int kLayerCount = 10;

// Per-run user ids for boxes started by root: base + pid of the box. systemd's table of uid ranges leaves
// 0x70000000..0x7fffffff unused; pids stay under 2^22.
inline constexpr std::uint32_t kBoxUserBase = 0x70000000, kBoxUserLast = 0x7fffffff;

// The seccomp filter is built before the process ids are known. Its comparisons with this value are rewritten to the
// first program's own pid where no pid namespace hides the others.
inline constexpr std::uint32_t kOwnPidPlaceholder = 0x5eed51d5;

// Descriptors of the inner program at its start; the caller's own follow from kFirstPassedDescriptor.
inline constexpr int kPlanDescriptor = 3;
inline constexpr int kReadyDescriptor = 4;   // write end: layers or an error; closed by the first program's execve
inline constexpr int kStatusDescriptor = 5;  // write end: how it ended
inline constexpr int kLifeDescriptor = 6;    // read end: hang-up means that the judge gave up or died
inline constexpr int kFirstPassedDescriptor = 7;

struct Plan {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // "NAME=value"
  std::string working_directory;
  std::vector<std::string> readable, writable;    // absolute, normal form
  std::vector<std::uint32_t> descriptor_numbers;  // numbers in the box of the passed descriptors, in order
  bool keep_user = false;
  bool private_tmp = false;
  bool network = false;
  bool may_start_programs = true;
  std::uint64_t exec_path_address = 0;  // where argv[0] must lie for the only execve that the filter lets through
  std::uint64_t cpu_seconds = 0, address_space_bytes = 0, file_bytes = 0, open_files = 0, processes = 0,
                stack_bytes = 0;
  std::uint32_t wanted_layers = 0, required_layers = 0;
  std::string filter, filter_without_pid_namespace;  // arrays of struct sock_filter
};

// On the ready descriptor, framed by its length: one message before execve, another when execve itself failed.
struct Ready {
  std::uint32_t applied = 0;         // with the error kMissingLayers: the required ones that are missing
  std::string error;                 // empty: the program is being started
  std::vector<std::string> details;  // per layer: what was found, or why it is missing
};

inline constexpr const char* kMissingLayers = "missing layers";

// Message on the status descriptor, once everything in the box is gone.
struct Ended {
  std::uint32_t known = 0;  // 0: killed before the first program ended by itself
  std::uint32_t wait_status = 0;
  std::uint64_t cpu_us = 0, peak_rss_bytes = 0;
};

// Appends and reads fields in order. A reader that runs past the end sets `bad` and yields zeros.
struct Encoder {
  std::string bytes;
  void operator()(std::uint64_t v) { bytes.append(reinterpret_cast<const char*>(&v), sizeof v); }
  void operator()(std::uint32_t v) { (*this)(std::uint64_t{v}); }
  void operator()(bool v) { (*this)(std::uint64_t{v}); }
  void operator()(const std::string& s) {
    (*this)(std::uint64_t{s.size()});
    bytes += s;
  }
  template <class T>
  void operator()(const std::vector<T>& items) {
    (*this)(std::uint64_t{items.size()});
    for (const T& item : items) (*this)(item);
  }
};

struct Decoder {
  const char* at;
  const char* end;
  bool bad = false;
  explicit Decoder(const std::string& bytes) : at(bytes.data()), end(bytes.data() + bytes.size()) {}
  void operator()(std::uint64_t& v) {
    v = 0;
    if (bad || end - at < static_cast<std::ptrdiff_t>(sizeof v)) {
      bad = true;
      return;
    }
    std::memcpy(&v, at, sizeof v);
    at += sizeof v;
  }
  void operator()(std::uint32_t& v) {
    std::uint64_t wide;
    (*this)(wide);
    v = static_cast<std::uint32_t>(wide);
  }
  void operator()(bool& v) {
    std::uint64_t wide;
    (*this)(wide);
    v = wide != 0;
  }
  void operator()(std::string& s) {
    std::uint64_t size;
    (*this)(size);
    if (size > static_cast<std::uint64_t>(end - at)) bad = true;
    if (bad) return;
    s.assign(at, size);
    at += size;
  }
  template <class T>
  void operator()(std::vector<T>& items) {
    std::uint64_t count;
    (*this)(count);
    if (count > static_cast<std::uint64_t>(end - at)) bad = true;
    for (std::uint64_t i = 0; i < count && !bad; ++i) (*this)(items.emplace_back());
  }
};

template <class Visitor, class P>
void visit_plan(Visitor& v, P& p) {
  v(p.argv), v(p.environment), v(p.working_directory), v(p.readable), v(p.writable), v(p.descriptor_numbers);
  v(p.keep_user), v(p.private_tmp), v(p.network), v(p.may_start_programs), v(p.exec_path_address);
  v(p.cpu_seconds), v(p.address_space_bytes), v(p.file_bytes), v(p.open_files), v(p.processes), v(p.stack_bytes);
  v(p.wanted_layers), v(p.required_layers), v(p.filter), v(p.filter_without_pid_namespace);
}

template <class Visitor, class R>
void visit_ready(Visitor& v, R& r) {
  v(r.applied), v(r.error), v(r.details);
}

}  // namespace judge::sandbox
