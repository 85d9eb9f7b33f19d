// The block's floats go through shared memory, as one would do for structures of any size; columns of 5 floats keep the
// banks apart.

constexpr int kParticles = 128;
constexpr int kPitch = 5;

__global__ void aos_to_soa_kernel(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  __shared__ float staged[kParticles * kPitch];
  const int first = blockIdx.x * kParticles;
  const int count = min(kParticles, n - first);
  for (int f = threadIdx.x; f < 4 * count; f += blockDim.x)
    staged[f / 4 * kPitch + f % 4] = particles[4 * static_cast<size_t>(first) + f];
  __syncthreads();
  const int p = threadIdx.x;
  if (p >= count) return;
  x[first + p] = staged[p * kPitch];
  y[first + p] = staged[p * kPitch + 1];
  z[first + p] = staged[p * kPitch + 2];
  mass[first + p] = staged[p * kPitch + 3];
}

void aos_to_soa(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  aos_to_soa_kernel<<<(n + kParticles - 1) / kParticles, kParticles>>>(particles, x, y, z, mass, n);
}
