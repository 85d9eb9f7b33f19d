// Exercise 69: block sums.  sums[g] = the sum of the elements of x from g * 1024 on, 1,024 of them or what x has left.
// The task is explained in statement.md (or: python3 practice/judge.py show 69).

constexpr int kGroup = 1024;   // elements that a block adds up
constexpr int kThreads = 256;  // threads of a block

__global__ void block_reduce_kernel(const float* x, float* sums, int n) {
  // TODO 1: add up four elements of the group in a register: neighbouring threads take neighbouring elements. The last
  // group may have fewer.

  // TODO 2: put this thread's sum into shared memory, and wait for the others.

  // TODO 3: add up the 256 partial sums in a tree. In each step half as many threads have something to do: which ones,
  // so that a warp works as a whole or not at all? Where does the barrier go?

  // TODO 4: the last steps need fewer threads than a warp has. Do them without a branch that splits the warp.

  // TODO 5: one thread stores the sum of the group.
}

// The judge calls this function. x is a device pointer to n floats, sums to one float for each group.
void block_reduce(const float* x, float* sums, int n) {
  block_reduce_kernel<<<(n + kGroup - 1) / kGroup, kThreads>>>(x, sums, n);
}
