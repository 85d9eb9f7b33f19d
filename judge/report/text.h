#pragma once
// Text on a terminal: columns of UTF-8, wrapping, and making foreign text harmless.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace judge::report {

// Columns that the text takes: 2 for East Asian wide characters, 0 for combining ones and for our colour sequences.
int columns(std::string_view text);

// Bytes of the student or of a tool, made safe to print: control characters become visible pictures, direction marks
// and invalid UTF-8 become U+FFFD, tabs become spaces. At most `cap` bytes are looked at; "…" says that something was
// cut.
std::string clean(std::string_view foreign, std::size_t cap = 2000);

// At most `limit` columns; "…" at the end when something was cut. For text without colour.
std::string cut(std::string_view text, int limit);

std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

// Lines of at most `limit` columns, broken at spaces and between wide characters, in a word only when it has to be.
std::vector<std::string> wrap(std::string_view text, int limit);

std::string grouped(std::int64_t n);  // 4,194,427
std::string grouped(std::uint64_t n);
std::string number(double value);  // of a mismatch: up to 7 digits, "NaN", "inf"
std::string figure(double value);  // of a metric: 17,824,000, 20,133,249.6, 0.900

}  // namespace judge::report
