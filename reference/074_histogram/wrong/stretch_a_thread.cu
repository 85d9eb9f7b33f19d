// expect: requirement_not_met
// Right, but each thread walks through a stretch of its own: the lanes of a warp read bytes that lie far apart.

__global__ void histogram_kernel(const unsigned char* x, unsigned int* counts, int n) {
  __shared__ unsigned int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int stretch = (n + gridDim.x * 256 - 1) / (gridDim.x * 256);
  const int first = (blockIdx.x * 256 + threadIdx.x) * stretch;
  for (int i = first; i < first + stretch && i < n; ++i) atomicAdd(&bins[x[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

void histogram(const unsigned char* x, unsigned int* counts, int n) {
  cudaMemset(counts, 0, 256 * sizeof(unsigned int));
  histogram_kernel<<<40, 256>>>(x, counts, n);
}
