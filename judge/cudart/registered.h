#pragma once
// Host memory that the program registered (cudaHostRegister).
//
// The device process sees the window of mapped memory and nothing else of this one. So the pages of a registered range
// are replaced, at their own addresses, by pages of the window: the program goes on with its pointers, and kernels
// reach the same bytes at the address that cudaHostGetDevicePointer gives. Data beside the range on its first and last
// page moves along.
//
// Not done, so that the memory can be copied from and kernels cannot reach it: while other threads run (they might
// write between the copy and the exchange of a page), and for a range on the stack that is in use.

#include <cstddef>

#include "judge/cudart/api_call.h"

namespace judge::cudart {

bool is_registered(const void* pointer);
void* device_address_of_registered(const void* pointer);  // null: kernels cannot reach it
void unregister_all(const ApiCall& call);

}  // namespace judge::cudart
