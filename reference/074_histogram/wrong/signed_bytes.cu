// expect: runtime_error
// Bytes above 127 become negative indices when they are read as signed characters.

__global__ void histogram_kernel(const unsigned char* x, unsigned int* counts, int n) {
  __shared__ unsigned int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const signed char* bytes = reinterpret_cast<const signed char*>(x);
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&bins[bytes[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

void histogram(const unsigned char* x, unsigned int* counts, int n) {
  cudaMemset(counts, 0, 256 * sizeof(unsigned int));
  histogram_kernel<<<40, 256>>>(x, counts, n);
}
