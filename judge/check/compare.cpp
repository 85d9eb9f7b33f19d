// Most comparisons find nothing wrong, so blocks of elements are first accepted by cheap vectorised tests: equal bytes,
// or for floats the error relative to the tolerance in single precision, with a margin that covers its rounding. Only
// blocks that are not accepted see the exact rule, element by element in double precision.

#include <algorithm>
#include <bit>

#include "judge/check/check.h"
#include "judge/check/diagnose.h"
#include "judge/check/element.h"

namespace judge::check {

namespace {

constexpr std::uint64_t kBlock = 2048;  // elements
constexpr std::size_t kMostListed = 8;
constexpr float kSurelyAllowed = 1.0f - 1e-5f;  // single precision errs by less than 5e-7 in the quotient below

struct Tolerance {
  double rtol, atol;
  double allowed(double expected) const { return atol + rtol * std::fabs(expected); }
};

// The rule itself.
template <class T>
bool equal(T got, T expected, const Tolerance& tolerance) {
  if constexpr (!is_real<T>) {
    if (got == expected) return true;
    if (tolerance.rtol == 0 && tolerance.atol == 0) return false;  // a double would take neighbours above 2^53 for one
  }
  const double g = to_double(got), e = to_double(expected);
  if (std::isnan(e) || std::isnan(g)) return std::isnan(e) && std::isnan(g);
  if (std::isinf(e) || std::isinf(g)) return g == e;
  return std::fabs(g - e) <= tolerance.allowed(e);
}

// |got - expected| / allowed; NaN and infinities are above everything. Bits of non-negative floats order as integers,
// which is a reduction that compilers vectorise without -ffast-math.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("default", "avx2")))
#endif
std::int32_t
largest_quotient(const float* got, const float* expected, std::uint64_t count, float rtol, float atol) {
  std::int32_t largest = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const float quotient = std::fabs(got[i] - expected[i]) / (atol + rtol * std::fabs(expected[i]));
    const std::int32_t bits = std::bit_cast<std::int32_t>(quotient) & 0x7fffffff;
    largest = bits > largest ? bits : largest;
  }
  return largest;
}

class BitMap {  // of written bytes; empty means everything was written
 public:
  BitMap(std::span<const std::uint8_t> bits, std::uint64_t bytes) : bits_(bits) {
    if (bits_.empty()) return;
    const std::uint64_t whole = bytes / 8;
    complete_ = bits_.size() >= (bytes + 7) / 8 &&
                std::all_of(bits_.begin(), bits_.begin() + static_cast<std::ptrdiff_t>(whole),
                            [](std::uint8_t b) { return b == 0xff; });
    for (std::uint64_t i = whole * 8; i < bytes; ++i) complete_ = complete_ && bit(i);
  }
  bool complete() const { return complete_; }
  bool all(std::uint64_t first, std::uint64_t count) const {
    if (complete_) return true;
    for (std::uint64_t i = first; i < first + count; ++i) {
      if (!bit(i)) return false;
    }
    return true;
  }

 private:
  bool bit(std::uint64_t i) const { return i / 8 < bits_.size() && ((bits_[i / 8] >> (i % 8)) & 1u) != 0; }
  std::span<const std::uint8_t> bits_;
  bool complete_ = true;
};

template <class T>
class Comparer {
 public:
  Comparer(const Buffer& expected, std::span<const std::byte> got, std::span<const std::uint8_t> written,
           const Tolerance& tolerance, std::uint64_t block_threads)
      : expected_(expected),
        got_(got),
        tolerance_(tolerance),
        total_(expected.bytes.size() / sizeof(T)),
        present_(std::min<std::uint64_t>(total_, got.size() / sizeof(T))),
        written_(written, total_ * sizeof(T)),
        block_threads_(block_threads) {}

  Comparison run() {
    result_.buffer = expected_.name;
    result_.total = total_;
    for (std::uint64_t first = 0; first < total_; first += kBlock) {
      const std::uint64_t count = std::min(kBlock, total_ - first);
      if (!accept(first, count)) examine(first, count);
    }
    if (result_.wrong > 0) result_.diagnosis = diagnose(evidence());
    return std::move(result_);
  }

 private:
  T got(std::uint64_t i) const { return load<T>(got_.data() + i * sizeof(T)); }
  T expected(std::uint64_t i) const { return load<T>(expected_.bytes.data() + i * sizeof(T)); }

  bool accept(std::uint64_t first, std::uint64_t count) {
    if (!written_.complete() || first + count > present_) return false;
    const std::byte* g = got_.data() + first * sizeof(T);
    const std::byte* e = expected_.bytes.data() + first * sizeof(T);
    if (std::memcmp(g, e, count * sizeof(T)) == 0) return true;
    if constexpr (std::is_same_v<T, float>) {
      const auto atol = static_cast<float>(tolerance_.atol), rtol = static_cast<float>(tolerance_.rtol);
      // A subnormal tolerance has too few bits for the margin; misaligned bytes are not worth a second loop.
      if (atol < std::numeric_limits<float>::min() || reinterpret_cast<std::uintptr_t>(g) % alignof(float) != 0) {
        return false;
      }
      const float largest = std::bit_cast<float>(
          largest_quotient(reinterpret_cast<const float*>(g), reinterpret_cast<const float*>(e), count, rtol, atol));
      if (!(largest <= kSurelyAllowed)) return false;
      result_.largest_error = std::max<double>(result_.largest_error, largest);
      return true;
    }
    return false;
  }

  void examine(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = first; i < first + count; ++i) {
      const bool present = i < present_;
      const bool was_written = present && written_.all(i * sizeof(T), sizeof(T));
      const T e = expected(i);
      if (present) note_error(got(i), e);
      if (was_written && equal(got(i), e, tolerance_)) continue;
      add_mismatch(i, present, was_written, e);
    }
  }

  void note_error(T got, T expected) {
    const double difference = std::fabs(to_double(got) - to_double(expected));
    if (!std::isfinite(difference)) return;
    const double allowed = tolerance_.allowed(to_double(expected));
    result_.largest_error = std::max(result_.largest_error, allowed > 0 ? difference / allowed : difference);
  }

  void add_mismatch(std::uint64_t i, bool present, bool was_written, T expected) {
    if (wrong_.empty()) {
      wrong_.resize(total_);
      unwritten_.resize(total_);
    }
    wrong_[i] = 1;
    unwritten_[i] = was_written ? 0 : 1;
    ++result_.wrong;
    result_.unwritten += was_written ? 0 : 1;
    if (result_.first.size() == kMostListed) return;
    Mismatch m;
    m.index = i;
    m.position = position(i);
    m.got = present ? to_double(got(i)) : 0;
    m.expected = to_double(expected);
    m.allowed = tolerance_.allowed(m.expected);
    m.unwritten = !was_written;
    result_.first.push_back(std::move(m));
  }

  std::vector<std::int64_t> position(std::uint64_t i) const {
    std::vector<std::int64_t> p(expected_.shape.size());
    for (std::size_t d = p.size(); d-- > 0;) {
      const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(expected_.shape[d], 1));
      p[d] = static_cast<std::int64_t>(i % extent);
      i /= extent;
    }
    return p;
  }

  Evidence evidence() const {
    Evidence e;
    e.total = total_;
    e.shape = expected_.shape;
    e.wrong = wrong_;
    e.unwritten = unwritten_;
    e.wrong_count = result_.wrong;
    e.unwritten_count = result_.unwritten;
    e.got = [this](std::uint64_t i) { return i < present_ ? to_double(got(i)) : 0.0; };
    e.expected = [this](std::uint64_t i) { return to_double(expected(i)); };
    e.rtol = tolerance_.rtol;
    e.atol = tolerance_.atol;
    e.block_threads = block_threads_;
    return e;
  }

  const Buffer& expected_;
  std::span<const std::byte> got_;
  Tolerance tolerance_;
  std::uint64_t total_, present_;
  BitMap written_;
  std::uint64_t block_threads_;
  std::vector<std::uint8_t> wrong_, unwritten_;
  Comparison result_;
};

}  // namespace

Comparison compare(const Buffer& expected, std::span<const std::byte> got, std::span<const std::uint8_t> written,
                   double rtol, double atol, std::uint64_t block_threads) {
  return with_type(expected.type, [&](auto t) {
    return Comparer<decltype(t)>(expected, got, written, Tolerance{rtol, atol}, block_threads).run();
  });
}

}  // namespace judge::check
