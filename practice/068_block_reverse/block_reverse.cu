// Exercise 68: reverse the order within each group of neighbouring elements, in place.
// a is cut into groups of 256 elements, b into groups of `width` elements; the last group may be shorter.
// The task is explained in statement.md (or: python3 practice/judge.py show 68).

constexpr int kFixed = 256;

__global__ void reverse_fixed(float* a, int n) {
  // TODO 1: declare static shared memory for a group: its size is a constant.

  // TODO 2: load this block's group, one element for each thread. The last group may have fewer than kFixed.

  // TODO 3: no element of a may be overwritten before all of them have been loaded.

  // TODO 4: store the group in reverse order.
}

__global__ void reverse_any(float* b, int n) {
  // TODO 5: the same with dynamic shared memory (extern __shared__): how large it is, the launch says.
}

// The judge calls this function. a and b are device pointers to n floats; 1 <= width <= 1024.
void block_reverse(float* a, float* b, int n, int width) {
  reverse_fixed<<<(n + kFixed - 1) / kFixed, kFixed>>>(a, n);

  // TODO 6: launch reverse_any with blocks of `width` threads. What is the launch's third argument?
}
