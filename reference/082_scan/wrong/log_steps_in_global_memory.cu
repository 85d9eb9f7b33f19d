// expect: requirement_not_met
// Right, but log2(n) passes over the whole array: each reads every element twice.

__global__ void step(const int* from, int* to, int n, int distance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i >= distance ? from[i] + from[i - distance] : from[i];
}

void scan(const int* x, int* y, int n) {
  int* other = nullptr;
  cudaMalloc(&other, n * sizeof(int));
  cudaMemcpy(y, x, n * sizeof(int), cudaMemcpyDeviceToDevice);
  for (long long distance = 1; distance < n; distance *= 2) {
    step<<<(n + 255) / 256, 256>>>(y, other, n, static_cast<int>(distance));
    cudaMemcpy(y, other, n * sizeof(int), cudaMemcpyDeviceToDevice);
  }
  if (n == 1) step<<<1, 1>>>(x, y, n, 1);
  cudaFree(other);
}
