// expect: exit 0
// A texture of pitched linear memory, which an earlier kernel wrote: linear filtering between bytes read as floats.
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

__global__ void fill(unsigned char* image, size_t pitch, int width, int height) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < width) image[y * pitch + x] = static_cast<unsigned char>(x * 5 + y * 11);
}

__global__ void between(cudaTextureObject_t image, float* out, int width) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < width) out[y * width + x] = tex2D<float>(image, x + 1.0f, y + 0.75f);  // half way in x, a quarter in y
}

int main() {
  const int width = 45, height = 12;
  unsigned char* image;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&image, &pitch, width, height));
  fill<<<height, 64>>>(image, pitch, width, height);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = image;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc sampling{};
  sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
  sampling.filterMode = cudaFilterModeLinear;
  sampling.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  float* d_out;
  CHECK(cudaMalloc(&d_out, width * height * sizeof(float)));
  between<<<height, 64>>>(texture, d_out, width);
  CHECK(cudaGetLastError());
  std::vector<float> out(width * height);
  CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  const auto texel = [&](int x, int y) {
    x = x >= width ? width - 1 : x;
    y = y >= height ? height - 1 : y;
    return static_cast<unsigned char>(x * 5 + y * 11) / 255.0;
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double want = 0.75 * 0.5 * (texel(x, y) + texel(x + 1, y)) + 0.25 * 0.5 * (texel(x, y + 1) + texel(x + 1, y + 1));
      if (std::fabs(out[y * width + x] - want) > 2e-3) {  // hardware blends bytes with few bits
        std::printf("%d, %d: %g, want %g\n", x, y, out[y * width + x], want);
        return 1;
      }
    }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(image));
  CHECK(cudaFree(d_out));
  std::puts("right");
}
