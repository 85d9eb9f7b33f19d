// expect: requirement_not_met
// Right, but nothing says that a Particle lies at a multiple of 16 bytes: it is read with four loads of 4 bytes,
// each of which uses a quarter of the sectors that it fetches.

struct Particle {
  float x, y, z, mass;
};

__global__ void aos_to_soa_kernel(const Particle* particles, float* x, float* y, float* z, float* mass, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Particle particle = particles[i];
  x[i] = particle.x;
  y[i] = particle.y;
  z[i] = particle.z;
  mass[i] = particle.mass;
}

void aos_to_soa(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  constexpr int kThreads = 256;
  const int blocks = (n + kThreads - 1) / kThreads;
  aos_to_soa_kernel<<<blocks, kThreads>>>(reinterpret_cast<const Particle*>(particles), x, y, z, mass, n);
}
