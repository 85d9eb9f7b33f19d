// expect: race
// Warps read the sums of other warps before these are there.

constexpr int kBlock = 256;
constexpr int kItems = 4;
constexpr int kTile = kBlock * kItems;
constexpr int kWarps = kBlock / 32;

// The sum of `value` over this thread and those before it; `total` becomes the block's. All threads must call it.
__device__ int block_scan(int value, int& total) {
  __shared__ int warp_sums[kWarps];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += before;
  }
  if (lane == 31) warp_sums[warp] = value;
  int before = 0;
  total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) before = total;
    total += warp_sums[w];
  }
  return before + value;
}

__global__ void tile_sums(const int* x, int* sums, int n) {
  int sum = 0;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const int i = blockIdx.x * kTile + k * kBlock + threadIdx.x;
    if (i < n) sum += x[i];
  }
  int total;
  block_scan(sum, total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__global__ void scan_tiles(const int* x, const int* sums_before, int* y, int n) {
  __shared__ __align__(16) int tile[kTile];
  const int start = blockIdx.x * kTile;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const int t = k * kBlock + threadIdx.x;
    tile[t] = start + t < n ? x[start + t] : 0;
  }
  __syncthreads();

  int4 own = reinterpret_cast<int4*>(tile)[threadIdx.x];  // 16 bytes a lane: no bank conflict
  own.y += own.x;
  own.z += own.y;
  own.w += own.z;
  int total;
  int before = block_scan(own.w, total) - own.w;
  if (blockIdx.x > 0) before += sums_before[blockIdx.x - 1];
  reinterpret_cast<int4*>(tile)[threadIdx.x] =
      make_int4(before + own.x, before + own.y, before + own.z, before + own.w);
  __syncthreads();

#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const int t = k * kBlock + threadIdx.x;
    if (start + t < n) y[start + t] = tile[t];
  }
}

void scan(const int* x, int* y, int n) {
  const int tiles = (n + kTile - 1) / kTile;
  int* sums = nullptr;
  if (tiles > 1) {
    cudaMalloc(&sums, 2 * tiles * sizeof(int));
    tile_sums<<<tiles, kBlock>>>(x, sums, n);
    scan(sums, sums + tiles, tiles);
  }
  scan_tiles<<<tiles, kBlock>>>(x, tiles > 1 ? sums + tiles : nullptr, y, n);
  cudaFree(sums);
}
