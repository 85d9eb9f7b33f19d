// expect: requirement_not_met
// cudaMemcpy does it, and no thread has moved anything.

void copy_vec4(const float* src, float* dst, int offset, int n) {
  cudaMemcpy(dst + offset, src + offset, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
