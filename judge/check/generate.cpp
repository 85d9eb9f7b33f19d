// Every element is a function of (seed, case, argument, index) alone, computed with integer arithmetic and IEEE
// operations in a fixed order: no library distribution, no fused multiply-add (the room is built with
// -ffp-contract=off). Elements are made in chunks that stay in the first-level cache and are appended, so that memory
// is written once.

#include <algorithm>
#include <array>

#include "judge/catalogue/random.h"
#include "judge/check/check.h"
#include "judge/check/element.h"

namespace judge::check {

namespace {

using catalogue::Fill;
using catalogue::random_bits;

constexpr std::size_t kChunk = 2048;  // elements: 16 KB of 8-byte ones

// Two 32-bit words from each 64-bit hash: words[j] belongs to element first + j; first is even.
void random_words(std::uint64_t key, std::uint64_t first, std::array<std::uint32_t, kChunk>& words) {
  for (std::size_t j = 0; j < kChunk; j += 2) {
    const std::uint64_t bits = random_bits(key, (first + j) / 2);
    words[j] = static_cast<std::uint32_t>(bits);
    words[j + 1] = static_cast<std::uint32_t>(bits >> 32);
  }
}

void uniform_floats(std::uint64_t key, std::uint64_t first, const Fill& fill, std::array<float, kChunk>& out) {
  std::array<std::uint32_t, kChunk> words;
  random_words(key, first, words);
  const float low = static_cast<float>(fill.low);
  const float span = static_cast<float>(fill.high - fill.low);
  constexpr float kUnit = 0x1p-24f;  // 24 bits: every value of the unit interval is exact
  for (std::size_t j = 0; j < kChunk; ++j) {
    out[j] = low + static_cast<float>(static_cast<std::int32_t>(words[j] >> 8)) * kUnit * span;
  }
}

double uniform_double(std::uint64_t key, std::uint64_t i, const Fill& fill) {
  return fill.low + static_cast<double>(random_bits(key, i) >> 11) * 0x1p-53 * (fill.high - fill.low);
}

// Sum of eight 16-bit uniforms: bell-shaped to 4.9 deviations, and the same everywhere, unlike anything made with log.
double normal_double(std::uint64_t key, std::uint64_t i, const Fill& fill) {
  constexpr double kMean = 8 * 32767.5;
  constexpr double kDeviation = 53509.91;              // sqrt(8 * (65536^2 - 1) / 12)
  constexpr std::uint64_t kLow = 0x0000ffff0000ffffu;  // two 16-bit values, each with room to add eight
  const std::uint64_t a = random_bits(key, 2 * i), b = random_bits(key, 2 * i + 1);
  const std::uint64_t pair = (a & kLow) + ((a >> 16) & kLow) + (b & kLow) + ((b >> 16) & kLow);
  const auto sum = static_cast<std::int32_t>((pair & 0xffffffffu) + (pair >> 32));
  return fill.low + fill.high * ((sum - kMean) * (1 / kDeviation));
}

double random_integer(std::uint64_t key, std::uint64_t i, const Fill& fill) {
  const auto low = static_cast<std::int64_t>(fill.low);
  const auto span = static_cast<std::uint64_t>(static_cast<std::int64_t>(fill.high) - low) + 1;
  // The high half of a 128-bit product spreads 64 random bits evenly over the span (Lemire's method without rejection).
  __extension__ using Wide = unsigned __int128;
  const auto offset = static_cast<std::uint64_t>((static_cast<Wide>(random_bits(key, i)) * span) >> 64);
  return static_cast<double>(low + static_cast<std::int64_t>(offset));
}

template <class T>
void fill_chunk(std::uint64_t key, std::uint64_t first, const Fill& fill, std::array<T, kChunk>& out) {
  switch (fill.kind) {
    case Fill::Kind::uniform:
      if constexpr (std::is_same_v<T, float>) {
        uniform_floats(key, first, fill, out);
      } else {
        for (std::size_t j = 0; j < kChunk; ++j) out[j] = from_double<T>(uniform_double(key, first + j, fill));
      }
      break;
    case Fill::Kind::normal:
      for (std::size_t j = 0; j < kChunk; ++j) out[j] = from_double<T>(normal_double(key, first + j, fill));
      break;
    case Fill::Kind::integers:
      for (std::size_t j = 0; j < kChunk; ++j) out[j] = from_double<T>(random_integer(key, first + j, fill));
      break;
    case Fill::Kind::constant:
      out.fill(from_double<T>(fill.low));
      break;
    case Fill::Kind::sequence:
    case Fill::Kind::permutation: {  // a permutation starts as the sequence and is shuffled as a whole
      const double step = fill.kind == Fill::Kind::sequence ? fill.high : 1;
      for (std::size_t j = 0; j < kChunk; ++j) {
        out[j] = from_double<T>(fill.low + static_cast<double>(first + j) * step);
      }
      break;
    }
  }
}

template <class T>
void shuffle(std::uint64_t key, std::byte* bytes, std::uint64_t count) {  // Fisher and Yates
  for (std::uint64_t i = count; i > 1; --i) {
    const std::uint64_t j = random_bits(key, i) % i;
    std::byte* a = bytes + (i - 1) * sizeof(T);
    std::byte* b = bytes + j * sizeof(T);
    std::swap_ranges(a, a + sizeof(T), b);
  }
}

template <class T>
std::vector<std::byte> generate(std::uint64_t key, const Fill& fill, std::uint64_t count) {
  std::vector<std::byte> bytes;
  bytes.reserve(count * sizeof(T));
  std::array<T, kChunk> chunk;
  for (std::uint64_t first = 0; first < count; first += kChunk) {
    fill_chunk<T>(key, first, fill, chunk);
    const std::byte* begin = reinterpret_cast<const std::byte*>(chunk.data());
    bytes.insert(bytes.end(), begin, begin + std::min<std::uint64_t>(kChunk, count - first) * sizeof(T));
  }
  if (fill.kind == Fill::Kind::permutation) shuffle<T>(key, bytes.data(), count);
  return bytes;
}

}  // namespace

std::uint64_t Buffer::count() const {
  std::uint64_t n = 1;
  for (const std::int64_t extent : shape) n *= static_cast<std::uint64_t>(extent);
  return n;
}

std::map<std::string, Buffer> generate_inputs(const catalogue::Exercise& exercise, const catalogue::Case& one,
                                              const catalogue::Names& names, std::uint64_t seed) {
  using catalogue::Role;
  std::map<std::string, Buffer> inputs;
  for (const catalogue::Argument& argument : exercise.arguments) {
    if (argument.role == Role::out || argument.role == Role::size) continue;
    Buffer buffer{argument.name, argument.type, catalogue::resolve_shape(argument, names), {}};
    Fill fill;
    if (const auto special = one.fills.find(argument.name); special != one.fills.end()) {
      fill = special->second;
    } else if (argument.fill) {
      fill = *argument.fill;
    } else {
      fill.kind = Fill::Kind::constant;
      fill.low = argument.value.value_or(0);
    }
    const std::uint64_t key = catalogue::key_of(seed, one.name + "/" + argument.name);
    buffer.bytes = with_type(argument.type, [&](auto t) { return generate<decltype(t)>(key, fill, buffer.count()); });
    inputs.emplace(argument.name, std::move(buffer));
  }
  return inputs;
}

}  // namespace judge::check
