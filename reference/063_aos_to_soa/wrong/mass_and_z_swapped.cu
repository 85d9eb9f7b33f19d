// expect: wrong_answer
// The third and the fourth number have changed places.

// Four neighbouring floats at a multiple of 16 bytes: what one thread can load in one instruction.
struct __align__(16) Particle {
  float x, y, z, mass;
};

// A warp's load is 512 bytes in a piece, its four stores are 128 bytes in a piece each.
__global__ void aos_to_soa_kernel(const Particle* particles, float* x, float* y, float* z, float* mass, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Particle particle = particles[i];
  x[i] = particle.x;
  y[i] = particle.y;
  z[i] = particle.mass;
  mass[i] = particle.z;
}

void aos_to_soa(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  constexpr int kThreads = 256;
  const int blocks = (n + kThreads - 1) / kThreads;
  aos_to_soa_kernel<<<blocks, kThreads>>>(reinterpret_cast<const Particle*>(particles), x, y, z, mass, n);
}
