#include "workbench.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

Workbench::Workbench(judge::device::RunOptions options, const char* ptx) : device(judge::device::make_emulated_device()) {
  device->reset(options);
  std::stringstream text;
  text << std::ifstream(ptx).rdbuf();
  check(device->load_module(text.str(), module_));
}

judge::device::Address Workbench::allocate(std::uint64_t bytes, const char* label, unsigned element_bytes) {
  judge::device::Address a = 0;
  check(device->allocate({bytes, judge::device::MemoryKind::device, label, "int32", element_bytes, false}, a));
  return a;
}

judge::device::KernelInfo Workbench::kernel(const char* name) {
  judge::device::KernelInfo info;
  check(device->find_kernel(module_, name, info));
  return info;
}

void Workbench::check(const judge::device::Status& s) {
  if (!s.ok()) throw std::runtime_error("error " + std::to_string(s.code) + ": " + s.detail);
}

int line_of(const std::string& text, const std::string& file) {
  std::ifstream in(JUDGE_SOURCE_DIR "/tests/unit/emulator/" + file);
  std::string line;
  for (int n = 1; std::getline(in, line); ++n)
    if (line.find(text) != std::string::npos) return n;
  throw std::runtime_error("no line of " + file + " has: " + text);
}
