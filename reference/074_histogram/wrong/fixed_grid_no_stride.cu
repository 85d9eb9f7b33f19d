// expect: wrong_answer
// 64 blocks of 256 threads, each thread counts one byte: nothing beyond the first 16,384 is counted.

__global__ void histogram_kernel(const unsigned char* x, unsigned int* counts, int n) {
  __shared__ unsigned int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

void histogram(const unsigned char* x, unsigned int* counts, int n) {
  cudaMemset(counts, 0, 256 * sizeof(unsigned int));
  histogram_kernel<<<64, 256>>>(x, counts, n);
}
