#pragma once
// Runs the probe in a box, in each way that a box can come about on this machine.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "judge/sandbox/sandbox.h"

namespace judge::sandbox {

struct Way {
  std::string name;
  bool as_ordinary_user = false;  // the judge itself runs as one
  std::uint32_t left_out = 0;     // layers (LayerBit) that a lesser machine would not give
};
// As started; as an ordinary user when the tests run as root; each also without any namespace.
std::vector<Way> ways();

struct ProbeRun {
  std::vector<std::string> words;  // the probe's arguments
  std::function<void(BoxOptions&)> adjust = [](BoxOptions&) {};
  std::chrono::milliseconds wall{5000};
};
struct Outcome {
  Exit exit;
  bool timed_out = false;
  std::string out;    // without the last newline
  std::string error;  // of the box itself
  std::vector<Layer> applied;
};
Outcome probe_in_box(const Way& way, const ProbeRun& run);

BoxOptions probe_options(const std::vector<std::string>& words);

// Calls `work` as uid 65534 in a child process and hands back the text it returns; in place when not root.
std::string as_ordinary_user(const std::function<std::string()>& work);

// A folder that everybody may enter, gone with the object.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace judge::sandbox
