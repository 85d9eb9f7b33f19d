#include "judge/catalogue/catalogue.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "judge/catalogue/random.h"

namespace judge::catalogue {

namespace {

struct ElementFacts {
  Element element;
  std::uint32_t bytes;
  std::string_view name, cpp_type;
};

constexpr std::array kElements = {
    ElementFacts{Element::float32, 4, "float32", "float"},
    ElementFacts{Element::float64, 8, "float64", "double"},
    ElementFacts{Element::float16, 2, "float16", "__half"},
    ElementFacts{Element::int8, 1, "int8", "signed char"},
    ElementFacts{Element::uint8, 1, "uint8", "unsigned char"},
    ElementFacts{Element::int32, 4, "int32", "int"},
    ElementFacts{Element::uint32, 4, "uint32", "unsigned int"},
    ElementFacts{Element::int64, 8, "int64", "long long"},
    ElementFacts{Element::uint64, 8, "uint64", "unsigned long long"},
};

const ElementFacts& facts(Element e) {
  return kElements[static_cast<std::size_t>(e)];
}

}  // namespace

std::uint32_t bytes_of(Element e) {
  return facts(e).bytes;
}
std::string_view to_string(Element e) {
  return facts(e).name;
}
std::string_view cpp_type(Element e) {
  return facts(e).cpp_type;
}

namespace {

std::string numbered(int id, const std::string& slug) {
  std::string number = std::to_string(id);
  number.insert(0, number.size() < 3 ? 3 - number.size() : 0, '0');
  return number + "_" + slug;
}

}  // namespace

std::string Exercise::folder_name() const {
  return numbered(id, slug);
}
std::string Quiz::folder_name() const {
  return numbered(id, slug);
}

const Exercise* Catalogue::find(int id) const {
  const auto found = std::find_if(exercises.begin(), exercises.end(), [&](const Exercise& e) { return e.id == id; });
  return found == exercises.end() ? nullptr : &*found;
}

const Exercise* Catalogue::find(const std::string& id_or_slug) const {
  int id = 0;
  const char* end = id_or_slug.data() + id_or_slug.size();
  const auto [stop, error] = std::from_chars(id_or_slug.data(), end, id);
  if (error == std::errc() && stop == end) return find(id);
  const auto found = std::find_if(exercises.begin(), exercises.end(), [&](const Exercise& e) {
    return e.slug == id_or_slug || e.folder_name() == id_or_slug;
  });
  return found == exercises.end() ? nullptr : &*found;
}

Names resolve_sizes(const Exercise& exercise, const Case& one, std::uint64_t seed) {
  Names names(exercise.constants.begin(), exercise.constants.end());
  for (const auto& [name, size] : one.sizes) {
    if (const auto* fixed = std::get_if<std::int64_t>(&size)) {
      names[name] = *fixed;
      continue;
    }
    const auto [low, high] = std::get<std::pair<std::int64_t, std::int64_t>>(size);
    const std::uint64_t span = static_cast<std::uint64_t>(high - low) + 1;
    // The modulo's bias is below 2^-20 for any size that fits in memory.
    names[name] = low + static_cast<std::int64_t>(random_bits(key_of(seed, one.name + "/" + name), 0) % span);
  }
  return names;
}

std::vector<std::int64_t> resolve_shape(const Argument& argument, const Names& names) {
  std::vector<std::int64_t> shape;
  shape.reserve(argument.shape.size());
  for (const Expression& dimension : argument.shape) shape.push_back(dimension.evaluate_integer(names));
  return shape;
}

}  // namespace judge::catalogue
