// expect: nothing
// Lanes come to one guarded __syncwarp in different rounds of a loop: it ends when the last of them is there.

#include <cstdio>

__global__ void rounds(const int* in, int* out) {
  __shared__ int value[32];
  const int t = threadIdx.x;
  for (int round = 0; round < 4; ++round) {
    if (round == t / 8) value[t] = in[t] + round;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, %1; @p bar.warp.sync 0xffffffff; }" ::"r"(round), "r"(t / 8)
                 : "memory");
  }
  out[t] = value[31 - t];
}

int main() {
  int host[32], *in, *out;
  for (int i = 0; i < 32; ++i) host[i] = 100 * i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  rounds<<<1, 32>>>(in, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  for (int i = 0; i < 32; ++i)
    if (host[i] != 100 * (31 - i) + (31 - i) / 8) return std::printf("out[%d] is %d\n", i, host[i]), 1;
  return 0;
}
