#pragma once
// A launch in two steps: its arguments are looked at and copied when the program names them, and it is carried out then
// or, as a node of a graph, later.

#include <cstddef>
#include <vector>

#include "judge/cudart/handles.h"
#include "judge/cudart/registry.h"

namespace judge::cudart {

struct LaunchShape {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  bool cooperative = false;
};

struct PackedLaunch {
  const void* function = nullptr;  // as the program named it
  Kernel* kernel = nullptr;
  LaunchShape shape;
  std::vector<std::byte> values;  // laid out as the device's parameter list says
};

// Copies the arguments. Reports and returns the error of a launch that cannot be.
cudaError_t pack(const ApiCall& call, const void* function, const LaunchShape& shape, void** arguments,
                 PackedLaunch& out);
cudaError_t issue(const ApiCall& call, const PackedLaunch& launch, cudaStream_t stream);

}  // namespace judge::cudart
