// Synthetic mistakes in a known output, and the shape and sentence each must get.

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "catch.h"
#include "judge/catalogue/random.h"
#include "judge/check/check.h"

using namespace judge::check;
using judge::catalogue::Element;

namespace {

using Values = std::vector<float>;

Values truth(std::size_t n) {  // nothing periodic, nothing near zero
  Values v(n);
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = 1.0f + static_cast<float>(judge::catalogue::random_bits(5, i) >> 40) * 0x1p-24f;
  }
  return v;
}

Diagnosis diagnosed(const Values& expected, const Values& got, std::uint64_t block = 256,
                    const std::vector<std::uint8_t>& written = {}, std::vector<std::int64_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(expected.size())};
  Buffer b{"y", Element::float32, std::move(shape), std::vector<std::byte>(4 * expected.size())};
  std::memcpy(b.bytes.data(), expected.data(), b.bytes.size());
  return compare(b, std::as_bytes(std::span(got)), written, 1e-4, 1e-5, block).diagnosis;
}

// The right output with the elements chosen by `spoil` wrong.
Diagnosis spoiled(std::size_t n, const std::function<bool(std::size_t)>& spoil, std::uint64_t block = 256) {
  const Values expected = truth(n);
  Values got = expected;
  for (std::size_t i = 0; i < n; ++i) {
    if (spoil(i)) got[i] = 3.0f + static_cast<float>(judge::catalogue::random_bits(6, i) >> 40) * 0x1p-24f;
  }
  return diagnosed(expected, got, block);
}

}  // namespace

TEST_CASE("a missing left halo", "[diagnose]") {
  // The first block is right: left of the array is zero, as in the missing halo.
  const Diagnosis d = spoiled(10007, [](std::size_t i) { return i >= 256 && i % 256 < 8; });
  CHECK(d.shape == Shape::block_edges);
  CHECK(d.sentence == "The wrong elements are the first 8 of every 256: the left edge of each block.");
  CHECK(d.period == 256);
  CHECK(d.offset == 8);
}

TEST_CASE("a missing right halo", "[diagnose]") {
  const Diagnosis d = spoiled(10007, [](std::size_t i) { return i < 9984 && i % 256 >= 248; });
  CHECK(d.shape == Shape::block_edges);
  CHECK(d.sentence == "The wrong elements are the last 8 of every 256: the right edge of each block.");
}

TEST_CASE("both halos missing", "[diagnose]") {
  const Diagnosis d =
      spoiled(10007, [](std::size_t i) { return i >= 248 && i < 9992 && (i % 256 < 8 || i % 256 >= 248); });
  CHECK(d.shape == Shape::block_edges);
  CHECK(d.sentence == "The wrong elements are the first 8 and the last 8 of every 256: both edges of each block.");
}

TEST_CASE("block edges with two blocks only, with gaps, and with one element", "[diagnose]") {
  CHECK(spoiled(300, [](std::size_t i) { return i >= 256 && i < 264; }).shape == Shape::block_edges);
  CHECK(spoiled(10007, [](std::size_t i) { return i >= 256 && i % 256 < 8 && i % 3 != 0; }).shape ==
        Shape::block_edges);
  const Diagnosis one = spoiled(10007, [](std::size_t i) { return i >= 256 && i % 256 == 0; });
  CHECK(one.shape == Shape::block_edges);
  CHECK(one.sentence == "The wrong elements are the first of every 256: the left edge of each block.");
  CHECK(spoiled(10007, [](std::size_t i) { return i % 256 < 64; }).shape == Shape::block_edges);
  CHECK(spoiled(10007, [](std::size_t i) { return i % 256 < 65; }).shape != Shape::block_edges);
}

TEST_CASE("four elements a thread make a block's part four times as wide", "[diagnose]") {
  const Diagnosis d = spoiled(100000, [](std::size_t i) { return i >= 1024 && i % 1024 < 8; });
  CHECK(d.shape == Shape::block_edges);
  CHECK(d.period == 1024);
  CHECK(d.sentence == "The wrong elements are the first 8 of every 1,024: the left edge of each block's elements.");
}

TEST_CASE("block edges without knowing the block", "[diagnose]") {
  const Diagnosis d = spoiled(
      10007, [](std::size_t i) { return i >= 128 && i % 128 < 4; }, 0);
  CHECK(d.shape == Shape::block_edges);
  CHECK(d.period == 128);
  CHECK_THAT(d.sentence, Catch::Contains("perhaps the left edge"));
}

TEST_CASE("every k-th element", "[diagnose]") {
  const Diagnosis d = spoiled(10007, [](std::size_t i) { return i % 4 == 3; });
  CHECK(d.shape == Shape::every_kth);
  CHECK(d.period == 4);
  CHECK(d.offset == 3);
  CHECK(d.sentence == "The wrong elements are every 4th one, from index 3 on.");
  CHECK_THAT(spoiled(10007, [](std::size_t i) { return i % 2 == 0; }).sentence, Catch::Contains("every 2nd one"));
  CHECK(spoiled(10007, [](std::size_t i) { return i % 33 == 5; }).shape == Shape::every_kth);
  CHECK(spoiled(10007, [](std::size_t i) { return i % 256 == 100; }).shape == Shape::every_kth);
}

TEST_CASE("the last block", "[diagnose]") {
  const Diagnosis d = spoiled(10007, [](std::size_t i) { return i >= 9984; });
  CHECK(d.shape == Shape::last_block);
  CHECK(d.sentence == "The wrong elements are all in the last block: 23 elements from index 9,984 on.");
  CHECK(spoiled(10007, [](std::size_t i) { return i >= 9990 && i < 10000; }).shape == Shape::last_block);
  CHECK(spoiled(10240, [](std::size_t i) { return i >= 9984; }).shape == Shape::last_block);
}

TEST_CASE("one end of the buffer", "[diagnose]") {
  const Diagnosis tail = spoiled(10007, [](std::size_t i) { return i >= 5000; });
  CHECK(tail.shape == Shape::tail);
  CHECK(tail.sentence == "The wrong elements are the last 5,007 elements, from index 5,000 on.");
  const Diagnosis head = spoiled(10007, [](std::size_t i) { return i < 100; });
  CHECK(head.shape == Shape::head);
  CHECK(head.sentence == "The wrong elements are the first 100 elements, up to index 99.");
  CHECK(spoiled(10007, [](std::size_t i) { return i == 0; }).sentence == "The wrong element is the first element.");
  CHECK(spoiled(
            10007, [](std::size_t i) { return i >= 9984; }, 0)
            .shape == Shape::tail);
}

TEST_CASE("one wrong element is spoken of as one", "[diagnose]") {
  CHECK(spoiled(
            10007, [](std::size_t i) { return i == 10006; }, 0)
            .sentence == "The wrong element is the last element.");
  CHECK(spoiled(10007, [](std::size_t i) { return i == 10000; }).sentence ==
        "The wrong element is in the last block: 23 elements from index 9,984 on.");
  const Values v = truth(8);
  const std::vector<std::uint8_t> written = {0xff, 0xff, 0x0f, 0xff};  // element 5
  CHECK(diagnosed(v, v, 256, written).sentence == "One element was never written. It is at index 5.");
}

TEST_CASE("all elements, and no pattern", "[diagnose]") {
  CHECK(spoiled(10007, [](std::size_t) { return true; }).shape == Shape::everything);
  CHECK(spoiled(1, [](std::size_t) { return true; }).shape == Shape::everything);
  const Diagnosis d = spoiled(10007, [](std::size_t i) { return judge::catalogue::random_bits(9, i) % 50 == 0; });
  CHECK(d.shape == Shape::scattered);
  CHECK(spoiled(10007, [](std::size_t i) { return i == 5000; }).sentence == "The wrong element is at index 5,000.");
}

TEST_CASE("zeros", "[diagnose]") {
  const Values expected = truth(1000);
  CHECK(diagnosed(expected, Values(1000, 0.0f)).shape == Shape::all_zero);
  Values got = expected;
  std::fill(got.begin() + 768, got.end(), 0.0f);
  const Diagnosis d = diagnosed(expected, got);
  CHECK(d.shape == Shape::last_block);
  CHECK_THAT(d.sentence, Catch::EndsWith(" They hold 0."));
}

TEST_CASE("not written", "[diagnose]") {
  const Values v = truth(1000);
  std::vector<std::uint8_t> written(500, 0);
  CHECK(diagnosed(v, v, 256, written).shape == Shape::all_unwritten);
  std::fill(written.begin(), written.begin() + 384, 0xff);  // 768 elements of 4 bytes
  const Diagnosis d = diagnosed(v, v, 256, written);
  CHECK(d.shape == Shape::some_unwritten);
  CHECK(d.sentence ==
        "Some elements were never written. They are all in the last block: 232 elements from index 768 on.");
}

TEST_CASE("NaN and infinity", "[diagnose]") {
  const Values expected = truth(1000);
  Values got = expected;
  for (std::size_t i = 0; i < 1000; i += 4) got[i] = std::numeric_limits<float>::quiet_NaN();
  const Diagnosis d = diagnosed(expected, got);
  CHECK(d.shape == Shape::not_finite);
  CHECK(d.sentence == "The wrong elements hold NaN. They are every 4th one, from index 0 on.");
  got[4] = std::numeric_limits<float>::infinity();
  CHECK_THAT(diagnosed(expected, got).sentence, Catch::Contains("NaN or infinity"));
}

TEST_CASE("shifted", "[diagnose]") {
  const Values expected = truth(1000);
  Values got(1000, 7.0f);
  std::copy(expected.begin() + 1, expected.end(), got.begin());
  Diagnosis d = diagnosed(expected, got);
  CHECK(d.shape == Shape::shifted);
  CHECK(d.offset == 1);
  CHECK(d.sentence == "Every element holds what belongs 1 place further on: an index is off by 1.");
  got.assign(1000, 7.0f);
  std::copy(expected.begin(), expected.end() - 8, got.begin() + 8);
  d = diagnosed(expected, got);
  CHECK(d.shape == Shape::shifted);
  CHECK(d.offset == -8);
  CHECK(d.sentence == "Every element holds what belongs 8 places before: an index is off by 8.");
}

TEST_CASE("swapped", "[diagnose]") {
  const Values expected = truth(35 * 20);
  CHECK_THAT(diagnosed(expected, Values(expected.rbegin(), expected.rend())).sentence, Catch::Contains("reverse"));
  Values pairs = expected;
  for (std::size_t i = 0; i < pairs.size(); i += 2) std::swap(pairs[i], pairs[i + 1]);
  CHECK_THAT(diagnosed(expected, pairs).sentence, Catch::Contains("pairs"));
  Values transposed(expected.size());
  for (std::size_t row = 0; row < 35; ++row) {
    for (std::size_t column = 0; column < 20; ++column) transposed[column * 35 + row] = expected[row * 20 + column];
  }
  const Diagnosis d = diagnosed(expected, transposed, 256, {}, {35, 20});
  CHECK(d.shape == Shape::swapped);
  CHECK_THAT(d.sentence, Catch::Contains("transposed"));
}

TEST_CASE("scaled", "[diagnose]") {
  const Values expected = truth(1000);
  Values got = expected;
  for (float& v : got) v *= 2;
  const Diagnosis d = diagnosed(expected, got);
  CHECK(d.shape == Shape::scaled);
  CHECK(d.sentence == "Every element is 2 times what it should be.");
  for (std::size_t i = 0; i < got.size(); ++i) got[i] = expected[i] / 17;
  CHECK_THAT(diagnosed(expected, got).sentence, Catch::Contains("0.0588235 times"));
  got[500] = 5;
  CHECK(diagnosed(expected, got).shape != Shape::scaled);
}

TEST_CASE("few elements do not make a rule of values", "[diagnose]") {
  const Values expected = truth(4);
  Values got = expected;
  got[1] = 2 * expected[1];
  got[2] = 2 * expected[2];
  CHECK(diagnosed(expected, got).shape == Shape::scattered);
}

TEST_CASE("every shape has a name", "[diagnose]") {
  CHECK(to_string(Shape::block_edges) == "block_edges");
  CHECK(to_string(Shape::everything) == "everything");
  CHECK(to_string(Shape::none) == "none");
}

TEST_CASE("small relative errors everywhere are a question of precision, not a factor of 1", "[diagnose]") {
  const Values expected = truth(1000);
  Values got = expected;
  for (std::size_t i = 0; i < got.size(); ++i) got[i] *= i % 2 == 0 ? 1.0005f : 0.9995f;
  const Diagnosis d = diagnosed(expected, got);
  CHECK(d.shape == Shape::imprecise);
  CHECK(d.sentence ==
        "All wrong elements are nearly right, with relative errors of at most 0.0005: a question of precision.");
  for (std::size_t i = 0; i < got.size(); ++i) got[i] = expected[i] * 1.0005f;  // all to one side
  CHECK(diagnosed(expected, got).shape == Shape::imprecise);
  got[500] = expected[500] * 1.002f;  // one is further off than rounding explains
  CHECK(diagnosed(expected, got).shape != Shape::imprecise);
}
