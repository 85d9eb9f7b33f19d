// Exercise 83: gather rows of a table.  out[r][c] = table[index[r]][c] for r = 0..rows-1, c = 0..kWidth-1.
// The task is explained in statement.md (or: python3 practice/judge.py show 83).

constexpr int kWidth = 64;   // floats in a row of the table and of out
constexpr int kBlock = 256;  // threads in a block

// TODO 1: nothing is ever written through table and index, and out overlaps neither. Say so, for the compiler cannot
// know: const float* __restrict__ table, and so on. It may then load by the read-only path.
__global__ void gather_kernel(const float* table, const int* index, float* out, int rows) {
  // TODO 2: give every element of out one thread. Which row and which column are this thread's? The lanes of a warp
  // should have the same row and neighbouring columns.

  // TODO 3: copy the element. All lanes of the warp read the same index[r]: one sector serves them all.
}

// The judge calls this function. table has entries * kWidth floats, index has rows numbers from 0 to entries - 1, out
// takes rows * kWidth floats; all are device pointers.
void gather_ldg(const float* table, const int* index, float* out, int entries, int rows) {
  // TODO 4: launch enough blocks for rows * kWidth threads.
}
