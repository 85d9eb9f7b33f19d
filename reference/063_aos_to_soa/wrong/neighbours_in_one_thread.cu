// expect: requirement_not_met
// Right, and loaded well, but each thread writes four neighbouring elements one after another: the lanes of a store
// are 16 bytes apart.

constexpr int kThreads = 256;

__global__ void aos_to_soa_kernel(const float4* particles, float* x, float* y, float* z, float* mass, int n) {
  __shared__ float staged[4][kThreads];
  const int first = blockIdx.x * kThreads;
  if (first + threadIdx.x < n) {
    const float4 particle = particles[first + threadIdx.x];
    staged[0][threadIdx.x] = particle.x;
    staged[1][threadIdx.x] = particle.y;
    staged[2][threadIdx.x] = particle.z;
    staged[3][threadIdx.x] = particle.w;
  }
  __syncthreads();

  float* const arrays[4] = {x, y, z, mass};
  const int field = threadIdx.x / 64;
  for (int k = 0; k < 4; ++k) {
    const int at = 4 * (threadIdx.x % 64) + k;
    if (first + at < n) arrays[field][first + at] = staged[field][at];
  }
}

void aos_to_soa(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  aos_to_soa_kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(reinterpret_cast<const float4*>(particles), x, y, z,
                                                                 mass, n);
}
