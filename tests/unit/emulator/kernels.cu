// Small kernels, one behaviour each, for emulator_test.cpp. Names are not mangled, so that the test can say them.

#include <cassert>
#include <cstdio>
#include <cuda_fp16.h>

extern "C" {

__global__ void branches(const int* in, int* out) {
  const int t = threadIdx.x + blockIdx.x * blockDim.x;
  int v = in[t];
  if (v & 1) {
    for (int k = 0; k < t % 7; ++k) v = v * 3 + k;
  } else if (v % 3 == 0) {
    v /= 3;
  } else {
    while (v > 10) v -= 4;
  }
  switch (t % 5) {
    case 0: v += 100; break;
    case 1: v ^= 0x55; break;
    case 2: v -= 7; break;
    case 3: v *= 2; break;
    default: v = -v;
  }
  out[t] = v;
}

__constant__ int constant_table[4] = {10, 20, 30, 40};

__global__ void constant_reads(const int* which, int* out) {
  const int alike = constant_table[which[0]];
  out[threadIdx.x] = alike + constant_table[threadIdx.x % 4];
}

__global__ void spin_lock(int* lock, int* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *static_cast<volatile int*>(count) = *static_cast<volatile int*>(count) + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void early_return(float* out, int n) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  s[t] = t;
  __syncthreads();
  out[t] = s[n - 1 - t];
}

__global__ void barrier_in_branch(int* out) {
  const int t = threadIdx.x;
  if (t < 16) __syncthreads();
  out[t] = t;
}

__global__ void barrier_in_uneven_loop(int* out) {
  const int t = threadIdx.x;
  for (int k = 0; k <= t / 32; ++k) __syncthreads();
  out[t] = t;
}

__global__ void reverse(const int* in, int* out, int sync) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  if (sync) __syncthreads();
  out[t] = s[63 - t];
}

__global__ void reuse_without_second_barrier(const int* in, int* out, int tiles) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < tiles; ++k) {
    s[t] = in[64 * k + t];
    __syncthreads();
    sum += s[63 - t];
  }
  out[t] = sum;
}

__global__ void same_value(int* flag) { *flag = 7; }
__global__ void different_values(int* flag) { *flag = threadIdx.x; }

__global__ void neighbouring_bytes(unsigned char* out) {
  __shared__ unsigned char s[64];
  s[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void warp_sum(const int* in, int* out, int sync) {
  __shared__ volatile int quiet[1];
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = in[t];
  for (int d = 16; d > 0; d /= 2) {
    if (sync) __syncwarp();
    const int other = t < d ? s[t + d] : 0;
    if (sync) __syncwarp();
    if (t < d) s[t] += other;
  }
  if (t == 0) out[0] = s[0];
  quiet[0] = 0;
}

__global__ void shift_in_place(int* x) {
  const int t = threadIdx.x;
  x[t + 1] = x[t];
}

__global__ void read_other_block(int* x, int* out) {
  x[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;
  out[blockIdx.x * 32 + threadIdx.x] = x[(blockIdx.x + 1) % gridDim.x * 32 + threadIdx.x];
}

__global__ void last_block_sum(const int* in, int* partial, unsigned* done, int* out) {
  __shared__ bool last;
  int v = in[blockIdx.x * 32 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += static_cast<volatile int*>(partial)[b];
    *out = sum;
  }
}

__global__ void read_shared_unset(int* out) {
  __shared__ int s[64];
  if (threadIdx.x != 5) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}

__global__ void copy(const int* in, int* out, int n, int offset) {
  const int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t < n) out[t] = in[t + offset];
}

__global__ void copy4(const float4* in, float4* out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void past_shared(int* out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = dynamic[threadIdx.x];
}

__global__ void shuffles(int* out, int missing) {
  const int t = threadIdx.x;
  const unsigned mask = missing ? 0xffffu : ~0u;
  if (missing && t >= 16) return;
  out[t] = __shfl_xor_sync(mask, t, 5) + 1000 * __shfl_up_sync(mask, t, 3) + 1000000 * __shfl_sync(mask, t, missing ? 20 : 9);
}

__global__ void votes(unsigned* out) {
  const int t = threadIdx.x;
  out[t] = __ballot_sync(~0u, t % 3 == 0);
  out[32 + t] = __all_sync(~0u, t < 32) + 2 * __any_sync(~0u, t == 40);
  out[64 + t] = __match_any_sync(~0u, t / 8);
}

}  // extern "C"

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ int (*const functions[2])(int) = {twice, square};

extern "C" {

__global__ void recursion(int* out) { out[threadIdx.x] = fib(threadIdx.x % 12); }
__global__ void pointers(int* out) { out[threadIdx.x] = functions[threadIdx.x % 2](threadIdx.x); }
__global__ void endless_recursion(int* out) { out[0] = fib(1000000000); }

__global__ void prints(int n) {
  if (threadIdx.x < n) printf("block %d thread %u: %5.2f %s %c %lld %x%%\n", blockIdx.x, threadIdx.x, threadIdx.x * 0.5, "text", 'z', 1LL << 40, 255);
}

__global__ void asserts(int n) { assert(threadIdx.x < n); }
__global__ void traps() { __trap(); }
__global__ void endless() {
  for (;;) __nanosleep(1);
}
__global__ void nothing() {}
__global__ void __launch_bounds__(128) bounded() {}

__global__ void atomics(unsigned* u, int* s, unsigned long long* l, float* f) {
  const int t = threadIdx.x;
  atomicAdd(u + 0, t);
  atomicMax(u + 1, t);
  atomicMin(u + 2, t + 3);
  atomicAnd(u + 3, ~(1u << t));
  atomicOr(u + 4, 1u << t);
  atomicXor(u + 5, 1u << t);
  atomicInc(u + 6, 9);
  atomicDec(u + 7, 9);
  atomicExch(u + 8, 77u);
  atomicMax(s + 0, t - 16);
  atomicMin(s + 1, t - 16);
  atomicSub(s + 2, t);
  atomicAdd(l, 1ull << 33);
  atomicAdd(f, 0.25f);
}

__global__ void local_array(const int* index, int* out) {
  int v[16];
  for (int k = 0; k < 16; ++k) v[k] = k * k;
  v[index[threadIdx.x] & 15] += 1000;
  out[threadIdx.x] = v[(index[threadIdx.x] + 1) & 15] + v[index[threadIdx.x] & 15];
}

__global__ void halves(const __half* a, const __half* b, __half* out) {
  const int t = threadIdx.x;
  out[t] = __hfma(a[t], b[t], __float2half(0.5f));
}

__global__ void many_registers(const float* in, float* out) {
  float v[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) v[k] = in[48 * threadIdx.x + k];
#pragma unroll
  for (int round = 0; round < 3; ++round)
#pragma unroll
    for (int k = 0; k < 48; ++k) v[k] = v[(k + 7) % 48] * 0.5f + v[k];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 48; ++k) sum += v[k] * (k + 1);
  out[threadIdx.x] = sum;
}

// y[r][t] = x[at[r][t]] through shared memory too, -1: the thread sits out. One load instruction meets many shapes.
#define SHAPES(name, T)                                                                       \
  __global__ void name(const T* x, const int* at, T* y, T* z, int rounds) {                   \
    __shared__ T s[256];                                                                      \
    const int t = threadIdx.x;                                                                \
    for (int k = t; k < 256; k += 32) s[k] = x[k];                                            \
    __syncthreads();                                                                          \
    for (int r = 0; r < rounds; ++r) {                                                        \
      const int from = at[32 * r + t];                                                        \
      if (from >= 0) {                                                                        \
        y[32 * r + from % 32] = x[from];                                                      \
        z[32 * r + t] = s[from];                                                              \
      }                                                                                       \
    }                                                                                         \
  }
SHAPES(shapes_u8, unsigned char)
SHAPES(shapes_s16, short)
SHAPES(shapes_f32, float)
SHAPES(shapes_f64, double)
SHAPES(shapes_f32x2, float2)
SHAPES(shapes_f32x4, float4)

// Several loads of shared memory from one base register, with offsets: of six bases. A negative index: the lane does
// nothing this round.
__global__ void unrolled_reads(const int* x, const int* at, int* y, int rounds) {
  __shared__ int tile[256];
  for (int k = threadIdx.x; k < 256; k += 32) tile[k] = x[k];
  __syncthreads();
  for (int r = 0; r < rounds; ++r) {
    const int i = at[32 * r + threadIdx.x];
    if (i < 0) continue;
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      sum += tile[i + k] * 3 + tile[(i ^ 5) + k] * 5 + tile[(i & 15) + 2 * k] * 7 + tile[i / 2 + k] * 11 + tile[200 - i + k] * 13 +
             tile[(i | 8) + k] * 17;
    y[32 * r + threadIdx.x] = sum;
  }
}

// a, whose neighbour in shared memory is b; four words in a row are read from each thread's place.
__global__ void past_first_array(int* y, int from) {
  __shared__ int a[64], b[64];
  a[threadIdx.x] = a[threadIdx.x + 32] = b[threadIdx.x] = b[threadIdx.x + 32] = 1;
  __syncthreads();
  for (int r = 0; r < 3; ++r) {  // the third time beyond the end where the first two were not
    const int* p = a + threadIdx.x + (r == 2 ? from : 0);
    y[32 * r + threadIdx.x] = p[0] + p[1] + p[2] + p[3] + b[threadIdx.x];  // past the end of a
  }
}

__global__ void reads_ahead_of_writes(int* y, int written) {
  __shared__ int a[64];
  if (threadIdx.x < written) a[threadIdx.x] = 1;
  if (threadIdx.x + 32 < written) a[threadIdx.x + 32] = 1;
  __syncthreads();
  const int* p = a + threadIdx.x;
  y[threadIdx.x] = p[0] + p[4] + p[8];  // ahead of the writes
}

// A 32-bit load into a 64-bit register: nvcc widens the index this way.
__global__ void widened_index(const unsigned* at, const float* x, float* y, int rounds) {
  for (int r = 0; r < rounds; ++r) y[32 * r + threadIdx.x] = x[at[32 * r + threadIdx.x] & 255];
}

}  // extern "C"

extern "C" __global__ void two_bad_lanes(int* p) {
  int* q = threadIdx.x == 9 ? nullptr : p;
  if (threadIdx.x == 5) q += 4096;
  q[threadIdx.x] = 1;
}

extern "C" __global__ void early_leavers(int* out) {
  __shared__ int s[64];
  if (threadIdx.x >= 40) return;
  s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}

extern "C" __global__ void store_bytes(unsigned char* p, int n) {
  if (threadIdx.x < n) p[threadIdx.x] = 7;
}

extern "C" __global__ void add_to_each(int* p) {
  atomicAdd(p + threadIdx.x, 1);
}

// Two blocks, `apart` from each other, increment the same elements.
extern "C" __global__ void far_increment(int* y, unsigned apart) {
  if (blockIdx.x == 0 || blockIdx.x == apart) y[threadIdx.x] = y[threadIdx.x] + 1;
}

// A name that would be a type if it were mangled.
extern "C" __global__ void f(int* y) {
  extern __shared__ int s[];
  y[threadIdx.x] = s[threadIdx.x];
}

// Two loads by the read-only path and one that may not take it, because y is written.
extern "C" __global__ void read_only_path(const int* __restrict__ x, int* __restrict__ y, const int* z) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  y[t] = x[t] + __ldg(z + t) + y[t];
}
