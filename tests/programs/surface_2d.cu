// expect: exit 0
// A surface is written by one kernel and read, transposed, by the next; boundary modes; then a texture of the same array.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                            \
  do {                                                                                         \
    const cudaError_t status_ = (call);                                                        \
    if (status_ != cudaSuccess) {                                                              \
      std::printf("%s:%d: %s: %s\\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_));  \
      std::exit(1);                                                                            \
    }                                                                                          \
  } while (0)

__global__ void paint(cudaSurfaceObject_t to, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) surf2Dwrite(make_ushort2(x * 3 + y, x * y), to, x * sizeof(ushort2), y);
  // Outside nothing is stored.
  if (x == 0 && y < height) surf2Dwrite(make_ushort2(7, 7), to, -4, y, cudaBoundaryModeZero);
}

__global__ void transpose(cudaSurfaceObject_t from, cudaTextureObject_t texture, ushort2* out, int* edges, int width,
                          int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const ushort2 v = surf2Dread<ushort2>(from, x * sizeof(ushort2), y);
  out[x * height + y] = v;
  const ushort2 t = tex2D<ushort2>(texture, x, y);
  int bad = t.x != v.x || t.y != v.y;
  if (x == 0) {
    const ushort2 zero = surf2Dread<ushort2>(from, -4, y, cudaBoundaryModeZero);
    const ushort2 near = surf2Dread<ushort2>(from, (width + 5) * 4, y, cudaBoundaryModeClamp);
    const ushort2 last = surf2Dread<ushort2>(from, (width - 1) * 4, y);
    bad += zero.x != 0 || zero.y != 0 || near.x != last.x || near.y != last.y;
  }
  if (bad) atomicAdd(edges, bad);
}

__global__ void scan_line(cudaSurfaceObject_t line, int n) {  // each cell is its own: no thread reads another's
  const int i = threadIdx.x;
  if (i >= n) return;
  float4 v;
  surf1Dread(&v, line, i * sizeof(float4));
  v.x += 1;
  v.w = -v.x;
  surf1Dwrite(v, line, i * sizeof(float4));
}

int main() {
  const int width = 50, height = 23;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<ushort2>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  cudaTextureDesc sampling{};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  ushort2* d_out;
  int *d_edges, edges = -1;
  CHECK(cudaMalloc(&d_out, width * height * sizeof(ushort2)));
  CHECK(cudaMalloc(&d_edges, sizeof(int)));
  CHECK(cudaMemset(d_edges, 0, sizeof(int)));
  const dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
  paint<<<grid, block>>>(surface, width, height);
  transpose<<<grid, block>>>(surface, texture, d_out, d_edges, width, height);
  CHECK(cudaGetLastError());
  std::vector<ushort2> out(width * height);
  CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(ushort2), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&edges, d_edges, sizeof edges, cudaMemcpyDeviceToHost));
  if (edges != 0) return std::printf("%d wrong at the edges or in the texture\n", edges), 1;
  for (int x = 0; x < width; ++x)
    for (int y = 0; y < height; ++y)
      if (out[x * height + y].x != x * 3 + y || out[x * height + y].y != x * y) return std::printf("%d %d\n", x, y), 1;

  const int n = 20;
  std::vector<float4> line(n);
  for (int i = 0; i < n; ++i) line[i] = make_float4(static_cast<float>(i), 2, 3, 4);
  format = cudaCreateChannelDesc<float4>();
  cudaArray_t row;
  CHECK(cudaMallocArray(&row, &format, n, 0, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(row, 0, 0, line.data(), n * sizeof(float4), n * sizeof(float4), 1, cudaMemcpyHostToDevice));
  resource.res.array.array = row;
  cudaSurfaceObject_t one;
  CHECK(cudaCreateSurfaceObject(&one, &resource));
  scan_line<<<1, 32>>>(one, n);
  std::vector<float4> back(n);
  CHECK(cudaMemcpy2DFromArray(back.data(), n * sizeof(float4), row, 0, 0, n * sizeof(float4), 1,
                              cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    if (back[i].x != i + 1 || back[i].y != 2 || back[i].z != 3 || back[i].w != -(i + 1)) return std::puts("line"), 1;
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaDestroySurfaceObject(one));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFreeArray(row));
  CHECK(cudaFree(d_out));
  CHECK(cudaFree(d_edges));
  std::puts("right");
}
