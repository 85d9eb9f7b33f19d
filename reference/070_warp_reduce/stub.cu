// Exercise 70: group maxima.  maxima[g] = the largest element of x from g * 1024 on, among 1,024 or what x has left.
// The task is explained in statement.md (or: python3 practice/judge.py show 70).

constexpr int kGroup = 1024;   // elements of which a block finds the largest
constexpr int kThreads = 256;  // threads of a block: 8 warps

// TODO 1: the largest `value` of the 32 lanes of a warp, by five shuffles. Which lanes know it afterwards?
__device__ float warp_maximum(float value) {
  return value;
}

__global__ void warp_reduce_kernel(const float* x, float* maxima, int n) {
  // TODO 2: the largest of this thread's four elements, kept in a register. What does a thread hold that has none?

  // TODO 3: the largest of the warp.

  // TODO 4: each warp leaves its result in shared memory, 4 bytes a warp; wait until all have.

  // TODO 5: the first warp finds the largest of these, and one lane of it stores that.
}

// The judge calls this function. x is a device pointer to n floats, maxima to one float for each group.
void warp_reduce(const float* x, float* maxima, int n) {
  warp_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, maxima, n);
}
