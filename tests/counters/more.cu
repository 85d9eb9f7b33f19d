// A second set of kernels whose counters were read on an H200: atomics, local and constant memory, divergence, words that ptxas
// may merge, and whole kernels as courses have them. measure.py made h200_more.json from this file.

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(call)                                                                                         \
  do {                                                                                                   \
    const cudaError_t e = (call);                                                                        \
    if (e != cudaSuccess) {                                                                              \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e));                  \
      std::exit(1);                                                                                      \
    }                                                                                                    \
  } while (0)

#define T threadIdx.x

// Atomics on global memory. a_: nobody reads the result; r_: somebody does.
__global__ void a_mod2(int* o) { atomicAdd(o + T % 2, 3); }
__global__ void a_mod8(int* o) { atomicAdd(o + T % 8, static_cast<int>(T)); }
__global__ void a_stride2(int* o) { atomicAdd(o + 2 * T, 1); }
__global__ void a_stride32(int* o) { atomicAdd(o + 32 * T, 1); }
__global__ void a_half(int* o) { if (T < 16) atomicAdd(o + T, 1); }
__global__ void a_f32(float* o) { atomicAdd(o + T, 1.5f); }
__global__ void a_f32_same(float* o) { atomicAdd(o, 1.5f); }
__global__ void a_f32_mod4(float* o) { atomicAdd(o + T % 4, 1.5f); }
__global__ void a_f64(double* o) { atomicAdd(o + T, 1.5); }
__global__ void a_u64(unsigned long long* o) { atomicAdd(o + T, 3ull); }
__global__ void a_u64_same(unsigned long long* o) { atomicAdd(o, 3ull); }
__global__ void a_max(int* o) { atomicMax(o + T, static_cast<int>(T)); }
__global__ void a_max_same(int* o) { atomicMax(o, static_cast<int>(T)); }
__global__ void a_or_same(int* o) { atomicOr(o, 1 << T); }
__global__ void r_mod2(int* o, int* p) { p[T] = atomicAdd(o + T % 2, 3); }
__global__ void r_mod8(int* o, int* p) { p[T] = atomicAdd(o + T % 8, static_cast<int>(T)); }
__global__ void r_f32(float* o, float* p) { p[T] = atomicAdd(o + T, 1.5f); }
__global__ void r_cas(int* o, int* p) { p[T] = atomicCAS(o + T, 0, static_cast<int>(T)); }
__global__ void r_cas_same(int* o, int* p) { p[T] = atomicCAS(o, 0, static_cast<int>(T)); }
__global__ void r_exch(int* o, int* p) { p[T] = atomicExch(o + T, static_cast<int>(T)); }
__global__ void r_counter(int* o, int* p) { p[T] = atomicAdd(o, 1); }

// Atomics on shared memory.
template <class V, class F>
__device__ void shared_atomic(V* o, F f) {
  __shared__ V s[1024];
  for (int k = T; k < 1024; k += 32) s[k] = 0;
  __syncwarp();
  f(s);
  __syncwarp();
  o[T] = s[T];
}
__global__ void h_same(int* o) { shared_atomic(o, [](int* s) { atomicAdd(s, 3); }); }
__global__ void h_one_same(int* o) { shared_atomic(o, [](int* s) { atomicAdd(s, 1); }); }
__global__ void h_one_mod2(int* o) { shared_atomic(o, [](int* s) { atomicAdd(s + T % 2, 1); }); }
__global__ void h_mod2(int* o) { shared_atomic(o, [](int* s) { atomicAdd(s + T % 2, 3); }); }
__global__ void h_mod8(int* o) { shared_atomic(o, [](int* s) { atomicAdd(s + T % 8, static_cast<int>(T)); }); }
__global__ void h_distinct(int* o) { shared_atomic(o, [](int* s) { atomicAdd(s + T, static_cast<int>(T)); }); }
__global__ void h_stride2(int* o) { shared_atomic(o, [](int* s) { atomicAdd(s + 2 * T, 1); }); }
__global__ void h_stride32(int* o) { shared_atomic(o, [](int* s) { atomicAdd(s + 32 * T % 1024, 1); }); }
__global__ void h_max(int* o) { shared_atomic(o, [](int* s) { atomicMax(s + T % 4, static_cast<int>(T)); }); }
__global__ void h_exch(int* o) { shared_atomic(o, [](int* s) { s[T + 32] = atomicExch(s + T, static_cast<int>(T)); }); }
__global__ void h_half(int* o) { shared_atomic(o, [](int* s) { if (T < 16) atomicAdd(s + T, 1); }); }

// Local memory: arrays that no compiler can keep in registers.
__global__ void l_dynamic(const int* at, float* o) {
  float v[300];
  for (int k = 0; k < 300; ++k) v[k] = k * T;
  for (int k = 0; k < 20; ++k) v[(at[k * 32 + T] & 0xff)] += 1;
  float sum = 0;
  for (int k = 0; k < 300; ++k) sum += v[k] * k;
  o[T] = sum;
}
__global__ void l_uniform(const int* at, float* o, int n) {
  float v[300];
  for (int k = 0; k < n; ++k) v[k] = k * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += v[at[k] & 0xff];
  o[T] = sum;
}
__global__ void l_stack(const int* at, int* o, int n) {
  int stack[128], top = 0, sum = 0;
  for (int k = 0; k < n; ++k) {
    if (at[k * 32 + T] & 1) stack[top++ & 127] = k;
    else if (top > 0) sum += stack[--top & 127];
  }
  o[T] = sum;
}

// Constant memory.
__constant__ float table[1024];
__global__ void c_uniform(float* o) { o[T] = table[7] + table[100]; }
__global__ void c_loop(float* o, int n) { float v = 0; for (int k = 0; k < n; ++k) v += table[k]; o[T] = v; }
__global__ void c_lane(float* o) { o[T] = table[T]; }
__global__ void c_pairs(float* o) { o[T] = table[T / 2 * 16]; }

// Divergence.
__global__ void d_halves(const int* x, int* o) { int v = x[T]; if (T < 16) for (int k = 0; k < 9; ++k) v = v * 3 + k; else for (int k = 0; k < 9; ++k) v ^= v >> k; o[T] = v; }
__global__ void d_odd(const int* x, int* o) { int v = x[T]; if (T & 1) { o[T + 32] = v; v += 1; } o[T] = v; }
__global__ void d_short(const int* x, int* o) { int v = x[T]; if (v & 1) v = v * 3 + 1; o[T] = v; }
__global__ void d_uneven(const int* x, int* o) { int v = x[T]; for (int k = 0; k < static_cast<int>(T); ++k) v = v * 5 + k; o[T] = v; }
__global__ void d_uniform(const int* x, int* o, int n) { int v = x[T]; if (n > 5) for (int k = 0; k < n; ++k) v = v * 5 + k; o[T] = v; }
__global__ void d_nested(const int* x, int* o) { int v = x[T]; if (v & 1) { if (v & 2) o[T + 32] = v; else o[T + 64] = v * 2; } else if (v & 4) o[T + 96] = v; o[T] = v; }
__global__ void d_guard(const float* x, float* o, int n) { int i = blockIdx.x * blockDim.x + T; if (i < n) o[i] = 2 * x[i]; }

// Shared words that may become wider accesses.
__global__ void w_row4(const float* x, float* o) { __shared__ float s[32][4]; for (int k = 0; k < 4; ++k) s[T][k] = x[4 * T + k]; __syncthreads(); o[T] = s[T][0] + s[T][1] * 2 + s[T][2] * 3 + s[T][3] * 4; }
__global__ void w_row2(const float* x, float* o) { __shared__ float s[32][2]; s[T][0] = x[T]; s[T][1] = x[T + 32]; __syncthreads(); o[T] = s[31 - T][0] - s[31 - T][1]; }
__global__ void w_row3(const float* x, float* o) { __shared__ float s[32][3]; for (int k = 0; k < 3; ++k) s[T][k] = x[3 * T + k]; __syncthreads(); o[T] = s[T][0] + s[T][1] * 2 + s[T][2]; }
__global__ void w_window(const float* x, float* o) { __shared__ float s[40]; s[T] = x[T]; if (T < 8) s[T + 32] = x[T + 32]; __syncthreads(); float v = 0; for (int k = 0; k < 8; ++k) v += s[T + k] * k; o[T] = v; }
__global__ void w_fixed(const float* x, float* o) { __shared__ float s[32]; s[T] = x[T]; __syncthreads(); float v = 0; for (int k = 0; k < 32; ++k) v += s[k] * k; o[T] = v; }
__global__ void w_global4(const float* x, float* o) { o[T] = x[4 * T] + x[4 * T + 1] * 2 + x[4 * T + 2] * 3 + x[4 * T + 3] * 4; }
__global__ void w_store4(const float* x, float* o) { float v = x[T]; o[4 * T] = v; o[4 * T + 1] = v * 2; o[4 * T + 2] = v * 3; o[4 * T + 3] = v * 4; }

// Whole kernels.
template <int N>
__global__ void k_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float as[N][N], bs[N][N];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * N + y, col = blockIdx.x * N + x;
  float sum = 0;
  for (int t = 0; t < n; t += N) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + col];
    __syncthreads();
    for (int k = 0; k < N; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
__global__ void k_tiled_padded(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][17], bs[16][17];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[y][x] = a[row * n + t + x];
    bs[x][y] = b[(t + y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[x][k];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
__global__ void k_stencil(const float* x, float* o, int n) {
  __shared__ float s[18][18];
  const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  for (int k = threadIdx.y * 16 + threadIdx.x; k < 18 * 18; k += 256) {
    const int gx = min(max(static_cast<int>(blockIdx.x) * 16 + k % 18 - 1, 0), n - 1);
    const int gy = min(max(static_cast<int>(blockIdx.y) * 16 + k / 18 - 1, 0), n - 1);
    s[k / 18][k % 18] = x[gy * n + gx];
  }
  __syncthreads();
  const int a = threadIdx.x + 1, b = threadIdx.y + 1;
  o[j * n + i] = s[b][a] * 4 - s[b - 1][a] - s[b + 1][a] - s[b][a - 1] - s[b][a + 1];
}
__global__ void k_scan(const int* x, int* o) {
  __shared__ int s[2][256];
  int from = 0;
  s[0][T] = x[blockIdx.x * 256 + T];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    s[1 - from][T] = s[from][T] + (T >= d ? s[from][T - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  o[blockIdx.x * 256 + T] = s[from][T];
}
__global__ void k_bitonic(const int* x, int* o) {
  __shared__ int s[256];
  s[T] = x[T];
  __syncthreads();
  for (int k = 2; k <= 256; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      const int other = T ^ j;
      if (other > T) {
        const int a = s[T], b = s[other];
        if ((a > b) == ((T & k) == 0)) {
          s[T] = b;
          s[other] = a;
        }
      }
      __syncthreads();
    }
  o[T] = s[T];
}
__global__ void k_softmax(const float* x, float* o, int n) {
  __shared__ float part[8];
  const float* row = x + blockIdx.x * n;
  float most = -1e30f, sum = 0;
  for (int k = T; k < n; k += 256) most = fmaxf(most, row[k]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  if (T % 32 == 0) part[T / 32] = most;
  __syncthreads();
  for (int k = 0; k < 8; ++k) most = fmaxf(most, part[k]);
  __syncthreads();
  for (int k = T; k < n; k += 256) sum += __expf(row[k] - most);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (T % 32 == 0) part[T / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; ++k) sum += part[k];
  for (int k = T; k < n; k += 256) o[blockIdx.x * n + k] = __expf(row[k] - most) / sum;
}
__global__ void k_rows(const float* x, float* o, int n) {
  const int warp = (blockIdx.x * blockDim.x + T) / 32, lane = T % 32;
  float v = 0;
  for (int k = lane; k < n; k += 32) v += x[warp * n + k];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (lane == 0) o[warp] = v;
}
__global__ void k_gather(const int* at, const float* x, float* o, int n) {
  const int i = blockIdx.x * blockDim.x + T;
  if (i < n) o[i] = x[static_cast<unsigned>(at[i]) % 100000u];
}
__global__ void k_csr(const int* length, const float* x, float* o) {
  const int i = blockIdx.x * blockDim.x + T;
  const int from = i * 16, to = from + (length[i] & 15);
  float v = 0;
  for (int k = from; k < to; ++k) v += x[k];
  o[i] = v;
}
__global__ void k_bins(const int* x, unsigned* bins, int n) {
  __shared__ unsigned s[64];
  if (T < 64) s[T] = 0;
  __syncthreads();
  for (int k = blockIdx.x * blockDim.x + T; k < n; k += gridDim.x * blockDim.x) atomicAdd(&s[x[k] & 63], 1u);
  __syncthreads();
  if (T < 64) atomicAdd(&bins[T], s[T]);
}
__global__ void k_vector_copy(const float4* x, float4* o, int n) { for (int k = blockIdx.x * blockDim.x + T; k < n; k += gridDim.x * blockDim.x) o[k] = x[k]; }
__global__ void k_swap(float* x, int n) { const int i = blockIdx.x * blockDim.x + T; if (i < n / 2) { const float a = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = a; } }
__global__ void k_poly(const float* x, float* o, int n) { const int i = blockIdx.x * blockDim.x + T; if (i < n) { float v = 0; for (int k = 15; k >= 0; --k) v = v * x[i] + table[k]; o[i] = v; } }

int main() {
  constexpr int N = 1 << 20;
  std::vector<int> h(N);
  unsigned seed = 12345;
  for (int& v : h) v = static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 8);
  int *x, *o, *p;
  CK(cudaMalloc(&x, 4 * N));
  CK(cudaMalloc(&o, 4 * N));
  CK(cudaMalloc(&p, 4 * N));
  CK(cudaMemcpy(x, h.data(), 4 * N, cudaMemcpyHostToDevice));
  CK(cudaMemset(o, 0, 4 * N));
  CK(cudaMemset(p, 0, 4 * N));
  CK(cudaMemcpyToSymbol(table, h.data(), 4096));
  const auto* xf = reinterpret_cast<const float*>(x);
  auto* of = reinterpret_cast<float*>(o);
  auto* pf = reinterpret_cast<float*>(p);
  auto* ou = reinterpret_cast<unsigned long long*>(o);
#define L(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)
  L(a_mod2, o); L(a_mod8, o); L(a_stride2, o); L(a_stride32, o); L(a_half, o); L(a_f32, of); L(a_f32_same, of); L(a_f32_mod4, of);
  L(a_f64, reinterpret_cast<double*>(o)); L(a_u64, ou); L(a_u64_same, ou); L(a_max, o); L(a_max_same, o); L(a_or_same, o);
  L(r_mod2, o, p); L(r_mod8, o, p); L(r_f32, of, pf); L(r_cas, o, p); L(r_cas_same, o, p); L(r_exch, o, p); L(r_counter, o, p);
  L(h_same, o); L(h_one_same, o); L(h_one_mod2, o); L(h_mod2, o); L(h_mod8, o); L(h_distinct, o); L(h_stride2, o); L(h_stride32, o);
  L(h_max, o); L(h_exch, o); L(h_half, o);
  L(l_dynamic, x, of); L(l_uniform, x, of, 200); L(l_stack, x, o, 100);
  L(c_uniform, of); L(c_loop, of, 50); L(c_lane, of); L(c_pairs, of);
  L(d_halves, x, o); L(d_odd, x, o); L(d_short, x, o); L(d_uneven, x, o); L(d_uniform, x, o, 10); L(d_nested, x, o);
  d_guard<<<5, 128>>>(xf, of, 600);
  L(w_row4, xf, of); L(w_row2, xf, of); L(w_row3, xf, of); L(w_window, xf, of); L(w_fixed, xf, of); L(w_global4, xf, of); L(w_store4, xf, of);
  k_tiled<8><<<dim3(8, 8), dim3(8, 8)>>>(xf, xf, of, 64);
  k_tiled<16><<<dim3(4, 4), dim3(16, 16)>>>(xf, xf, of, 64);
  k_tiled<32><<<dim3(2, 2), dim3(32, 32)>>>(xf, xf, of, 64);
  k_tiled_padded<<<dim3(4, 4), dim3(16, 16)>>>(xf, xf, of, 64);
  k_stencil<<<dim3(8, 8), dim3(16, 16)>>>(xf, of, 128);
  k_scan<<<4, 256>>>(x, o);
  k_bitonic<<<1, 256>>>(x, o);
  k_softmax<<<4, 256>>>(xf, of, 1000);
  k_rows<<<8, 128>>>(xf, of, 1000);
  k_gather<<<20, 256>>>(x, xf, of, 5000);
  k_csr<<<4, 256>>>(x, xf, of);
  k_bins<<<4, 256>>>(x, reinterpret_cast<unsigned*>(p), 10000);
  k_vector_copy<<<8, 256>>>(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(o), 10000);
  k_swap<<<20, 256>>>(of, 10000);
  k_poly<<<20, 256>>>(xf, of, 5000);
  CK(cudaGetLastError());
  CK(cudaDeviceSynchronize());
  std::printf("ok\n");
  return 0;
}
