// printf and assert of device code (CUDA C++ Programming Guide, "Formatted Output", "Assertion").
//
// vprintf receives the address of the format and of a buffer with the arguments, laid out as the compiler promoted
// them: 4 bytes for int, 8 for long long, double and pointers, each at a multiple of its size.

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "judge/emulator/exec/blocks.h"
#include "judge/emulator/exec/call_values.h"
#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

namespace {

constexpr std::size_t kMaxString = 4096;  // of a format or a %s argument

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

// CUDA's rules (C++ Programming Guide, "Format Specifiers", "Limitations"): width may be `*`, precision may not, and
// what comes after the 32nd argument is printed as it stands. `used` counts the arguments.
constexpr int kMaxArguments = 32;

std::string format(const WarpState& w, int lane, const std::string& f, Arguments arguments, int& used) {
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
    // %[flags][width][.precision][size]type
    std::size_t e = k + 1;
    std::string spec = "%";
    while (e < f.size() && std::strchr("-+ #0", f[e]) != nullptr) spec += f[e++];
    const auto number = [&] {
      int n = 0;
      for (int digits = 0; e < f.size() && f[e] >= '0' && f[e] <= '9'; ++e, ++digits)
        if (digits < 4) n = 10 * n + (f[e] - '0');
      return std::min(n, 400);
    };
    const bool star = e < f.size() && f[e] == '*';
    if (star)
      ++e;
    else if (e < f.size() && f[e] >= '1' && f[e] <= '9')
      spec += std::to_string(number());
    std::string precision;
    if (e < f.size() && f[e] == '.') {
      ++e;
      precision = "." + std::to_string(std::min(number(), 100));
    }
    int longs = 0;
    while (e < f.size() && std::strchr("lhzjt", f[e]) != nullptr) longs += f[e++] == 'h' ? 0 : 1;
    if (e >= f.size()) {
      out += f.substr(k);
      break;
    }
    const char type = f[e];
    if (std::strchr("diuxXocfFeEgGaAps", type) == nullptr || used + (star ? 2 : 1) > kMaxArguments) {
      out += f.substr(k, e - k + 1);
      k = e;
      continue;
    }
    if (star) {
      const int width = static_cast<int>(arguments.take(4));
      spec += (width < 0 ? "-" : "") + std::to_string(std::min(width < 0 ? -(width + 1) + 1 : width, 400));
      ++used;
    }
    spec += precision;
    ++used;
    int length = 0;
    switch (type) {
      case 'd':
      case 'i': {
        const long long v = longs > 0 ? static_cast<long long>(arguments.take(8)) : static_cast<int>(arguments.take(4));
        length = std::snprintf(text, sizeof text, (spec + "ll" + type).c_str(), v);
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        const unsigned long long v = longs > 0 ? arguments.take(8) : arguments.take(4);
        length = std::snprintf(text, sizeof text, (spec + "ll" + type).c_str(), v);
        break;
      }
      case 'c':
        length = std::snprintf(text, sizeof text, (spec + type).c_str(), static_cast<int>(arguments.take(4)));
        break;
      case 'p':
        length = std::snprintf(text, sizeof text, (spec + type).c_str(), reinterpret_cast<void*>(arguments.take(8)));
        break;
      case 's': {
        const std::string s = read_string(w, lane, arguments.take(8));
        const int needed = std::snprintf(nullptr, 0, (spec + type).c_str(), s.c_str());
        std::string padded(static_cast<std::size_t>(std::max(needed, 0)) + 1, '\0');
        std::snprintf(padded.data(), padded.size(), (spec + type).c_str(), s.c_str());
        padded.pop_back();
        out += padded;
        break;
      }
      default:
        length = std::snprintf(text, sizeof text, (spec + type).c_str(), std::bit_cast<double>(arguments.take(8)));
    }
    out.append(text, static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof text) - 1)));
    k = e;
  }
  return out;
}

void append(WarpState& w, std::string text) {
  Worker& k = *w.worker;
  if (k.printed_bytes >= k.launch->output_cap) {
    k.output_truncated = true;
    return;
  }
  k.printed_bytes += text.size();
  if (!k.prints.empty() && k.prints.back().block == w.block->linear)
    k.prints.back().text += text;
  else
    k.prints.push_back({w.block->linear, std::move(text)});
}

std::string triple(const std::uint32_t (&x)[3]) {
  return "[" + std::to_string(x[0]) + "," + std::to_string(x[1]) + "," + std::to_string(x[2]) + "]";
}

}  // namespace

const Instr* print(WarpState& w, const Instr* i) {
  const CallSite& site = w.worker->launch->program->calls[i->aux];
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const std::uint64_t address = call_argument(w, site.arguments[0], lane);
    int used = address == 0 ? -1 : 0;  // what printf returns: arguments, not characters
    if (address != 0)
      append(w, format(w, lane, read_string(w, lane, address), {w, lane, call_argument(w, site.arguments[1], lane)},
                       used));
    if (!site.results.empty()) set_call_result(w, site.results[0], lane, static_cast<std::uint32_t>(used));
  }
  return i + 1;
}

// Each failing thread prints its line, as the CUDA runtime does: file:line: function: block: […], thread: […] Assertion
// `…` failed.
const Instr* fail_assertion(WarpState& w, const Instr* i) {
  const CallSite& site = w.worker->launch->program->calls[i->aux];
  const auto text = [&](std::size_t k, int lane) {
    return read_string(w, lane, call_argument(w, site.arguments[k], lane));
  };
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const std::uint32_t thread[3] = {w.thread[0][l], w.thread[1][l], w.thread[2][l]};
    append(w, text(1, l) + ":" + std::to_string(static_cast<std::uint32_t>(call_argument(w, site.arguments[2], l))) +
                  ": " + text(3, l) + ": block: " + triple(w.block->index) + ", thread: " + triple(thread) +
                  " Assertion `" + text(0, l) + "` failed.\n");
  }
  const int lane = std::countr_zero(w.mask);
  Fault f;
  f.kind = FaultKind::assertion;
  f.message = "assertion failed: " + text(0, lane);
  report(w, i, std::move(f), lane, true);
  return nullptr;
}

}  // namespace judge::emulator
