// Exercise 76: matrix product with register blocking.  c = a * b for square matrices, stored row by row.
// The task is explained in statement.md (or: python3 practice/judge.py show 76).
//
// Begin with your solution of exercise 75. There each thread computed one element of c, and each multiplication needed
// two loads from shared memory. Here a thread computes kSide x kSide elements, and every value that it has loaded serves
// kSide multiplications.

constexpr int kSide = 4;                 // a thread computes kSide x kSide elements of c
constexpr int kThreads = 16;             // a block has kThreads x kThreads threads ...
constexpr int kTile = kSide * kThreads;  // ... and computes a tile of 64 x 64 elements
constexpr int kDepth = 16;               // columns of a (and rows of b) that are in shared memory at a time

__global__ void matmul_kernel(const float* a, const float* b, float* c, int n) {
  // TODO 1: declare two tiles in shared memory: kTile x kDepth elements of a, kDepth x kTile elements of b.

  // TODO 2: the sums of this thread: float sum[kSide][kSide] = {}. To stay in registers, the array may only be indexed
  // by numbers that the compiler knows: by the variables of loops that are unrolled completely.

  // TODO 3: for each step along the row of a and the column of b:
  //   - load both tiles together: four elements of each for every thread; 0 outside the matrices
  //   - wait
  //   - for k = 0..kDepth-1: load kSide elements of a's tile and kSide of b's into local arrays, then multiply each
  //     with each. Which kSide columns should a thread take, so that the lanes of a warp never conflict?
  //   - wait

  // TODO 4: store the sums that exist.
}

// The judge calls this function. a, b and c are device pointers to n * n floats.
void matmul_registers(const float* a, const float* b, float* c, int n) {
  // TODO 5: launch blocks of kThreads x kThreads threads, as many in x and in y as cover n with tiles of kTile.
}
