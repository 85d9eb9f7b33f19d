// Exercise 74: histogram.  counts[v] = how many of the n bytes of x have the value v, for v = 0..255.
// The task is explained in statement.md (or: python3 practice/judge.py show 74).

constexpr int kBins = 256;   // one for each value of a byte
constexpr int kBlock = 256;  // threads in a block

__global__ void histogram_kernel(const unsigned char* x, unsigned int* counts, int n) {
  // TODO 1: declare kBins counters in shared memory, this block's own histogram. Set them to 0 together, and wait.

  // TODO 2: walk through x with the whole grid: start at this thread's index, go on by the number of threads of the
  // grid. Count each byte in the block's histogram. Many threads meet at one counter: which operation is safe?

  // TODO 3: wait until the block has counted all of its bytes, then add its counters to those in global memory.
}

// The judge calls this function. x points to n bytes on the device, counts to 256 counters there that hold garbage.
void histogram(const unsigned char* x, unsigned int* counts, int n) {
  // TODO 4: set counts to 0.

  // TODO 5: choose the number of blocks. Each of them pays for 256 additions to global memory at the end.
  // histogram_kernel<<<blocks, kBlock>>>(x, counts, n);
}
