// Exercise 62: row sums.  sums[r] = a[r][0] + a[r][1] + … + a[r][columns-1] for every row r.
// The task is explained in statement.md (or: python3 practice/judge.py show 62).

// This kernel gives the right sums, and fetches eight times the bytes it needs: each thread walks along its own row, so
// that the 32 lanes of a warp read 32 elements of one column, which lie `columns` floats apart.

__global__ void row_sums_kernel(const float* a, float* sums, int rows, int columns) {
  // TODO 1: give a row to 32 threads instead of one. Which row is this thread's, and which is its first column?
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;

  // TODO 2: let neighbouring lanes read neighbouring columns, and move on by 32 columns at a time.
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column) sum += a[row * columns + column];

  // TODO 3: now 32 lanes hold a part of the sum each. Add the parts up, and let one lane store the total.
  sums[row] = sum;
}

// The judge calls this function. a is a device pointer to rows * columns floats, row after row; sums to rows floats.
void row_sums(const float* a, float* sums, int rows, int columns) {
  // TODO 4: a row needs 32 threads now: choose block and grid to fit.
  const int threads = 256;
  row_sums_kernel<<<(rows + threads - 1) / threads, threads>>>(a, sums, rows, columns);
}
