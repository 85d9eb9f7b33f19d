// expect: exit 0
// Layered arrays: a stack of images and a stack of rows, each layer read through tex2DLayered and tex1DLayered.
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

__global__ void pick(cudaTextureObject_t images, cudaTextureObject_t lines, float* out, short2* pairs, int width,
                     int height) {
  const int x = threadIdx.x, y = blockIdx.x, layer = blockIdx.y;
  const int at = (layer * height + y) * width + x;
  out[at] = tex2DLayered<float>(images, x + 0.5f, y + 0.5f, layer);
  if (y == 0) pairs[layer * width + x] = tex1DLayered<short2>(lines, x + 0.5f, layer);
}

cudaTextureObject_t texture_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sampling{};
  sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  return texture;
}

template <class T>
cudaArray_t layered(const std::vector<T>& data, int width, int height, int layers) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, layers), cudaArrayLayered));
  const int rows = height == 0 ? 1 : height;
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(data.data()), width * sizeof(T), width, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, rows, layers);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

int main() {
  const int width = 33, height = 6, layers = 4;
  std::vector<float> images(width * height * layers);
  std::vector<short2> lines(width * layers);
  for (int i = 0; i < width * height * layers; ++i) images[i] = 1.5f * i;
  for (int i = 0; i < width * layers; ++i) lines[i] = make_short2(static_cast<short>(-i), static_cast<short>(i * 100));
  cudaArray_t a = layered(images, width, height, layers), b = layered(lines, width, 0, layers);
  const cudaTextureObject_t two = texture_of(a), one = texture_of(b);
  float* d_out;
  short2* d_pairs;
  CHECK(cudaMalloc(&d_out, images.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_pairs, lines.size() * sizeof(short2)));
  pick<<<dim3(height, layers), width>>>(two, one, d_out, d_pairs, width, height);
  CHECK(cudaGetLastError());
  std::vector<float> out(images.size());
  std::vector<short2> pairs(lines.size());
  CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(pairs.data(), d_pairs, pairs.size() * sizeof(short2), cudaMemcpyDeviceToHost));
  if (out != images) return std::puts("layers of images differ"), 1;
  for (size_t i = 0; i < lines.size(); ++i)
    if (pairs[i].x != lines[i].x || pairs[i].y != lines[i].y) return std::puts("layers of lines differ"), 1;
  CHECK(cudaDestroyTextureObject(two));
  CHECK(cudaDestroyTextureObject(one));
  CHECK(cudaFreeArray(a));
  CHECK(cudaFreeArray(b));
  CHECK(cudaFree(d_out));
  CHECK(cudaFree(d_pairs));
  std::puts("right");
}
