#include "judge/build/resources.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <regex>
#include <sstream>

namespace judge::build {
namespace {

// "f(float*)" -> "f", also for "void s::f<int>(float*)": the list is the last balanced pair of parentheses. A
// template's return type goes too, being no part of its name.
std::string without_parameters(const std::string& signature) {
  std::size_t end = signature.rfind(')');
  if (end == std::string::npos) return signature;
  int depth = 0;
  std::size_t begin = end + 1;
  while (begin-- > 0) {
    if (signature[begin] == ')') ++depth;
    if (signature[begin] == '(' && --depth == 0) break;
  }
  if (begin == std::string::npos || begin == 0) return signature;
  std::string name = signature.substr(0, begin);
  int angle = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++angle;
    if (name[i] == '>') --angle;
    if (name[i] == ' ' && angle == 0 && name.compare(i + 1, std::string::npos, "namespace)") != 0 &&
        (i == 0 || name.compare(i - std::min<std::size_t>(i, 10), std::min<std::size_t>(i, 10), "(anonymous") != 0))
      start = i + 1;
  }
  return name.substr(start);
}

std::uint32_t number_before(const std::string& line, const char* words) {
  const std::size_t at = line.find(words);
  if (at == std::string::npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && (line[begin - 1] == ' ' || std::isdigit(static_cast<unsigned char>(line[begin - 1])))) --begin;
  return static_cast<std::uint32_t>(std::strtoul(line.c_str() + begin, nullptr, 10));
}

std::uint32_t constant_bytes(const std::string& line) {
  static const std::regex bank(R"((\d+) bytes cmem\[\d+\])");
  std::uint32_t sum = 0;
  for (std::sregex_iterator it(line.begin(), line.end(), bank), end; it != end; ++it)
    sum += static_cast<std::uint32_t>(std::strtoul((*it)[1].str().c_str(), nullptr, 10));
  return sum;
}

}  // namespace

std::string demangle(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && name ? name.get() : symbol;
}

std::string demangle_names_in(const std::string& sentence) {
  static const std::regex mangled(R"(_Z[A-Za-z0-9_]{1,500})");
  std::string text;
  std::size_t done = 0;
  for (std::sregex_iterator it(sentence.begin(), sentence.end(), mangled), end; it != end; ++it) {
    text += sentence.substr(done, static_cast<std::size_t>(it->position()) - done) + demangle(it->str());
    done = static_cast<std::size_t>(it->position() + it->length());
  }
  return text + sentence.substr(done);
}

std::vector<KernelResources> parse_resources(const std::string& compiler_output, const std::string& target) {
  static const std::regex compiling(R"(Compiling entry function '([^']+)' for '([^']+)')");
  static const std::regex properties(R"(Function properties for (\S+))");
  std::vector<KernelResources> kernels;
  bool current = false;    // the kernel being read is one for `target`
  bool of_kernel = false;  // the stack line that follows is the kernel's own, not a called function's
  std::string symbol;
  std::istringstream lines(compiler_output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.find("Compiling entry function") != std::string::npos && std::regex_search(line, match, compiling)) {
      symbol = match[1];
      current = match[2] == target;
      if (current) kernels.push_back({without_parameters(demangle(symbol)), 0, 0, 0, 0, 0, 0});
    } else if (line.find("Function properties for") != std::string::npos &&
               std::regex_search(line, match, properties)) {
      of_kernel = match[1] == symbol;
    } else if (current && of_kernel && line.find("bytes stack frame") != std::string::npos) {
      kernels.back().stack_bytes = number_before(line, "bytes stack frame");
      kernels.back().spill_store_bytes = number_before(line, "bytes spill stores");
      kernels.back().spill_load_bytes = number_before(line, "bytes spill loads");
    } else if (current && line.find(": Used ") != std::string::npos) {
      kernels.back().registers = static_cast<int>(number_before(line, "registers"));
      kernels.back().shared_bytes = number_before(line, "bytes smem");
      kernels.back().constant_bytes = constant_bytes(line);
      current = false;
    }
  }
  return kernels;
}

}  // namespace judge::build
