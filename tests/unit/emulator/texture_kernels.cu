// Kernels of texture_test.cpp. What goes wrong in them is found by line.
#include <cuda_runtime.h>

extern "C" __global__ void sample_2d(cudaTextureObject_t t, const float2* at, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float4>(t, at[i].x, at[i].y);
}
extern "C" __global__ void levels_2d(cudaTextureObject_t t, const float2* at, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[2 * i] = tex2DLod<float4>(t, at[i].x, at[i].y, 3.0f);
  out[2 * i + 1] = tex2DGrad<float4>(t, at[i].x, at[i].y, make_float2(4, 4), make_float2(4, 4));
}
extern "C" __global__ void gather_2d(cudaTextureObject_t t, float x, float y, float4* out) {
  out[0] = tex2Dgather<float4>(t, x, y, 0);
  out[1] = tex2Dgather<float4>(t, x, y, 1);
}
extern "C" __global__ void fetch_1d(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);  // the fetch
}
extern "C" __global__ void sample_1d(cudaTextureObject_t t, const float* at, int4* out) {
  out[threadIdx.x] = tex1D<int4>(t, at[threadIdx.x]);
}
extern "C" __global__ void per_lane(const cudaTextureObject_t* t, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(t[threadIdx.x], 1);
}
extern "C" __global__ void resident(cudaTextureObject_t t, int* out) {
  bool there = false;
  const float4 v = tex2D<float4>(t, 0.5f, 0.5f, &there);
  out[0] = there;
  out[1] = static_cast<int>(v.x);
}
extern "C" __global__ void ask(cudaTextureObject_t t, cudaSurfaceObject_t s, int* out) {
  asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
  asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
  asm("txq.normalized_coords.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
  asm("suq.width.b32 %0, [%1];" : "=r"(out[3]) : "l"(s));
  asm("suq.array_size.b32 %0, [%1];" : "=r"(out[4]) : "l"(s));
}
extern "C" __global__ void store_2d(cudaSurfaceObject_t s, int dx, int dy) {
  surf2Dwrite(static_cast<int>(threadIdx.x + 100 * blockIdx.x), s, static_cast<int>(threadIdx.x * 4) + dx,
              static_cast<int>(blockIdx.x) + dy);  // the store
}
extern "C" __global__ void collide(cudaSurfaceObject_t s) {
  surf2Dwrite(static_cast<int>(threadIdx.x), s, 0, 0);  // everybody
}
extern "C" __global__ void formatted(cudaSurfaceObject_t s) {
  asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(1), "r"(2), "r"(7), "r"(300),
               "r"(0), "r"(255));
}
extern "C" __global__ void load_wide(cudaSurfaceObject_t s, longlong2* out, unsigned char* small) {
  out[threadIdx.x] = surf2Dread<longlong2>(s, threadIdx.x * 16, 0);
  small[threadIdx.x] = surf2Dread<unsigned char>(s, threadIdx.x * 3, 1);
}
