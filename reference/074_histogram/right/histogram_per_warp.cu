// A histogram for each warp, so that warps never meet at a counter; a second kernel adds the blocks' results without
// any atomic operation on global memory.

constexpr int kWarps = 8;
constexpr int kBlocks = 32;

__global__ void count(const unsigned char* x, unsigned int* parts, int n) {
  __shared__ unsigned int bins[kWarps][256];
  for (int b = threadIdx.x; b < kWarps * 256; b += blockDim.x) (&bins[0][0])[b] = 0;
  __syncthreads();
  unsigned int* mine = bins[threadIdx.x / 32];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[x[i]], 1u);
  __syncthreads();
  unsigned int sum = 0;
  for (int w = 0; w < kWarps; ++w) sum += bins[w][threadIdx.x];
  parts[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void add(const unsigned int* parts, unsigned int* counts) {
  unsigned int sum = 0;
  for (int b = 0; b < kBlocks; ++b) sum += parts[b * 256 + threadIdx.x];
  counts[threadIdx.x] = sum;
}

void histogram(const unsigned char* x, unsigned int* counts, int n) {
  unsigned int* parts = nullptr;
  cudaMalloc(&parts, kBlocks * 256 * sizeof(unsigned int));
  count<<<kBlocks, 32 * kWarps>>>(x, parts, n);
  add<<<1, 256>>>(parts, counts);
  cudaFree(parts);
}
