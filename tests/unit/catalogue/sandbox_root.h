#pragma once
// A repository root in a temporary folder, with one small exercise, that tests may spoil.

#include <filesystem>
#include <string>

class SandboxRoot {
 public:
  SandboxRoot();
  ~SandboxRoot();
  SandboxRoot(const SandboxRoot&) = delete;
  SandboxRoot& operator=(const SandboxRoot&) = delete;

  const std::filesystem::path& path() const { return root_; }
  void write(const std::filesystem::path& relative, const std::string& text) const;
  void write_catalogue(const std::string& text) const { write("exercises.json", text); }

 private:
  std::filesystem::path root_;
};

// A valid catalogue; tests refer to its lines by number.
extern const std::string kGoodCatalogue;

// `text` with its only occurrence of `from` replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to);
