#pragma once
// What copies and sets are made of; calls that do them at once, and nodes of graphs that do them later, share it.

#include <cstddef>
#include <cstdint>

#include "judge/cudart/api_call.h"

namespace judge::cudart {

struct Rectangle {  // what to copy: `rows` rows of row_bytes each
  void* to = nullptr;
  std::size_t to_pitch = 0;
  const void* from = nullptr;
  std::size_t from_pitch = 0;
  std::size_t row_bytes = 0;
  std::size_t rows = 1;

  bool contiguous() const { return rows == 1 || (to_pitch == row_bytes && from_pitch == row_bytes); }
};

// Only for the record: where an operation stands among others, and whether its call may return before it is done.
struct Order {
  cudaStream_t stream = nullptr;
  bool asynchronous = false;
};

// Both check their addresses against the direction, and carry out the operation before they return.
cudaError_t copy(const ApiCall& call, const Rectangle& what, cudaMemcpyKind kind,
                 channel::CopyPurpose purpose = channel::CopyPurpose::memory, bool to_symbol = false,
                 const Order& order = {});
// row_bytes is a multiple of `width`, the bytes of one element: 1, 2 or 4.
cudaError_t set(const ApiCall& call, void* to, std::size_t pitch, std::uint32_t value, unsigned width,
                std::size_t row_bytes, std::size_t rows, const Order& order = {});

// The address of a symbol plus the offset, when [offset, offset + bytes) lies in it.
cudaError_t symbol_range(const ApiCall& call, const void* symbol, std::size_t bytes, std::size_t offset,
                         void*& address);

}  // namespace judge::cudart
