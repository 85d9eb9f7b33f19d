// printf and assert of device code (CUDA C++ Programming Guide, "Formatted Output", "Assertion").
//
// vprintf receives the address of the format and of a buffer with the arguments, laid out as the compiler promoted
// them: 4 bytes for int, 8 for long long, double and pointers, each at a multiple of its size.

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "judge/emulator/exec/blocks.h"
#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

namespace {

constexpr std::size_t kMaxString = 4096;  // of a format or a %s argument

std::uint64_t argument(const WarpState& w, const ParamRegion& r, int lane) {
  std::uint64_t v = 0;
  std::memcpy(&v, w.frames + w.groups[w.current].frame + r.frame_offset + static_cast<std::uint32_t>(lane) * r.stride,
              std::min(r.bytes, 8u));
  return v;
}

// A byte at a generic address; false where nothing readable is.
bool read_byte(const WarpState& w, int lane, std::uint64_t a, unsigned char* out) {
  if (in_window(a, kLocalWindow)) {
    const std::uint64_t offset = a - kLocalWindow;
    if (offset >= w.local_stride) return false;
    *out = static_cast<unsigned char>(w.local[static_cast<std::size_t>(lane) * w.local_stride + offset]);
    return true;
  }
  if (in_window(a, kSharedWindow)) {
    const std::uint64_t offset = a - kSharedWindow;
    if (offset >= w.worker->launch->shared_bytes) return false;
    *out = static_cast<unsigned char>(w.block->shared[offset]);
    return true;
  }
  const Allocation* in = w.worker->launch->memory->find_live(a, 1);
  if (in == nullptr) return false;
  *out = static_cast<unsigned char>(in->data[a - in->base]);
  return true;
}

std::string read_string(const WarpState& w, int lane, std::uint64_t a) {
  std::string s;
  unsigned char c = 0;
  while (s.size() < kMaxString && read_byte(w, lane, a++, &c) && c != 0) s += static_cast<char>(c);
  return s;
}

struct Arguments {
  const WarpState& w;
  int lane;
  std::uint64_t at;
  std::uint64_t take(unsigned bytes) {
    at = (at + bytes - 1) / bytes * bytes;
    std::uint64_t v = 0;
    for (unsigned k = 0; k < bytes; ++k) {
      unsigned char c = 0;
      read_byte(w, lane, at + k, &c);
      v |= static_cast<std::uint64_t>(c) << (8 * k);
    }
    at += bytes;
    return v;
  }
};

std::string format(const WarpState& w, int lane, const std::string& f, Arguments arguments) {
  std::string out;
  char text[512];
  for (std::size_t k = 0; k < f.size(); ++k) {
    if (f[k] != '%') {
      out += f[k];
      continue;
    }
    if (k + 1 < f.size() && f[k + 1] == '%') {
      out += '%';
      ++k;
      continue;
    }
    // %[flags][width][.precision][size]type; `*` does not exist on the device.
    std::size_t e = k + 1;
    std::string spec = "%";
    while (e < f.size() && std::strchr("-+ #0", f[e]) != nullptr) spec += f[e++];
    const auto number = [&] {
      int n = 0;
      for (int digits = 0; e < f.size() && f[e] >= '0' && f[e] <= '9'; ++e, ++digits)
        if (digits < 4) n = 10 * n + (f[e] - '0');
      return std::min(n, 400);
    };
    if (e < f.size() && f[e] >= '1' && f[e] <= '9') spec += std::to_string(number());
    if (e < f.size() && f[e] == '.') {
      ++e;
      spec += "." + std::to_string(std::min(number(), 100));
    }
    int longs = 0;
    while (e < f.size() && std::strchr("lhzjt", f[e]) != nullptr) longs += f[e++] == 'h' ? 0 : 1;
    if (e >= f.size()) {
      out += f.substr(k);
      break;
    }
    const char type = f[e];
    switch (type) {
      case 'd':
      case 'i': {
        const long long v = longs > 0 ? static_cast<long long>(arguments.take(8)) : static_cast<int>(arguments.take(4));
        std::snprintf(text, sizeof text, (spec + "ll" + type).c_str(), v);
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        const unsigned long long v = longs > 0 ? arguments.take(8) : arguments.take(4);
        std::snprintf(text, sizeof text, (spec + "ll" + type).c_str(), v);
        break;
      }
      case 'c':
        std::snprintf(text, sizeof text, (spec + type).c_str(), static_cast<int>(arguments.take(4)));
        break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        std::snprintf(text, sizeof text, (spec + type).c_str(), std::bit_cast<double>(arguments.take(8)));
        break;
      case 'p':
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(arguments.take(8)));
        break;
      case 's': {
        out += read_string(w, lane, arguments.take(8));
        text[0] = '\0';
        break;
      }
      default:
        std::snprintf(text, sizeof text, "%s", f.substr(k, e - k + 1).c_str());
    }
    out += text;
    k = e;
  }
  return out;
}

}  // namespace

const Instr* print(WarpState& w, const Instr* i) {
  Worker& k = *w.worker;
  const CallSite& site = k.launch->program->calls[i->aux];
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    if (k.printed_bytes < k.launch->output_cap) {
      std::string text = format(w, lane, read_string(w, lane, argument(w, site.arguments[0], lane)),
                                {w, lane, argument(w, site.arguments[1], lane)});
      k.printed_bytes += text.size();
      if (!k.prints.empty() && k.prints.back().block == w.block->linear)
        k.prints.back().text += text;
      else
        k.prints.push_back({w.block->linear, std::move(text)});
    } else {
      k.output_truncated = true;
    }
    if (!site.results.empty()) {
      const ParamRegion& r = site.results[0];
      const std::uint32_t result = 0;
      std::memcpy(w.frames + w.groups[w.current].frame + r.frame_offset + static_cast<std::uint32_t>(lane) * r.stride,
                  &result, 4);
    }
  }
  return i + 1;
}

const Instr* fail_assertion(WarpState& w, const Instr* i) {
  const CallSite& site = w.worker->launch->program->calls[i->aux];
  const int lane = std::countr_zero(w.mask);
  Fault f;
  f.kind = FaultKind::assertion;
  f.message = "assertion failed: " + read_string(w, lane, argument(w, site.arguments[0], lane));
  report(w, i, std::move(f), lane, true);
  return nullptr;
}

}  // namespace judge::emulator
