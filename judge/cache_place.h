#pragma once
// Where compiled submissions are kept when the caller names no folder.

#include <filesystem>

namespace judge {

// $CUDA_JUDGE_CACHE, where that is set. Else root/build/cache, where it can be written. Else, in a checkout of another
// user's, the user's own: $XDG_CACHE_HOME/cuda-judge or ~/.cache/cuda-judge.
std::filesystem::path default_cache_dir(const std::filesystem::path& root);

// Whether the folder, or the nearest one above it that exists, can be written.
bool can_hold_cache(const std::filesystem::path& folder);

}  // namespace judge
