// Exercise 63: from an array of structures to a structure of arrays.
// particles holds x, y, z and mass of particle 0, then those of particle 1, and so on; give each quantity its own
// array. The task is explained in statement.md (or: python3 practice/judge.py show 63).

struct Particle {
  float x, y, z, mass;
};

__global__ void aos_to_soa_kernel(const Particle* particles, float* x, float* y, float* z, float* mass, int n) {
  // TODO 1: one thread for each particle: which one is this thread's? Mind those beyond n.

  // TODO 2: read the particle, and store each of its four numbers in the array where it belongs.

  // TODO 3: judge it and look at global_load_efficiency: a Particle is read with four loads of 4 bytes. What must the
  // compiler know about its address to read all 16 bytes at once?
}

// The judge calls this function. particles is a device pointer to 4 * n floats, the others to n floats each.
void aos_to_soa(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  aos_to_soa_kernel<<<blocks, threads>>>(reinterpret_cast<const Particle*>(particles), x, y, z, mass, n);
}
