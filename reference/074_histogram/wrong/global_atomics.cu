// expect: requirement_not_met
// Right, but every byte is counted in global memory.

__global__ void histogram_kernel(const unsigned char* x, unsigned int* counts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&counts[x[i]], 1u);
}

void histogram(const unsigned char* x, unsigned int* counts, int n) {
  cudaMemset(counts, 0, 256 * sizeof(unsigned int));
  histogram_kernel<<<64, 256>>>(x, counts, n);
}
