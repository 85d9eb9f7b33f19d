// expect: requirement_not_met
// Right: atomicMax on the result for every element, after a kernel has set it, and one more to turn integers into
// floats again.

constexpr int kGroup = 1024;

// Integers that compare as the floats do.
__device__ int ordered(float value) {
  const int bits = __float_as_int(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}

__global__ void begin(int* maxima, int groups) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < groups) maxima[g] = ordered(-INFINITY);
}

__global__ void gather(const float* x, int* maxima, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&maxima[i / kGroup], ordered(x[i]));
}

__global__ void finish(int* maxima, int groups) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < groups) maxima[g] = ordered(__int_as_float(maxima[g]));
}

void warp_reduce(const float* x, float* maxima, int n) {
  const int groups = (n + kGroup - 1) / kGroup;
  int* const as_integers = reinterpret_cast<int*>(maxima);
  begin<<<(groups + 255) / 256, 256>>>(as_integers, groups);
  gather<<<(n + 255) / 256, 256>>>(x, as_integers, n);
  finish<<<(groups + 255) / 256, 256>>>(as_integers, groups);
}
