// The kernels of quiz 65. Each is launched with one block of one warp. The quiz asks about the marked line; the judge counts
// what that line does in shared memory when the kernel runs (python3 practice/judge.py 65).

// Gives every element of an array in shared memory a value before it is read.
template <class T, int N>
__device__ void fill(T (&array)[N]) {
  for (int k = threadIdx.x; k < N; k += blockDim.x) array[k] = T{};
  __syncthreads();
}

__global__ void neighbours(float* out) {
  __shared__ float tile[32];
  fill(tile);
  out[threadIdx.x] = tile[threadIdx.x];  // <--
}

__global__ void every_second(float* out) {
  __shared__ float tile[64];
  fill(tile);
  out[threadIdx.x] = tile[2 * threadIdx.x];  // <--
}

__global__ void every_third(float* out) {
  __shared__ float tile[96];
  fill(tile);
  out[threadIdx.x] = tile[3 * threadIdx.x];  // <--
}

__global__ void down_a_column(float* out) {
  __shared__ float tile[32 * 32];
  fill(tile);
  out[threadIdx.x] = tile[32 * threadIdx.x + 5];  // <--
}

__global__ void down_a_padded_column(float* out) {
  __shared__ float tile[32 * 33];
  fill(tile);
  out[threadIdx.x] = tile[33 * threadIdx.x + 5];  // <--
}

__global__ void all_the_same(float* out) {
  __shared__ float tile[32];
  fill(tile);
  const int chosen = static_cast<int>(out[0]);
  out[threadIdx.x] = tile[chosen];  // <--
}

__global__ void only_eight_lanes(float* out) {
  __shared__ float tile[32 * 32];
  fill(tile);
  if (threadIdx.x < 8) out[threadIdx.x] = tile[32 * threadIdx.x];  // <--
}

__global__ void doubles(double* out) {
  __shared__ double tile[32];
  fill(tile);
  out[threadIdx.x] = tile[threadIdx.x];  // <--
}

__global__ void every_second_double(double* out) {
  __shared__ double tile[64];
  fill(tile);
  out[threadIdx.x] = tile[2 * threadIdx.x];  // <--
}

__global__ void pairs_of_doubles(double* out) {
  __shared__ double tile[32];
  fill(tile);
  out[threadIdx.x] = tile[threadIdx.x / 2];  // <--
}

__global__ void sixteen_bytes(float4* out) {
  __shared__ float4 tile[32];
  fill(tile);
  out[threadIdx.x] = tile[threadIdx.x];  // <--
}

__global__ void structures_of_five(float* out) {
  __shared__ float tile[5 * 32];
  fill(tile);
  out[threadIdx.x] = tile[5 * threadIdx.x + 2];  // <--
}

__global__ void every_second_of_sixteen(float4* out) {
  __shared__ float4 tile[64];
  fill(tile);
  out[threadIdx.x] = tile[2 * threadIdx.x];  // <--
}
