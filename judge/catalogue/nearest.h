#pragma once
// "did you mean …?": the valid name nearest to a misspelt one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace judge::catalogue {

// Fewest insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Nothing when no candidate is near enough to be what the author meant: at most a third of the name may differ.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean \"n\"?", or an empty string.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace judge::catalogue
