// Exercise 77: softmax of every row.  y[r][i] = exp(x[r][i] - m) / sum over j of exp(x[r][j] - m), m the row's maximum.
// The task is explained in statement.md (or: python3 practice/judge.py show 77).

constexpr int kThreads = 1024;  // one block works on one row at a time

__global__ void softmax_kernel(const float* x, float* y, int columns) {
  // TODO 1: declare the row as dynamic shared memory: its size is not known here but given at the launch.

  // TODO 2: copy this block's row into it, neighbouring threads taking neighbouring elements, and find the row's
  // maximum on the way: first each thread of its own elements, then all threads together.

  // TODO 3: replace each element in shared memory by exp(element - maximum), and sum them up in the same manner.

  // TODO 4: write each element divided by the sum to y. Global memory is read once and written once.
}

// The judge calls this function. x and y are device pointers to rows * columns floats, one row after the other.
void softmax_rows(const float* x, float* y, int rows, int columns) {
  // TODO 5: how many bytes of dynamic shared memory does a row need?

  // TODO 6: above 49,152 bytes a launch fails unless the kernel has opted in before (cudaFuncSetAttribute).

  // TODO 7: launch one block for each row, with that much dynamic shared memory.
}
