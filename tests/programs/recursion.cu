// expect: exit 0
// Ackermann's function and a quicksort that calls itself, with arrays on the stack.
#include <algorithm>
#include <cstdio>

__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ void sort(int* x, int low, int high) {
  if (low >= high) return;
  const int pivot = x[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (x[i] < pivot) ++i;
    while (x[j] > pivot) --j;
    if (i > j) break;
    const int t = x[i];
    x[i++] = x[j];
    x[j--] = t;
  }
  sort(x, low, j);
  sort(x, i, high);
}

constexpr int kLength = 50;
__global__ void work(int* numbers, int* sorted) {
  numbers[threadIdx.x] = ackermann(2, threadIdx.x);
  int mine[kLength];
  for (int k = 0; k < kLength; ++k) mine[k] = (k * 37 + threadIdx.x * 11) % 101;
  sort(mine, 0, kLength - 1);
  for (int k = 0; k < kLength; ++k) sorted[threadIdx.x * kLength + k] = mine[k];
}

int main() {
  const int threads = 8;
  int *numbers, *sorted, a[threads], s[threads * kLength];
  cudaMalloc(&numbers, sizeof a);
  cudaMalloc(&sorted, sizeof s);
  cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024);
  work<<<1, threads>>>(numbers, sorted);
  cudaMemcpy(a, numbers, sizeof a, cudaMemcpyDeviceToHost);
  if (cudaMemcpy(s, sorted, sizeof s, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (int t = 0; t < threads; ++t) {
    int expected[kLength];
    for (int k = 0; k < kLength; ++k) expected[k] = (k * 37 + t * 11) % 101;
    std::sort(expected, expected + kLength);
    if (a[t] == 2 * t + 3 && std::equal(expected, expected + kLength, s + t * kLength)) continue;  // A(2, n) = 2n + 3
    std::printf("thread %d is wrong\n", t);
    return 1;
  }
  cudaFree(numbers);
  cudaFree(sorted);
}
