// A thread for each float: coalesced loads of 4 bytes, and stores of eight neighbouring elements to each of four
// arrays.

// Which of the four arrays a thread writes to depends on its lane alone: eight lanes in a row fill a sector of each.
__global__ void aos_to_soa_kernel(const float* particles, float* x, float* y, float* z, float* mass, int floats) {
  const int stride = gridDim.x * blockDim.x;  // a multiple of 4, so that a thread keeps its field
  const int field = threadIdx.x % 4;
  float* const to = field == 0 ? x : field == 1 ? y : field == 2 ? z : mass;
  for (int f = blockIdx.x * blockDim.x + threadIdx.x; f < floats; f += stride) to[f / 4] = particles[f];
}

void aos_to_soa(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  aos_to_soa_kernel<<<160, 512>>>(particles, x, y, z, mass, 4 * n);
}
