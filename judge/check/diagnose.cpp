// Two questions. What do the wrong elements hold instead (nothing, zeros, NaN, a neighbour's value, a multiple)? If
// that has no simple answer for most of the buffer: where do they lie (block edges, every k-th, last block, one end)?
// The first explanation that covers all wrong elements wins; explanations go from the most to the least specific.

#include "judge/check/diagnose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

namespace judge::check {

namespace {

constexpr std::uint64_t kSamples = 4096;    // wrong elements looked at for a rule about values
constexpr std::int64_t kLargestShift = 64;  // beyond a warp's width twice, a shift is no slip of an index
constexpr double kSmallError = 1e-3;        // about the rounding of half precision
constexpr double kNearlyAll = 0.9;          // a wrong element may look right by chance

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string number(double v) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", v);
  return text.data();
}

std::string ordinal(std::uint64_t n) {
  const bool teen = n % 100 >= 11 && n % 100 <= 13;
  const char* suffix = teen ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
  return grouped(n) + suffix;
}

std::string elements(std::uint64_t n) {
  return n == 1 ? "element" : grouped(n) + " elements";
}

struct Place {
  Shape shape = Shape::scattered;
  std::string phrase;  // completes "The wrong elements are …" or "The wrong element is …"
  std::int64_t period = 0, offset = 0;
};

class Locator {
 public:
  explicit Locator(const Evidence& e) : e_(e) {
    std::uint64_t previous = 0;
    for (std::uint64_t i = 0; i < e.total; ++i) {
      if (e.wrong[i] == 0) continue;
      if (count_++ == 0) {
        first_ = i;
      } else {
        step_ = std::gcd(step_, i - previous);
      }
      previous = i;
    }
    last_ = previous;
  }

  Place locate() const {
    if (count_ == e_.total) return {Shape::everything, e_.total == 1 ? "the only one there is" : "all of them", 0, 0};
    if (auto p = block_edges()) return *p;
    if (auto p = every_kth()) return *p;
    if (auto p = last_block()) return *p;
    if (auto p = tail()) return *p;
    if (auto p = head()) return *p;
    if (count_ >= std::uint64_t(kNearlyAll * double(e_.total))) return {Shape::everything, "nearly all of them", 0, 0};
    if (count_ == 1) return {Shape::scattered, "at index " + grouped(first_), 0, 0};
    return {Shape::scattered,
            "scattered between index " + grouped(first_) + " and " + grouped(last_) + " without a simple pattern", 0,
            0};
  }

 private:
  // A tile is what one block computes: its threads, or a small multiple when each thread has several elements.
  std::vector<std::uint64_t> tiles() const {
    if (e_.block_threads > 0) {
      return {8 * e_.block_threads, 4 * e_.block_threads, 2 * e_.block_threads, e_.block_threads};
    }
    return {1024, 512, 256, 128, 64, 32};
  }

  std::optional<Place> block_edges() const {
    for (const std::uint64_t tile : tiles()) {
      if (tile < 4 || tile >= e_.total) continue;
      if (auto p = edges_of(tile)) return p;
    }
    return std::nullopt;
  }

  // Wrong only within a quarter of the tile from its edges. The array's own ends may be right: what lies outside is
  // zero, which is also what a missing halo often holds.
  std::optional<Place> edges_of(std::uint64_t tile) const {
    std::uint64_t left = 0, right = 0;
    std::uint64_t tiles_left = 0, tiles_right = 0, seen_left = e_.total, seen_right = e_.total;
    for (std::uint64_t i = first_; i <= last_; ++i) {
      if (e_.wrong[i] == 0) continue;
      const std::uint64_t at = i % tile, block = i / tile;
      if (at < tile / 4) {
        left = std::max(left, at + 1);
        tiles_left += seen_left == block ? 0 : 1;
        seen_left = block;
      } else if (at >= tile - tile / 4) {
        right = std::max(right, tile - at);
        tiles_right += seen_right == block ? 0 : 1;
        seen_right = block;
      } else {
        return std::nullopt;
      }
    }
    const std::uint64_t inner = (e_.total - 1) / tile;  // boundaries between tiles
    const auto common = [&](std::uint64_t tiles) { return tiles > 0 && 2 * tiles >= inner; };
    if ((left > 0 && !common(tiles_left)) || (right > 0 && !common(tiles_right))) return std::nullopt;
    // All of it in the first tile's left end or the last tile's right end says nothing about blocks.
    if (last_ < tile / 4 || (first_ / tile == inner && first_ % tile >= tile / 4)) return std::nullopt;
    return Place{Shape::block_edges, edges_phrase(tile, left, right), static_cast<std::int64_t>(tile),
                 static_cast<std::int64_t>(std::max(left, right))};
  }

  std::string edges_phrase(std::uint64_t tile, std::uint64_t left, std::uint64_t right) const {
    const auto part = [](const char* end, std::uint64_t n) {
      return n == 1 ? std::string("the ") + end : std::string("the ") + end + " " + grouped(n);
    };
    std::string where = left > 0 ? part("first", left) : "";
    if (left > 0 && right > 0) where += " and ";
    if (right > 0) where += part("last", right);
    where += " of every " + grouped(tile) + ": ";
    if (e_.block_threads == 0) where += "perhaps ";
    where += left > 0 && right > 0 ? "both edges" : left > 0 ? "the left edge" : "the right edge";
    return where + (e_.block_threads == 0 || e_.block_threads == tile ? " of each block" : " of each block's elements");
  }

  std::optional<Place> every_kth() const {
    if (count_ < 3 || step_ < 2) return std::nullopt;
    const std::uint64_t offset = first_ % step_;
    const std::uint64_t members = (e_.total - offset + step_ - 1) / step_;
    if (double(count_) < kNearlyAll * double(members)) return std::nullopt;
    return Place{Shape::every_kth, "every " + ordinal(step_) + " one, from index " + grouped(first_) + " on",
                 static_cast<std::int64_t>(step_), static_cast<std::int64_t>(offset)};
  }

  std::optional<Place> last_block() const {
    const std::uint64_t threads = e_.block_threads;
    if (threads == 0 || e_.total <= threads) return std::nullopt;
    const std::uint64_t begin = (e_.total - 1) / threads * threads;
    if (first_ < begin) return std::nullopt;
    return Place{Shape::last_block,
                 std::string(count_ > 1 ? "all " : "") + "in the last block: " + elements(e_.total - begin) +
                     " from index " + grouped(begin) + " on",
                 0, 0};
  }

  std::optional<Place> tail() const {
    if (last_ != e_.total - 1 || double(count_) < kNearlyAll * double(e_.total - first_)) return std::nullopt;
    if (first_ == 0) return std::nullopt;
    return Place{
        Shape::tail,
        "the last " + elements(e_.total - first_) + (count_ == 1 ? "" : ", from index " + grouped(first_) + " on"), 0,
        0};
  }

  std::optional<Place> head() const {
    if (first_ != 0 || last_ == e_.total - 1 || double(count_) < kNearlyAll * double(last_ + 1)) return std::nullopt;
    return Place{Shape::head,
                 "the first " + elements(last_ + 1) + (last_ == 0 ? "" : ", up to index " + grouped(last_)), 0, 0};
  }

  const Evidence& e_;
  std::uint64_t first_ = 0, last_ = 0, count_ = 0, step_ = 0;
};

class ValueRules {
 public:
  explicit ValueRules(const Evidence& e) : e_(e) {
    const std::uint64_t stride = std::max<std::uint64_t>(1, e.wrong_count / kSamples);
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < e.total; ++i) {
      if (e.wrong[i] == 0) continue;
      if (seen++ % stride == 0) sample_.push_back(i);
    }
  }

  bool all_wrong(bool (*predicate)(double)) const {
    return std::all_of(sample_.begin(), sample_.end(), [&](std::uint64_t i) { return predicate(e_.got(i)); });
  }

  bool everything_is_zero() const {
    for (std::uint64_t i = 0; i < e_.total; ++i) {
      if (e_.got(i) != 0) return false;
    }
    return true;
  }

  // The wrong elements are most of the buffer, and enough that a match is no accident.
  bool widespread() const { return e_.wrong_count >= 3 && 2 * e_.wrong_count >= e_.total; }

  std::optional<Diagnosis> shifted() const {
    for (std::int64_t d = 1; d <= kLargestShift; ++d) {
      for (const std::int64_t offset : {d, -d}) {
        if (!matches([&](std::uint64_t i) { return static_cast<std::int64_t>(i) + offset; })) continue;
        return Diagnosis{Shape::shifted,
                         "Every element holds what belongs " + std::to_string(d) + (d == 1 ? " place " : " places ") +
                             (offset > 0 ? "further on" : "before") + ": an index is off by " + std::to_string(d) + ".",
                         0, offset};
      }
    }
    return std::nullopt;
  }

  std::optional<Diagnosis> swapped() const {
    const auto n = static_cast<std::int64_t>(e_.total);
    if (matches([&](std::uint64_t i) { return n - 1 - static_cast<std::int64_t>(i); })) {
      return Diagnosis{Shape::swapped, "The elements are right but in reverse order.", 0, 0};
    }
    if (matches([](std::uint64_t i) { return static_cast<std::int64_t>(i ^ 1u); })) {
      return Diagnosis{Shape::swapped, "Neighbouring elements have changed places in pairs.", 0, 0};
    }
    if (e_.shape.size() != 2) return std::nullopt;
    // got is the transpose of expected: element (row, column) of rows x columns, read as columns x rows.
    const std::int64_t rows = e_.shape[0], columns = e_.shape[1];
    if (matches([&](std::uint64_t i) {
          const auto at = static_cast<std::int64_t>(i);
          return at % rows * columns + at / rows;
        })) {
      return Diagnosis{Shape::swapped, "The elements are right but transposed: rows and columns have changed places.",
                       0, 0};
    }
    return std::nullopt;
  }

  std::optional<Diagnosis> scaled() const {
    double factor = 0;
    std::uint64_t used = 0;
    for (const std::uint64_t i : sample_) {
      const double got = e_.got(i), expected = e_.expected(i);
      if (!std::isfinite(got) || !std::isfinite(expected)) return std::nullopt;
      if (std::fabs(expected) <= 100 * allowed(expected)) continue;  // too small: its error hides the factor
      if (used++ == 0) factor = got / expected;
      // Rounding and the tolerance blur a quotient; 1e-3 still tells 1/16 from 1/17.
      if (factor == 0 || std::fabs(got / expected - factor) > 1e-3 * std::fabs(factor) + 2 * e_.rtol)
        return std::nullopt;
    }
    if (used < 3) return std::nullopt;
    return Diagnosis{Shape::scaled, "Every element is " + number(factor) + " times what it should be.", 0, 0};
  }

 private:
  double allowed(double expected) const { return e_.atol + e_.rtol * std::fabs(expected); }

  // Does each sampled element hold what belongs at source(i)? Sources outside the buffer are not counted.
  template <class Source>
  bool matches(Source&& source) const {
    std::uint64_t inside = 0, missed = 0;
    for (const std::uint64_t i : sample_) {
      const std::int64_t from = source(i);
      if (from < 0 || from >= static_cast<std::int64_t>(e_.total)) continue;
      ++inside;
      const double expected = e_.expected(static_cast<std::uint64_t>(from));
      if (!(std::fabs(e_.got(i) - expected) <= allowed(expected))) ++missed;
      if (missed > 0 && 50 * missed > sample_.size()) return false;
    }
    return inside >= 3 && 2 * inside >= sample_.size() && 50 * missed <= inside;
  }

  const Evidence& e_;
  std::vector<std::uint64_t> sample_;
};

// Every wrong element is nearly right: relative to itself or, where terms cancelled, to the size of its fellows.
std::optional<Diagnosis> imprecise(const Evidence& e) {
  if (e.rtol <= 0) return std::nullopt;  // integers are right or wrong
  double squares = 0;
  for (std::uint64_t i = 0; i < e.total; ++i) squares += e.wrong[i] != 0 ? e.expected(i) * e.expected(i) : 0;
  const double typical = std::sqrt(squares / static_cast<double>(e.wrong_count));
  double largest = 0;
  for (std::uint64_t i = 0; i < e.total; ++i) {
    if (e.wrong[i] == 0) continue;
    if (!e.unwritten.empty() && e.unwritten[i] != 0) return std::nullopt;
    const double scale = std::max(std::fabs(e.expected(i)), typical);
    const double error = std::fabs(e.got(i) - e.expected(i));
    if (!(error <= kSmallError * scale)) return std::nullopt;
    largest = std::max(largest, error / scale);
  }
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.1g", largest);
  const std::string begin =
      e.wrong_count == 1 ? "The wrong element is nearly right, with a" : "All wrong elements are nearly right, with";
  return Diagnosis{Shape::imprecise,
                   begin + (e.wrong_count == 1 ? " relative error of " : " relative errors of at most ") + text.data() +
                       ": a question of precision.",
                   0, 0};
}

Diagnosis with_place(Shape shape, const std::string& begin, const Place& place) {
  return {shape, begin + place.phrase + ".", place.period, place.offset};
}

}  // namespace

std::string_view to_string(Shape shape) {
  switch (shape) {
    case Shape::none:
      return "none";
    case Shape::all_zero:
      return "all_zero";
    case Shape::all_unwritten:
      return "all_unwritten";
    case Shape::some_unwritten:
      return "some_unwritten";
    case Shape::not_finite:
      return "not_finite";
    case Shape::last_block:
      return "last_block";
    case Shape::block_edges:
      return "block_edges";
    case Shape::every_kth:
      return "every_kth";
    case Shape::shifted:
      return "shifted";
    case Shape::scaled:
      return "scaled";
    case Shape::swapped:
      return "swapped";
    case Shape::imprecise:
      return "imprecise";
    case Shape::tail:
      return "tail";
    case Shape::head:
      return "head";
    case Shape::scattered:
      return "scattered";
    case Shape::everything:
      return "everything";
  }
  return "none";
}

Diagnosis diagnose(const Evidence& e) {
  if (e.wrong_count == 0) return {};
  if (e.unwritten_count == e.total) return {Shape::all_unwritten, "No element was ever written.", 0, 0};
  const Place place = Locator(e).locate();
  const bool one = e.wrong_count == 1;
  const std::string they_are = one ? ". It is " : ". They are ";
  if (e.unwritten_count == e.wrong_count) {
    return with_place(Shape::some_unwritten,
                      (one ? "One element was never written" : "Some elements were never written") + they_are, place);
  }
  const ValueRules values(e);
  if (values.all_wrong([](double v) { return !std::isfinite(v); })) {
    const bool nan = values.all_wrong([](double v) { return std::isnan(v); });
    return with_place(Shape::not_finite,
                      std::string(one ? "The wrong element holds " : "The wrong elements hold ") +
                          (nan ? "NaN" : "NaN or infinity") + they_are,
                      place);
  }
  if (!one && values.everything_is_zero()) {
    return {Shape::all_zero, "Every element is 0, as if the result were never computed.", 0, 0};
  }
  if (auto d = imprecise(e)) return *d;
  if (values.widespread()) {
    if (auto d = values.shifted()) return *d;
    if (auto d = values.swapped()) return *d;
    if (auto d = values.scaled()) return *d;
  }
  Diagnosis d = with_place(place.shape, one ? "The wrong element is " : "The wrong elements are ", place);
  if (values.all_wrong([](double v) { return v == 0; })) d.sentence += one ? " It holds 0." : " They hold 0.";
  return d;
}

}  // namespace judge::check
