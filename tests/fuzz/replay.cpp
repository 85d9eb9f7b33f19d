// The bounded run of a fuzz target that needs no libFuzzer: every seed, then mutations of seeds that are the same each
// time. Arguments: how many mutations, then files and folders of seeds.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kWindow = 6000;  // bytes of a mutated input: what matters is the variety, not the length

std::vector<std::string> seeds(char** first, char** last) {
  std::vector<std::filesystem::path> paths;
  for (; first != last; ++first) {
    if (!std::filesystem::is_directory(*first)) {
      paths.emplace_back(*first);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(*first))
      if (entry.path().extension() == ".ptx" || entry.path().extension() == ".fatbin") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // the order of a folder is not deterministic
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

// std::mt19937 is the same everywhere, the distributions of the library are not.
std::size_t below(std::mt19937& random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

std::string mutated(const std::vector<std::string>& all, std::mt19937& random) {
  static const char* const kNumbers[] = {"0",  "-1", "4294967295", "9223372036854775807", "0x7fffffff", "65536",
                                         "31", "32", "-8",         "18446744073709551615"};
  const std::string& whole = all[below(random, all.size())];
  std::string text = whole.size() <= kWindow ? whole : whole.substr(0, kWindow);
  for (std::size_t n = 1 + below(random, 4); n > 0 && !text.empty(); --n) {
    const std::size_t at = below(random, text.size());
    switch (below(random, 6)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + below(random, 20));
        break;
      case 2: {  // a piece of another seed
        const std::string& other = all[below(random, all.size())];
        text.insert(at, other.substr(below(random, other.size()), below(random, 60)));
        break;
      }
      case 3: {  // another number
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        const std::size_t end = std::min(text.find_first_not_of("0123456789abcdefx", digit), text.size());
        text.replace(digit, end - digit, kNumbers[below(random, std::size(kNumbers))]);
        break;
      }
      case 4: {  // two lines change places
        const std::size_t a = text.find('\n', at), b = a == std::string::npos ? a : text.find('\n', a + 1);
        const std::size_t c = b == std::string::npos ? b : text.find('\n', b + 1);
        if (c != std::string::npos)
          text = text.substr(0, a) + text.substr(b, c - b) + text.substr(a, b - a) + text.substr(c);
        break;
      }
      default:
        text.resize(at);
    }
  }
  return text;
}

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MUTATIONS SEEDS…\n", argv[0]);
    return 2;
  }
  const auto all = seeds(argv + 2, argv + argc);
  if (all.empty()) {
    std::fprintf(stderr, "no seeds: files ending in .ptx or .fatbin are expected\n");
    return 1;
  }
  for (const auto& text : all) run(text);
  std::mt19937 random(1);
  const long mutations = std::strtol(argv[1], nullptr, 10);
  for (long k = 0; k < mutations; ++k) run(mutated(all, random));
  std::printf("%zu seeds and %ld mutations: no crash\n", all.size(), mutations);
  return 0;
}
