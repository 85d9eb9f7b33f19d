// expect: requirement_not_met
// Right, but neither managed memory nor lists: the items are copied, and every one is added with an atomic.

__global__ void add(const float* value, const int* group, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[group[i]], value[i]);
}

void managed_list(const float* value, const int* group, float* sums, int n, int groups) {
  float* values;
  int* numbers;
  cudaMalloc(&values, n * sizeof(float));
  cudaMalloc(&numbers, n * sizeof(int));
  cudaMemcpy(values, value, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(numbers, group, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(sums, 0, groups * sizeof(float));
  add<<<(n + 255) / 256, 256>>>(values, numbers, sums, n);
  cudaFree(values);
  cudaFree(numbers);
}
