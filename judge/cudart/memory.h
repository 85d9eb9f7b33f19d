#pragma once
// Which side of the channel an address belongs to.

#include "judge/cudart/api_call.h"

namespace judge::cudart {

enum class Side { device, mapped, host };  // mapped: managed and pinned memory, which both sides reach

Side side_of(const Connection& connection, const void* pointer);

cudaError_t allocate(const ApiCall& call, void** out, std::size_t bytes, channel::MemoryKind kind);
// in_stream: as cudaFreeAsync, which does not wait for the device.
cudaError_t release(const ApiCall& call, void* pointer, bool pinned, bool in_stream = false);
void free_everything(const ApiCall& call);  // what this process allocated and has not freed

}  // namespace judge::cudart
