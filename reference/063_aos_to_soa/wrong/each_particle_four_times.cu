// expect: requirement_not_met
// Right, and coalesced, but a launch for each array reads all floats and keeps a quarter of them.

__global__ void pick_kernel(const float* particles, int field, float* to, int floats) {
  const int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= floats) return;
  const float value = particles[f];
  if (f % 4 == field) to[f / 4] = value;
}

void aos_to_soa(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  float* const arrays[] = {x, y, z, mass};
  for (int field = 0; field < 4; ++field)
    pick_kernel<<<(4 * n + 255) / 256, 256>>>(particles, field, arrays[field], 4 * n);
}
