#pragma once
// What this machine has that the judge needs or could use. Only looks; what it means is for the caller to say.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "judge/sandbox/sandbox.h"

namespace judge {

struct Doctor {
  std::string version;
  std::string nvcc, cuda_version, host_compiler;  // empty when not found
  std::string toolchain_error;                    // the remedy, when there is one
  std::string instruction_set;                    // that the emulator uses
  unsigned cores = 0;
  std::vector<std::string> gpus;           // that the NVIDIA driver lists
  std::vector<std::string> emulated_gpus;  // names that --gpu takes
  std::vector<sandbox::LayerStatus> layers;
  std::map<std::string, bool> programs;  // judge-device, judge-host, libcudart.so.13: there in program_dir
};

std::string version();  // of the judge, "0.1.0"
Doctor doctor(const std::filesystem::path& program_dir);

}  // namespace judge
