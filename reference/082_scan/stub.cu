// Exercise 82: inclusive scan.  y[i] = x[0] + x[1] + ... + x[i] for every i in 0..n-1, for any n.
// The task is explained in statement.md (or: python3 practice/judge.py show 82).

constexpr int kBlock = 256;  // threads in a block
constexpr int kTile = 1024;  // elements that a block scans: four for each thread

// Step 1: the sum of each tile of x.
__global__ void tile_sums(const int* x, int* sums, int n) {
  // TODO 1: add up this block's tile, neighbouring threads taking neighbouring elements, and store the sum.
}

// Step 3: the scan of each tile, to which everything before the tile is added.
__global__ void scan_tiles(const int* x, const int* sums_before, int* y, int n) {
  // TODO 2: scan the tile within the block: in each thread, across each warp (__shfl_up_sync), across the warps
  // (shared memory). How do you load four neighbours a thread and still let the lanes load neighbours?

  // TODO 3: add the sum of all tiles before this one (the first tile has none), and store to y, once.
}

// The judge calls this function. x and y are device pointers to n integers.
void scan(const int* x, int* y, int n) {
  // TODO 4: allocate one sum for each tile, and launch tile_sums.

  // TODO 5: step 2: the sums need to be scanned themselves. There may be thousands of them: which function of yours
  // scans any number of integers? It may be called on them, until a single tile is left.

  // TODO 6: launch scan_tiles, and free what you allocated.
}
