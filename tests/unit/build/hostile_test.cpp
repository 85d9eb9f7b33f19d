// Sources that attack the compiler or the judge through it. Each ends in a compile error with a reason, soon.
#include "catch.h"
#include "workshop.h"

using namespace judge::build;
using Catch::Matchers::Contains;

namespace {

const std::string kEntry = "void scale(const float* x, float* y, int n) {}\n";

Result attempt(const Workshop& shop, const std::string& source, int seconds = 30) {
  Request request = shop.request(source);
  request.wall_limit = std::chrono::seconds(seconds);
  return build(request, toolchain());
}

}  // namespace

TEST_CASE("a source at the size limit is looked at, one byte more is refused without a compiler") {
  Workshop shop;
  const std::string big = "#error looked at\n" + std::string((1 << 20) - 17, '\n');
  REQUIRE(big.size() == 1 << 20);
  CHECK_THAT(text_of(attempt(shop, big)), Contains("looked at"));
  const Result refused = attempt(shop, big + "\n");
  CHECK(!refused.ok);
  CHECK_THAT(text_of(refused), Contains("1048577 bytes"));
  CHECK(refused.wall_ms < 100);
}

TEST_CASE("a NUL byte is refused at its line") {
  Workshop shop;
  const Result result = attempt(shop, "int a;\n" + std::string(1, '\0') + "\n");
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].line == 2);
  CHECK_THAT(result.diagnostics[0].text, Contains("NUL"));
}

TEST_CASE("files outside of the box cannot be included or embedded") {
  Workshop shop;
  const Result password = attempt(shop, "#include \"/etc/passwd\"\n" + kEntry);
  CHECK(!password.ok);
  CHECK(text_of(password).find("root:") == std::string::npos);
  CHECK_THAT(text_of(password), Contains("/etc/passwd"));
  const Result embedded = attempt(shop, "asm(\".incbin \\\"/etc/passwd\\\"\");\n" + kEntry);
  CHECK(!embedded.ok);
}

TEST_CASE("a file that includes itself, and an endless device, end with a reason") {
  Workshop shop;
  const Result self = attempt(shop, "#include \"scale.cu\"\n" + kEntry);
  CHECK(!self.ok);
  CHECK_THAT(text_of(self), Contains("nested"));
  const Result zero = attempt(shop, "#include \"/dev/zero\"\n" + kEntry, 20);
  INFO(text_of(zero));
  CHECK(!zero.ok);
  CHECK(!zero.diagnostics.empty());
  CHECK(!shop.leftovers());
}

TEST_CASE("a compilation without end meets the wall limit") {
  Workshop shop;
  const Result bomb =
      attempt(shop,
              "template <int N, int M> struct T { static constexpr long v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M "
              "+ 1>::v; };\n"
              "template <int M> struct T<0, M> { static constexpr long v = M; };\n"
              "static_assert(T<29, 1>::v != 0, \"\");\n" +
                  kEntry,
              3);
  CHECK(!bomb.ok);
  CHECK(bomb.timed_out);
  CHECK_THAT(text_of(bomb), Contains("did not finish within 3 s"));
  CHECK(bomb.wall_ms < 15'000);
  CHECK(shop.entries() == 0);  // another day it may be faster
  CHECK(!shop.leftovers());
}

TEST_CASE("the judge's thunk cannot be taken over") {
  Workshop shop;
  const Result result = attempt(shop, kEntry + "extern \"C\" void judge_entry(void** a) {}\n");
  CHECK(!result.ok);
  CHECK_THAT(text_of(result), Contains("judge_entry belongs to the judge"));
  CHECK(result.diagnostics[0].line == 2);
}
