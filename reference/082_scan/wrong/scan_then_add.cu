// expect: requirement_not_met
// Right, but the tiles are scanned first and added to afterwards: y is written, read, and written again.

__global__ void scan_tiles(const int* x, int* y, int* sums, int n) {
  __shared__ int tile[1024];
  const int i = blockIdx.x * 1024 + threadIdx.x;
  int value = i < n ? x[i] : 0;
  for (int distance = 1; distance < 1024; distance *= 2) {
    tile[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x >= distance) value += tile[threadIdx.x - distance];
    __syncthreads();
  }
  if (i < n) y[i] = value;
  if (threadIdx.x == 1023) sums[blockIdx.x] = value;
}

__global__ void add(int* y, const int* sums, int n) {
  const int i = (blockIdx.x + 1) * 1024 + threadIdx.x;
  if (i < n) y[i] += sums[blockIdx.x];
}

void scan(const int* x, int* y, int n) {
  const int tiles = (n + 1023) / 1024;
  int* sums = nullptr;
  cudaMalloc(&sums, 2 * tiles * sizeof(int));
  scan_tiles<<<tiles, 1024>>>(x, y, sums, n);
  if (tiles > 1) {
    scan(sums, sums + tiles, tiles);
    add<<<tiles - 1, 1024>>>(y, sums + tiles, n);
  }
  cudaFree(sums);
}
