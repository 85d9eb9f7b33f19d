// expect: wrong_answer
// Two counters of 16 bits share a word to save shared memory: one that passes 65,535 carries into its neighbour.

__global__ void histogram_kernel(const unsigned char* x, unsigned int* counts, int n) {
  __shared__ unsigned int pairs[128];
  if (threadIdx.x < 128) pairs[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 256) atomicAdd(&pairs[x[i] / 2], x[i] % 2 == 0 ? 1u : 1u << 16);
  __syncthreads();
  counts[threadIdx.x] = (pairs[threadIdx.x / 2] >> (16 * (threadIdx.x % 2))) & 0xffff;
}

void histogram(const unsigned char* x, unsigned int* counts, int n) { histogram_kernel<<<1, 256>>>(x, counts, n); }
