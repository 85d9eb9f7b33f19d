// A fixed grid; each thread takes every (gridDim.x * blockDim.x)-th element.

__global__ void saxpy_kernel(float a, const float* __restrict__ x, float* __restrict__ y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = fmaf(a, x[i], y[i]);
}

void saxpy(float a, const float* x, float* y, int n) { saxpy_kernel<<<64, 512>>>(a, x, y, n); }
