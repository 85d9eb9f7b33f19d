// expect: exit 0
// Clocks go forward within a thread, from kernel to kernel, and through a wait for %globaltimer.
#include <cstdio>

__global__ void read(long long* out) {
  const long long begin = clock64();
  const unsigned first = clock();
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    __nanosleep(200);
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < 20000);
  out[0] = begin;
  out[1] = clock64();
  out[2] = clock() - first;
  out[3] = static_cast<long long>(now - start);
}

int main() {
  long long *out, a[4], b[4];
  cudaMalloc(&out, sizeof a);
  read<<<1, 1>>>(out);
  cudaMemcpy(a, out, sizeof a, cudaMemcpyDeviceToHost);
  read<<<1, 1>>>(out);
  if (cudaMemcpy(b, out, sizeof b, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  cudaFree(out);
  const bool good = a[1] > a[0] && b[0] >= a[1] && b[1] > b[0] && a[2] > 0 && a[3] >= 20000;
  if (!good) std::printf("%lld %lld %lld %lld, %lld %lld\n", a[0], a[1], a[2], a[3], b[0], b[1]);
  return good ? 0 : 1;
}
