// Exercise 72: 1-D convolution.  y[i] = sum over k = -R..R of w[k + R] * x[i + k], with x = 0 outside 0..n-1.
// The task is explained in statement.md (or: python3 practice/judge.py show 72).

constexpr int R = 8;         // the filter reaches R elements to each side
constexpr int kBlock = 256;  // threads in a block; each computes one element of y

// TODO 1: declare an array for the 2R+1 weights in constant memory.

__global__ void conv1d_kernel(const float* x, float* y, int n) {
  // TODO 2: declare a tile in shared memory: the block's kBlock elements and R more on each side.

  // TODO 3: load the tile together with the other threads of the block. Elements outside x are 0.

  // TODO 4: wait until the whole tile is loaded.

  // TODO 5: compute this thread's element from the tile and store it in y, if it is inside y.
}

// The judge calls this function. x and y are device pointers to n floats, w is a host pointer to 2R+1 floats.
void conv1d(const float* x, const float* w, float* y, int n) {
  // TODO 6: copy w to the constant array.

  const int blocks = (n + kBlock - 1) / kBlock;
  conv1d_kernel<<<blocks, kBlock>>>(x, y, n);
}
