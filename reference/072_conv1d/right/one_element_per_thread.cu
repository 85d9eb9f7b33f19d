// Every thread loads its own element; the first R threads load both halos as well.

#define RADIUS 8
#define THREADS 512

__constant__ float filter[2 * RADIUS + 1];

__device__ float element(const float* x, int i, int n) { return i < 0 || i >= n ? 0.0f : x[i]; }

__global__ void convolve(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int t = threadIdx.x + RADIUS;

  tile[t] = element(x, i, n);
  if (threadIdx.x < RADIUS) {
    tile[t - RADIUS] = element(x, i - RADIUS, n);
    tile[t + THREADS] = element(x, i + THREADS, n);
  }
  __syncthreads();
  if (i >= n) return;

  float sum = 0.0f;
  for (int k = -RADIUS; k <= RADIUS; k++) sum += filter[RADIUS + k] * tile[t + k];
  y[i] = sum;
}

void conv1d(const float* x, const float* w, float* y, int n) {
  cudaMemcpyToSymbol(filter, w, sizeof filter);
  const dim3 grid((n + THREADS - 1) / THREADS);
  const size_t shared_bytes = (THREADS + 2 * RADIUS) * sizeof(float);
  convolve<<<grid, THREADS, shared_bytes>>>(x, y, n);
}
