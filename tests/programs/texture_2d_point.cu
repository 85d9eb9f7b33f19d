// expect: exit 0
// A blur of an image in a CUDA array: nearest texels, unnormalised coordinates, edges clamped. uchar4 texels.
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

__global__ void blur(cudaTextureObject_t image, int4* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int4 sum = make_int4(0, 0, 0, 0);
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const uchar4 c = tex2D<uchar4>(image, x + dx + 0.5f, y + dy + 0.5f);
      sum.x += c.x;
      sum.y += c.y;
      sum.z += c.z;
      sum.w += c.w;
    }
  out[y * width + x] = sum;
}

int main() {
  const int width = 70, height = 45;
  std::vector<uchar4> image(width * height);
  for (int i = 0; i < width * height; ++i)
    image[i] = make_uchar4(i * 7 & 255, i * 13 >> 3 & 255, i & 255, 255 - (i & 127));
  cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * sizeof(uchar4), width * sizeof(uchar4), height,
                            cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sampling{};
  sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
  sampling.filterMode = cudaFilterModePoint;
  sampling.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  int4* d_out;
  CHECK(cudaMalloc(&d_out, image.size() * sizeof(int4)));
  blur<<<dim3(5, 6), dim3(16, 8)>>>(texture, d_out, width, height);
  CHECK(cudaGetLastError());
  std::vector<int4> out(image.size());
  CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(int4), cudaMemcpyDeviceToHost));
  const auto edge = [](int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int4 sum = make_int4(0, 0, 0, 0);
      for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) {
          const uchar4 c = image[edge(y + dy, height) * width + edge(x + dx, width)];
          sum = make_int4(sum.x + c.x, sum.y + c.y, sum.z + c.z, sum.w + c.w);
        }
      if (std::memcmp(&sum, &out[y * width + x], sizeof sum) != 0) {
        std::printf("pixel %d, %d: %d, want %d\n", x, y, out[y * width + x].x, sum.x);
        return 1;
      }
    }
  // What was written comes back, also a window of it.
  std::vector<uchar4> window(10 * 5);
  CHECK(cudaMemcpy2DFromArray(window.data(), 10 * sizeof(uchar4), array, 20 * sizeof(uchar4), 30, 10 * sizeof(uchar4), 5,
                              cudaMemcpyDeviceToHost));
  for (int y = 0; y < 5; ++y)
    if (std::memcmp(&window[y * 10], &image[(30 + y) * width + 20], 10 * sizeof(uchar4)) != 0) return 1;
  cudaExtent extent;
  unsigned flags = 99;
  cudaChannelFormatDesc asked;
  CHECK(cudaArrayGetInfo(&asked, &extent, &flags, array));
  if (extent.width != width || extent.height != height || extent.depth != 0 || flags != 0 || asked.w != 8) return 1;
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(d_out));
  std::puts("right");
}
