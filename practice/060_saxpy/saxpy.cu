// Exercise 60: SAXPY.  y[i] = a * x[i] + y[i] for every i in 0..n-1.
// The task is explained in statement.md (or: python3 practice/judge.py show 60).

__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  // TODO 1: which element is this thread's? (blockIdx.x, blockDim.x and threadIdx.x tell)

  // TODO 2: update it, if it is inside the arrays.
}

// The judge calls this function. x and y are device pointers to n floats.
void saxpy(float a, const float* x, float* y, int n) {
  // TODO 3: choose how many threads a block has and how many blocks cover n elements, and launch:
  // saxpy_kernel<<<blocks, threads>>>(a, x, y, n);
}
