#pragma once
// Inputs, CPU reference, comparison with tolerances, and a diagnosis of the shape of a mismatch.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "judge/catalogue/catalogue.h"

namespace judge::check {

struct Buffer {
  std::string name;
  catalogue::Element type = catalogue::Element::float32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  std::uint64_t count() const;
};

// Inputs of one case: the buffers of role in and inout, and each scalar as a buffer of one element without a shape. The
// same seed gives the same bytes on every machine. Thread count does not matter.
std::map<std::string, Buffer> generate_inputs(const catalogue::Exercise& exercise, const catalogue::Case& one,
                                              const catalogue::Names& names, std::uint64_t seed);

// Runs the CPU reference (a library from build::build_reference) in a child process: a crash or a hang there is a fault of
// the exercise, thrown as ReferenceError, never the student's. Returns out and inout buffers by name.
std::map<std::string, Buffer> run_reference(const std::filesystem::path& library, const catalogue::Exercise& exercise,
                                            const catalogue::Names& names, const std::map<std::string, Buffer>& inputs,
                                            std::chrono::milliseconds limit = std::chrono::seconds(30));
class ReferenceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The object representation of a size argument: its value as the C++ type of the entry's parameter.
std::vector<std::byte> size_bytes(const catalogue::Argument& argument, std::int64_t value);

struct Mismatch {
  std::uint64_t index = 0;             // linear
  std::vector<std::int64_t> position;  // per dimension
  double got = 0, expected = 0, allowed = 0;  // allowed = atol + rtol * |expected|
  bool unwritten = false;
};

enum class Shape : std::uint8_t {  // of the set of wrong elements
  none, all_zero, all_unwritten, some_unwritten, not_finite, last_block, block_edges, every_kth, shifted, scaled, swapped,
  imprecise, tail, head, scattered, everything
};
std::string_view to_string(Shape shape);

struct Diagnosis {
  Shape shape = Shape::none;
  std::string sentence;     // "The wrong elements are the first 8 of every 256: the left edge of each block."
  // every_kth: wrong where index % period == offset. shifted: got[i] is expected[i + offset]. block_edges: period is the
  // block's elements, offset how many are wrong at an edge.
  std::int64_t period = 0, offset = 0;
};

struct Comparison {
  std::string buffer;
  std::uint64_t total = 0, wrong = 0, unwritten = 0;
  double largest_error = 0;           // largest |got - expected| / allowed among finite ones; / 1 where 0 is allowed
  std::vector<Mismatch> first;        // at most 8
  Diagnosis diagnosis;
  bool ok() const { return wrong == 0; }
};

// written: one bit per byte, LSB first, empty when not tracked. block_threads: the launch's block size, 0 when not known.
// NaN equals only NaN where the reference has one; infinities must match in sign. An element with a byte that was not
// written is wrong whatever it holds, so pass an empty `written` for inout buffers: there, leaving a value alone is fair.
// Sizes of `got` and `written` need not fit: what is missing counts as not written.
Comparison compare(const Buffer& expected, std::span<const std::byte> got, std::span<const std::uint8_t> written,
                   double rtol, double atol, std::uint64_t block_threads);

}  // namespace judge::check
