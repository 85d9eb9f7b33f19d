#include "judge/report/text.h"

#include <cmath>

#include "catch.h"

using namespace judge::report;

TEST_CASE("columns: wide, combining and coloured characters") {
  CHECK(columns("") == 0);
  CHECK(columns("abc") == 3);
  CHECK(columns("卷积") == 4);
  CHECK(columns("一维 halo。") == 11);  // 2+2+1+4+2
  CHECK(columns("e\xCC\x81") == 1);     // e and a combining acute
  CHECK(columns("\x1b[31mred\x1b[0m") == 3);
  CHECK(columns("✓ ×") == 3);
  CHECK(columns("\xFF") == 1);  // shown as one replacement character
}

TEST_CASE("clean: nothing that moves the cursor is left") {
  CHECK(clean("a\x1b[2Jb") == "a␛[2Jb");
  CHECK(clean("a\tb") == "a    b");
  CHECK(clean("a\nb") == "a␊b");
  CHECK(clean(std::string_view("\0\x7f", 2)) == "␀␡");
  CHECK(clean("\xC2\x9B") == "\xEF\xBF\xBD");                              // C1 CSI
  CHECK(clean("\xE2\x80\xAE") == "\xEF\xBF\xBD");                          // right-to-left override
  CHECK(clean("\xC0\xAF") == "\xEF\xBF\xBD\xEF\xBF\xBD");                  // an overlong slash is two invalid bytes
  CHECK(clean("\xED\xA0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
  CHECK(clean("一") == "一");
  CHECK(clean("abcdef", 5) == "abcde…");
  CHECK(clean("abcde", 5) == "abcde");
}

TEST_CASE("cut: at the limit, one below and one above") {
  CHECK(cut("abcd", 5) == "abcd");
  CHECK(cut("abcde", 5) == "abcde");
  CHECK(cut("abcdef", 5) == "abcd…");
  CHECK(cut("一二三", 5) == "一二…");
  CHECK(cut("一二三", 4) == "一…");
}

TEST_CASE("wrap: at spaces, between wide characters, inside a word only when it must") {
  using Lines = std::vector<std::string>;
  CHECK(wrap("", 10) == Lines{""});
  CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrap("one two three", 8) == Lines{"one two", "three"});
  CHECK(wrap("abcdefgh ij", 4) == Lines{"abcd", "efgh", "ij"});
  CHECK(wrap("一二三四", 4) == Lines{"一二", "三四"});
  CHECK(wrap("一二，三", 4) == Lines{"一", "二，", "三"});  // a comma does not begin a line
  CHECK(wrap("用 shared 内存", 9) == Lines{"用 shared", "内存"});
  CHECK(wrap("\x1b[1mone two\x1b[0m", 4) == Lines{"\x1b[1mone", "two\x1b[0m"});
}

TEST_CASE("numbers") {
  CHECK(grouped(std::uint64_t{0}) == "0");
  CHECK(grouped(std::uint64_t{999}) == "999");
  CHECK(grouped(std::uint64_t{1000}) == "1,000");
  CHECK(grouped(std::uint64_t{4194427}) == "4,194,427");
  CHECK(grouped(std::uint64_t{18446744073709551615u}) == "18,446,744,073,709,551,615");
  CHECK(grouped(std::int64_t{-1}) == "-1");
  CHECK(grouped(INT64_MIN) == "-9,223,372,036,854,775,808");
  CHECK(number(std::nan("")) == "NaN");
  CHECK(number(-INFINITY) == "-inf");
  CHECK(number(0.1) == "0.1");
  CHECK(number(1.0 / 3) == "0.3333333");
  CHECK(figure(20133249.6) == "20,133,249.6");
  CHECK(figure(999.96) == "999.960");
  CHECK(figure(1999.96) == "2,000.0");
  CHECK(figure(-1234.5) == "-1,234.5");
  CHECK(figure(INFINITY) == "inf");
  CHECK(figure(17824000) == "17,824,000");
  CHECK(figure(0.9) == "0.900");
}
