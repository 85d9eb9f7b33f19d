// Three kernels, no recursion: the middle one is a single block that walks over any number of sums with a carry.

template <int Threads>
__device__ int inclusive(int value) {
  __shared__ int memory[2][Threads];
  int which = 0;
  memory[0][threadIdx.x] = value;
  __syncthreads();
  for (int d = 1; d < Threads; d *= 2) {
    memory[which ^ 1][threadIdx.x] = memory[which][threadIdx.x] + (threadIdx.x >= d ? memory[which][threadIdx.x - d] : 0);
    which ^= 1;
    __syncthreads();
  }
  value = memory[which][threadIdx.x];
  __syncthreads();
  return value;
}

template <int Threads>
__global__ void add_up(const int* x, int* sums, int n) {
  const int i = blockIdx.x * Threads + threadIdx.x;
  const int sum = inclusive<Threads>(i < n ? x[i] : 0);
  if (threadIdx.x == Threads - 1) sums[blockIdx.x] = sum;
}

template <int Threads>
__global__ void scan_sums(int* sums, int count) {
  __shared__ int carry;
  if (threadIdx.x == 0) carry = 0;
  __syncthreads();
  for (int start = 0; start < count; start += Threads) {
    const int i = start + threadIdx.x;
    const int value = inclusive<Threads>(i < count ? sums[i] : 0) + carry;
    if (i < count) sums[i] = value;
    __syncthreads();
    if (threadIdx.x == Threads - 1) carry = value;
    __syncthreads();
  }
}

template <int Threads>
__global__ void scan_each(const int* x, const int* sums, int* y, int n) {
  const int i = blockIdx.x * Threads + threadIdx.x;
  const int value = inclusive<Threads>(i < n ? x[i] : 0);
  if (i < n) y[i] = value + (blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0);
}

void scan(const int* x, int* y, int n) {
  constexpr int kThreads = 1024;
  const int blocks = (n + kThreads - 1) / kThreads;
  int* sums;
  cudaMallocAsync(&sums, blocks * sizeof(int), 0);
  add_up<kThreads><<<blocks, kThreads>>>(x, sums, n);
  scan_sums<kThreads><<<1, kThreads>>>(sums, blocks);
  scan_each<kThreads><<<blocks, kThreads>>>(x, sums, y, n);
  cudaFreeAsync(sums, 0);
}
