// expect: exit 0
// options: --gpu a100
// D = A B + C on the tensor units through nvcuda::wmma: f16 with both kinds of accumulators, bf16, tf32, s8 and f64.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>
#include <vector>

using namespace nvcuda;

template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<wmma::precision::tf32> {
  using type = float;
};

template <int M, int N, int K, class T, class Sum, class LayoutA, class LayoutB>
__global__ void product(const typename Stored<T>::type* a, const typename Stored<T>::type* b, const Sum* c, Sum* d,
                        int lda, int ldb) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> x;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> y;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> s;
  wmma::load_matrix_sync(s, c, N, wmma::mem_row_major);
  wmma::load_matrix_sync(x, a, lda);
  wmma::load_matrix_sync(y, b, ldb);
  wmma::mma_sync(s, x, y, s);
  wmma::store_matrix_sync(d, s, N, wmma::mem_row_major);
}

template <int M, int N, int K, class T, class Sum, class LayoutA, class LayoutB>
static bool check(const char* name) {
  using S = typename Stored<T>::type;
  constexpr bool a_rows = std::is_same_v<LayoutA, wmma::row_major>, b_rows = std::is_same_v<LayoutB, wmma::row_major>;
  // Small integers: every product and sum is exact in every type here.
  const auto va = [](int r, int k) { return (r * 3 + k * 5) % 7 - 3; };
  const auto vb = [](int k, int q) { return (k * 2 + q * 3) % 5 - 2; };
  const auto vc = [](int r, int q) { return (r + q) % 9 - 4; };
  std::vector<S> a(M * K), b(K * N);
  std::vector<Sum> c(M * N), d(M * N);
  for (int r = 0; r < M; ++r)
    for (int k = 0; k < K; ++k) a[a_rows ? r * K + k : k * M + r] = static_cast<S>(static_cast<float>(va(r, k)));
  for (int k = 0; k < K; ++k)
    for (int q = 0; q < N; ++q) b[b_rows ? k * N + q : q * K + k] = static_cast<S>(static_cast<float>(vb(k, q)));
  for (int r = 0; r < M; ++r)
    for (int q = 0; q < N; ++q) c[r * N + q] = static_cast<Sum>(static_cast<float>(vc(r, q)));
  S *da, *db;
  Sum *dc, *dd;
  cudaMalloc(&da, sizeof(S) * M * K);
  cudaMalloc(&db, sizeof(S) * K * N);
  cudaMalloc(&dc, sizeof(Sum) * M * N);
  cudaMalloc(&dd, sizeof(Sum) * M * N);
  cudaMemcpy(da, a.data(), sizeof(S) * M * K, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), sizeof(S) * K * N, cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), sizeof(Sum) * M * N, cudaMemcpyHostToDevice);
  product<M, N, K, T, Sum, LayoutA, LayoutB><<<1, 32>>>(da, db, dc, dd, a_rows ? K : M, b_rows ? N : K);
  const bool ran = cudaGetLastError() == cudaSuccess &&
                   cudaMemcpy(d.data(), dd, sizeof(Sum) * M * N, cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  cudaFree(dd);
  if (!ran) return std::printf("%s: did not run\n", name), false;
  for (int r = 0; r < M; ++r)
    for (int q = 0; q < N; ++q) {
      int sum = vc(r, q);
      for (int k = 0; k < K; ++k) sum += va(r, k) * vb(k, q);
      if (static_cast<float>(d[r * N + q]) != static_cast<float>(sum))
        return std::printf("%s: row %d, column %d is %g and not %d\n", name, r, q, static_cast<float>(d[r * N + q]), sum),
               false;
    }
  return true;
}

int main() {
  using Rows = wmma::row_major;
  using Columns = wmma::col_major;
  bool ok = check<16, 16, 16, half, float, Rows, Columns>("f16, f32 sums");
  ok &= check<16, 16, 16, half, half, Columns, Rows>("f16, f16 sums");
  ok &= check<32, 8, 16, half, float, Rows, Rows>("f16, 32 x 8");
  ok &= check<8, 32, 16, half, half, Rows, Columns>("f16, 8 x 32");
  ok &= check<16, 16, 16, __nv_bfloat16, float, Rows, Columns>("bf16");
  ok &= check<16, 16, 8, wmma::precision::tf32, float, Rows, Columns>("tf32");
  ok &= check<16, 16, 16, signed char, int, Rows, Columns>("s8");
  ok &= check<8, 32, 16, signed char, int, Columns, Rows>("s8, 8 x 32");
  ok &= check<8, 8, 4, double, double, Rows, Columns>("f64");
  return ok ? 0 : 1;
}
