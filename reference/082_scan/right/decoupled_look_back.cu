// One pass (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016): a block publishes
// the sum of its tile as soon as it has it, then walks back over its predecessors, adding their sums, until it meets
// one that knows everything before it. State and sum are one word of 64 bits, which is read and written in one piece.

constexpr int kBlock = 256, kItems = 4, kTile = kBlock * kItems;

enum : unsigned { kNothing = 0, kTileOnly = 1, kEverything = 2 };

__device__ unsigned long long pack(unsigned state, int value) {
  return static_cast<unsigned long long>(state) << 32 | static_cast<unsigned>(value);
}

__global__ void scan_once(const int* x, int* y, int n, unsigned long long* states, int* next_tile) {
  __shared__ __align__(16) int tile[kTile];
  __shared__ int warp_sums[kBlock / 32], my_tile, before_tile;
  if (threadIdx.x == 0) my_tile = atomicAdd(next_tile, 1);  // in the order in which blocks start, so nobody waits in vain
  __syncthreads();
  const int start = my_tile * kTile, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int t = threadIdx.x; t < kTile; t += kBlock) tile[t] = start + t < n ? x[start + t] : 0;
  __syncthreads();
  int4 own = reinterpret_cast<int4*>(tile)[threadIdx.x];
  own.y += own.x, own.z += own.y, own.w += own.z;
  int sum = own.w;
  for (int d = 1; d < 32; d *= 2) {
    const int before = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += before;
  }
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
  int before = sum - own.w, total = 0;
  for (int w = 0; w < kBlock / 32; ++w) {
    if (w < warp) before += warp_sums[w];
    total += warp_sums[w];
  }
  if (threadIdx.x == 0) {
    int prefix = 0;
    if (my_tile > 0) {
      atomicExch(&states[my_tile], pack(kTileOnly, total));
      for (int other = my_tile - 1;; --other) {
        unsigned long long seen;
        do seen = atomicAdd(&states[other], 0ull);
        while (seen >> 32 == kNothing);
        prefix += static_cast<int>(seen);
        if (seen >> 32 == kEverything) break;
      }
    }
    atomicExch(&states[my_tile], pack(kEverything, prefix + total));
    before_tile = prefix;
  }
  __syncthreads();
  before += before_tile;
  reinterpret_cast<int4*>(tile)[threadIdx.x] = make_int4(before + own.x, before + own.y, before + own.z, before + own.w);
  __syncthreads();
  for (int t = threadIdx.x; t < kTile; t += kBlock)
    if (start + t < n) y[start + t] = tile[t];
}

void scan(const int* x, int* y, int n) {
  const int tiles = (n + kTile - 1) / kTile;
  unsigned long long* states;
  cudaMalloc(&states, (tiles + 1) * sizeof(*states));
  cudaMemset(states, 0, (tiles + 1) * sizeof(*states));
  scan_once<<<tiles, kBlock>>>(x, y, n, states, reinterpret_cast<int*>(states + tiles));
  cudaFree(states);
}
