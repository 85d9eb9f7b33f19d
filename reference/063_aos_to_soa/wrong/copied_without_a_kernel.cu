// expect: requirement_not_met
// Four strided copies by the runtime instead of a kernel: nothing was learnt, and on a GPU they crawl.

void aos_to_soa(const float* particles, float* x, float* y, float* z, float* mass, int n) {
  float* const arrays[] = {x, y, z, mass};
  for (int field = 0; field < 4; ++field)
    cudaMemcpy2D(arrays[field], sizeof(float), particles + field, 4 * sizeof(float), sizeof(float), n,
                 cudaMemcpyDeviceToDevice);
}
