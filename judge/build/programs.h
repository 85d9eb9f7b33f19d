#pragma once
// Where the compilers are, and reading files that others may have written.

#include <filesystem>
#include <optional>
#include <string>

namespace judge::build {

std::filesystem::path toolkit_root(const std::filesystem::path& nvcc);  // the folder above bin/, links resolved
std::optional<std::filesystem::path> program_on_path(const std::string& name);
std::filesystem::path host_compiler();  // throws ToolchainError

// A regular file's bytes (no link, FIFO or device); nullopt when there is none or it is longer than the cap.
std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t cap);
std::optional<std::string> read_open_file(int fd, std::size_t cap);  // the same of one that is open; does not close it
// Identity of a file without reading it: path, size, modification time.
std::string file_stamp(const std::filesystem::path& path);

}  // namespace judge::build
