// expect: exit 0
// options: --gpu a100
// A product of f16 matrices as fast kernels write it: tiles come by cp.async in two stages, fragments by ldmatrix, and
// mma.m16n8k16 multiplies them. The host checks every element.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kTile = 32, kDepth = 32, kPitch = kDepth + 8;  // 80 bytes: the rows of ldmatrix take all banks

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// c = a b', all stored by rows; b' has n rows of depth k. Four warps, each a 16 x 16 piece of the block's 32 x 32.
__global__ void gemm(const half* a, const half* b, float* c, int n, int k) {
  __shared__ __align__(16) half ta[2][kTile][kPitch], tb[2][kTile][kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile, wr = warp / 2 * 16, wc = warp % 2 * 16;
  const auto fetch = [&](int stage, int at) {
    const int row = threadIdx.x / 4, part = threadIdx.x % 4 * 8;
    __pipeline_memcpy_async(&ta[stage][row][part], a + (row0 + row) * k + at + part, 16);
    __pipeline_memcpy_async(&tb[stage][row][part], b + (column0 + row) * k + at + part, 16);
  };
  float d[2][4] = {};
  fetch(0, 0);
  __pipeline_commit();
  for (int at = 0, stage = 0; at < k; at += kDepth, stage ^= 1) {
    if (at + kDepth < k) fetch(stage ^ 1, at + kDepth);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int z = 0; z < kDepth; z += 16) {
      uint32_t x[4], y[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "r"(shared_address(&ta[stage][wr + lane % 16][z + lane / 16 * 8])));
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
                   : "r"(shared_address(&tb[stage][wc + lane % 16][z + lane / 16 * 8])));
      for (int half_tile = 0; half_tile < 2; ++half_tile)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[half_tile][0]), "+f"(d[half_tile][1]), "+f"(d[half_tile][2]), "+f"(d[half_tile][3])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[half_tile]), "r"(y[half_tile + 2]));
    }
    __syncthreads();
  }
  for (int t = 0; t < 2; ++t)
    for (int i = 0; i < 4; ++i)
      c[(row0 + wr + lane / 4 + i / 2 * 8) * n + column0 + wc + t * 8 + lane % 4 * 2 + i % 2] = d[t][i];
}

int main() {
  constexpr int m = 64, n = 96, k = 128;
  const auto va = [](int r, int z) { return static_cast<float>((r * 5 + z * 3) % 9 - 4) / 2; };
  const auto vb = [](int q, int z) { return static_cast<float>((q * 7 + z) % 11 - 5) / 4; };
  std::vector<half> a(m * k), b(n * k);
  std::vector<float> c(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = __float2half(va(i / k, i % k));
  for (int i = 0; i < n * k; ++i) b[i] = __float2half(vb(i / k, i % k));
  half *da, *db;
  float* dc;
  cudaMalloc(&da, sizeof(half) * m * k);
  cudaMalloc(&db, sizeof(half) * n * k);
  cudaMalloc(&dc, sizeof(float) * m * n);
  cudaMemcpy(da, a.data(), sizeof(half) * m * k, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), sizeof(half) * n * k, cudaMemcpyHostToDevice);
  gemm<<<dim3(n / kTile, m / kTile), 128>>>(da, db, dc, n, k);
  if (cudaGetLastError() != cudaSuccess) return 1;
  if (cudaMemcpy(c.data(), dc, sizeof(float) * m * n, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  for (int r = 0; r < m; ++r)
    for (int q = 0; q < n; ++q) {
      float sum = 0;  // multiples of 1/8: exact
      for (int z = 0; z < k; ++z) sum += va(r, z) * vb(q, z);
      if (c[r * n + q] != sum) return std::printf("row %d, column %d is %g and not %g\n", r, q, c[r * n + q], sum), 1;
    }
  return 0;
}
