// Exercise 78: running median.  y[i] = the median of the 25 elements x[i-12] .. x[i+12]; beyond its ends, x goes on with
// its first and its last element.
// The task is explained in statement.md (or: python3 practice/judge.py show 78).

constexpr int kReach = 12;               // neighbours on each side
constexpr int kWindow = 2 * kReach + 1;  // 25 elements, whose median is the thirteenth in order
constexpr int kBlock = 256;

__global__ void median_kernel(const float* x, float* y, int n) {
  // TODO 1: load the window into a local array, float window[kWindow]. Bring indices below 0 to 0 and above n - 1 to
  // n - 1. Write the loop so that the compiler can unroll it completely (#pragma unroll).

  // TODO 2: sort the array as far as the median needs it. Registers have no addresses: an array stays in registers only
  // if every index is a number when the program is compiled. So no "while (j > 0 && window[j - 1] > ...)". Which
  // sorting method compares the same places whatever the values are?

  // TODO 3: store the median.
}

// The judge calls this function. x and y are device pointers to n floats.
void no_spills(const float* x, float* y, int n) {
  median_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n);
}
