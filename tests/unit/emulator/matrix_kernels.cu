// Products of matrices on the tensor units: through wmma, and through ldmatrix and mma as fast kernels do it.
#include <cstdint>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void wmma_product(const half* a, const half* b, float* c, int n) {
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::load_matrix_sync(x, a + row * n + k, n);  // wmma_product loads
    wmma::load_matrix_sync(y, b + k * n + column, n);
    wmma::mma_sync(sum, x, y, sum);
  }
  for (int k = 0; k < sum.num_elements; ++k) sum.x[k] *= 2.0f;
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

extern "C" __global__ void too_few_lanes(const half* a, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::load_matrix_sync(x, a, 16);  // too_few_lanes loads
  c[threadIdx.x] = __half2float(x.x[0]);
}

// 16 x 8 = 16 x 16 times 16 x 8, from rows of shared memory that are `pitch` halves apart.
extern "C" __global__ void mma_product(const half* a, const half* b, float* c, int pitch, int fill) {
  extern __shared__ __align__(16) half shared[];
  half *x = shared, *y = shared + 16 * pitch;
  const int lane = threadIdx.x;
  if (fill) {
    for (int k = lane; k < 256; k += 32) x[k / 16 * pitch + k % 16] = a[k];
    for (int k = lane; k < 128; k += 32) y[k / 8 * pitch + k % 8] = b[k];
  }
  __syncwarp();
  uint32_t fa[4], fb[2];
  float d[4] = {};
#if __CUDA_ARCH__ >= 750
  const auto at = [](const half* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); };
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
               : "r"(at(x + (lane % 16) * pitch + lane / 16 * 8)));  // mma_product loads a
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(fb[0]), "=r"(fb[1])
               : "r"(at(y + (lane % 16) * pitch)));
  for (int k = 0; k < 2; ++k)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(fa[2 * k]), "r"(fa[2 * k + 1]), "r"(fb[k]));
#endif
  for (int k = 0; k < 4; ++k) c[(lane / 4 + k / 2 * 8) * 8 + lane % 4 * 2 + k % 2] = d[k];
}

extern "C" __global__ void wmma_through_shared(const half* a, float* c, int sync) {
  __shared__ __align__(32) half x[256];
  __shared__ __align__(32) float s[256];
  for (int k = threadIdx.x; k < 256; k += 32) x[k] = a[k];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> l;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> r;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::load_matrix_sync(l, x, 16);
  wmma::load_matrix_sync(r, x, 16);
  wmma::fill_fragment(sum, 0.0f);
  wmma::mma_sync(sum, l, r, sum);
  wmma::store_matrix_sync(s, sum, 16, wmma::mem_col_major);
  if (sync) __syncwarp();
  for (int k = threadIdx.x; k < 256; k += 32) c[k] = s[k];  // wmma_through_shared reads
}
