// expect: requirement_not_met
// Right, but each lane moves 4 bytes: four times the requests.

__global__ void copy_kernel(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void copy_vec4(const float* src, float* dst, int offset, int n) {
  copy_kernel<<<(n + 255) / 256, 256>>>(src + offset, dst + offset, n);
}
