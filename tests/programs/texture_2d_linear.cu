// expect: exit 0
// Linear filtering with normalised coordinates, wrapped and mirrored, of a float array; compared with an independent
// computation in double. Weights have 8 fractional bits, so coordinates here are multiples of 1/256 of a texel.
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

__global__ void sample(cudaTextureObject_t texture, const float2* at, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float>(texture, at[i].x, at[i].y);
}

// The texel that coordinate index i stands for when the image repeats, or repeats with every other copy mirrored.
int wrapped(int i, int n) { return ((i % n) + n) % n; }
int mirrored(int i, int n) {
  const int m = wrapped(i, 2 * n);
  return m < n ? m : 2 * n - 1 - m;
}

int main() {
  const int width = 16, height = 8, n = 4096;  // powers of two: the coordinates below are exact
  std::vector<float> image(width * height);
  for (int i = 0; i < width * height; ++i) image[i] = static_cast<float>((i * 29 + i / 3) % 101) - 40;
  std::vector<float2> at(n);
  std::vector<int2> fixed(n);  // in 1/256 texel
  unsigned state = 12345;
  const auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int i = 0; i < n; ++i) {
    fixed[i] = make_int2(static_cast<int>(random() % (5 * 256 * width)) - 2 * 256 * width,
                         static_cast<int>(random() % (5 * 256 * height)) - 2 * 256 * height);
    at[i] = make_float2(fixed[i].x / (256.0f * width), fixed[i].y / (256.0f * height));
  }
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  float2* d_at;
  float* d_out;
  CHECK(cudaMalloc(&d_at, n * sizeof(float2)));
  CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  CHECK(cudaMemcpy(d_at, at.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
  for (const cudaTextureAddressMode mode : {cudaAddressModeWrap, cudaAddressModeMirror}) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc sampling{};
    sampling.addressMode[0] = sampling.addressMode[1] = mode;
    sampling.filterMode = cudaFilterModeLinear;
    sampling.readMode = cudaReadModeElementType;
    sampling.normalizedCoords = 1;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
    sample<<<n / 256, 256>>>(texture, d_at, d_out, n);
    CHECK(cudaGetLastError());
    std::vector<float> out(n);
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int k = 0; k < n; ++k) {
      const double x = fixed[k].x / 256.0 - 0.5, y = fixed[k].y / 256.0 - 0.5;
      const int i = static_cast<int>(std::floor(x)), j = static_cast<int>(std::floor(y));
      const double a = x - i, b = y - j;
      const auto texel = [&](int u, int v) -> double {
        return mode == cudaAddressModeWrap ? image[wrapped(v, height) * width + wrapped(u, width)]
                                           : image[mirrored(v, height) * width + mirrored(u, width)];
      };
      const double want = (1 - a) * (1 - b) * texel(i, j) + a * (1 - b) * texel(i + 1, j) +
                          (1 - a) * b * texel(i, j + 1) + a * b * texel(i + 1, j + 1);
      if (std::fabs(out[k] - want) > 1e-4) {
        std::printf("mode %d at (%g, %g): %g, want %g\n", static_cast<int>(mode), at[k].x, at[k].y, out[k], want);
        return 1;
      }
    }
    CHECK(cudaDestroyTextureObject(texture));
  }
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(d_at));
  CHECK(cudaFree(d_out));
  std::puts("right");
}
