// Exercise 71: polynomials.  y[c][i] = a[c][0] + a[c][1] * x[i] + … + a[c][7] * x[i]^7 for 16 curves c and n points i.
// The task is explained in statement.md (or: python3 practice/judge.py show 71).

constexpr int kCurves = 16;       // polynomials
constexpr int kCoefficients = 8;  // of each, that of x^0 first
constexpr int kBlock = 256;       // threads in a block

// TODO 1: declare an array for the kCurves * kCoefficients numbers in constant memory.

__global__ void polynomial_kernel(const float* x, float* y, int n) {
  // TODO 2: read this thread's point, once. Threads beyond the last point have nothing to do.

  // TODO 3: for each curve, evaluate its polynomial there, and store it in y. All lanes of a warp should be at the same
  // curve and at the same coefficient: then one read of constant memory serves the 32 of them.
}

// The judge calls this function. x is a device pointer to n floats, y to kCurves * n; a is a host pointer to kCurves *
// kCoefficients floats.
void polynomial(const float* x, const float* a, float* y, int n) {
  // TODO 4: copy the coefficients to the constant array.

  const int blocks = (n + kBlock - 1) / kBlock;
  polynomial_kernel<<<blocks, kBlock>>>(x, y, n);
}
