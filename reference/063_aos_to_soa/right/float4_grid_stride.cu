// float4 instead of a structure of one's own, in a grid-stride loop.

__global__ void aos_to_soa_kernel(const float4* __restrict__ particles, float* __restrict__ x, float* __restrict__ y,
                                  float* __restrict__ z, float* __restrict__ mass, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const auto [px, py, pz, m] = __ldg(particles + i);
    x[i] = px;
    y[i] = py;
    z[i] = pz;
    mass[i] = m;
  }
}

void aos_to_soa(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  aos_to_soa_kernel<<<80, 512>>>(reinterpret_cast<const float4*>(particles), x, y, z, mass, n);
}
