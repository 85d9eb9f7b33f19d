// The corpus, damaged in 20,000 deterministic ways: parse and validate give a module or a ParseError, nothing else.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "catch.h"
#include "tests/unit/ptx/snippets.h"

using namespace judge::emulator::ptx;

namespace {

constexpr int mutations = 20000;
constexpr std::size_t window = 3000;  // bytes of one input; what matters is the variety, not the length

std::vector<std::string> texts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(JUDGE_SOURCE_DIR) / "tests/ptx_corpus")) {
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // the order of a directory is not deterministic
  std::vector<std::string> result;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    result.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return result;
}

// std::mt19937 is the same everywhere, the distributions of the library are not.
std::size_t below(std::mt19937& random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

void mutate(std::string& text, const std::string& other, std::mt19937& random) {
  static const std::string pieces[] = {
      "{",
      "}",
      "(",
      ")",
      "[",
      "]",
      ";",
      ",",
      "|",
      "!",
      "@",
      "-",
      "::",
      ".b32",
      ".v4",
      ".reg .b32 %r<7>;",
      "%r<99999999>",
      "0x",
      "0f",
      "1e400",
      "18446744073709551616",
      "\"",
      "/*",
      "//",
      "L:",
      "call",
      "bra",
      "%tid.x",
      "_",
      ".param",
      "<",
      "\n",
      std::string(1, '\0'),
      "\xff",
      ".branchtargets",
      ".callprototype",
      "= {",
      "0xFF(x)",
      "?",
      ":",
      "generic(",
      ".loc 1 2 3",
  };
  const std::size_t at = below(random, text.size());
  switch (below(random, 6)) {
    case 0:
      text[at] = static_cast<char>(random());
      break;
    case 1:
      text.erase(at, 1 + below(random, 20));
      break;
    case 2:
      text.insert(at, pieces[below(random, std::size(pieces))]);
      break;
    case 3:
      text.insert(at, text.substr(below(random, text.size()), 1 + below(random, 200)));
      break;
    case 4:
      text.insert(at, other.substr(below(random, other.size()), 1 + below(random, 200)));
      break;
    default:
      text.resize(std::max<std::size_t>(1, at));
      break;
  }
}

}  // namespace

TEST_CASE("damaged text never does more than fail") {
  const std::vector<std::string> inputs = texts();
  REQUIRE(inputs.size() == 21);
  std::mt19937 random(20250);
  std::size_t parsed = 0, valid = 0;
  for (int i = 0; i < mutations; ++i) {
    const std::string& source = inputs[below(random, inputs.size())];
    // The head, so that the module begins well, and a stretch from anywhere behind it, begun at a line.
    const std::size_t body = source.find("\n{\n");
    std::string text = source.substr(0, std::min(body == std::string::npos ? source.size() : body + 3, window));
    const std::size_t line = source.find('\n', below(random, source.size()));
    if (random() % 2 == 0 && line != std::string::npos) {
      text += source.substr(line, window);
    } else {
      text = source.substr(0, 3 * window);
    }
    for (std::size_t n = below(random, 4); n > 0; --n) mutate(text, inputs[below(random, inputs.size())], random);
    try {
      const Module module = parse(std::move(text));
      ++parsed;
      validate(module);
      ++valid;
    } catch (const ParseError& error) {
      if (error.at.line < 1 || error.at.column < 1) FAIL("no position: " << error.what());
    }
  }
  CHECK(parsed > 100);  // the mutations are not all so coarse that nothing behind the first error is reached
  CHECK(valid > 50);
  CHECK(parsed < mutations / 2);
}
