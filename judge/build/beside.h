#pragma once
// What the student's file may include from beside it, under names that are safe in the shell that nvcc starts. The
// compiler works in a folder with a plain name. There kBeside is a link to the source's own folder, whatever that is
// called, and kCopies holds the included files that the box's user could not read there (root's, behind a closed folder
// or with a closed mode). kCommon holds the course's own header, common.cuh, which is found wherever the source lies.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace judge::build {

inline constexpr const char* kBeside = "judge_beside";
inline constexpr const char* kCopies = "judge_copies";
inline constexpr const char* kCommon = "judge_common";
inline constexpr const char* kBelowCommon = "judge_common/below";  // from here it is "../common.cuh"
inline constexpr const char* kCommonHeader = "common.cuh";

// Makes both in `work`; returns what the box must be able to read. `source` is the text whose includes are looked for;
// files that are included through a macro are found through the link only.
std::vector<std::filesystem::path> provide_neighbours(const std::filesystem::path& work,
                                                      const std::filesystem::path& source_dir,
                                                      const std::string& source);

// The header's bytes; nullopt when `header` is empty or there is no such file.
std::optional<std::string> read_common(const std::filesystem::path& header);
void provide_common(const std::filesystem::path& work, const std::optional<std::string>& bytes);

// The compiler's words for a file beside the source, "judge_beside/a.h", as the student's: "a.h". In any text.
std::string without_work_names(std::string text);

// A path in `work`, as a make rule names it, as the path of the file it stands for.
std::filesystem::path original_of(const std::filesystem::path& in_work, const std::filesystem::path& work,
                                  const std::filesystem::path& source_dir);

}  // namespace judge::build
