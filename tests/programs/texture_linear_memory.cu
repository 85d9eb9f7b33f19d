// expect: exit 0
// tex1Dfetch through texture objects of linear memory: float, int4, and bytes as normalised floats; past the end it is 0.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                            \
  do {                                                                                         \
    const cudaError_t status_ = (call);                                                        \
    if (status_ != cudaSuccess) {                                                              \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_));  \
      std::exit(1);                                                                            \
    }                                                                                          \
  } while (0)

__global__ void gather(cudaTextureObject_t floats, cudaTextureObject_t quads, cudaTextureObject_t bytes, const int* at,
                       float* out, int4* out4, float* shades, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = tex1Dfetch<float>(floats, at[i]);
  out4[i] = tex1Dfetch<int4>(quads, at[i] / 4);
  shades[i] = tex1Dfetch<float>(bytes, at[i]);
}

template <class T>
cudaTextureObject_t texture_of(T* data, size_t bytes, cudaTextureReadMode mode) {
  cudaResourceDesc resource;
  std::memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = bytes;
  cudaTextureDesc sampling;
  std::memset(&sampling, 0, sizeof sampling);
  sampling.readMode = mode;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  return texture;
}

int main() {
  const int n = 1000, size = 512;
  std::vector<float> values(size);
  std::vector<int> quads(size);
  std::vector<unsigned char> bytes(size);
  for (int i = 0; i < size; ++i) {
    values[i] = 0.25f * i - 3;
    quads[i] = 7 * i - 1000;
    bytes[i] = static_cast<unsigned char>(i);
  }
  std::vector<int> at(n);
  for (int i = 0; i < n; ++i) at[i] = i * 37 % 600 - 20;  // also before the start and past the end

  float *d_values, *d_out, *d_shades;
  int4 *d_quads, *d_out4;
  unsigned char* d_bytes;
  int* d_at;
  CHECK(cudaMalloc(&d_values, size * sizeof(float)));
  CHECK(cudaMalloc(&d_quads, size * sizeof(int)));
  CHECK(cudaMalloc(&d_bytes, size));
  CHECK(cudaMalloc(&d_at, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  CHECK(cudaMalloc(&d_out4, n * sizeof(int4)));
  CHECK(cudaMalloc(&d_shades, n * sizeof(float)));
  CHECK(cudaMemcpy(d_values, values.data(), size * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_quads, quads.data(), size * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_bytes, bytes.data(), size, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_at, at.data(), n * sizeof(int), cudaMemcpyHostToDevice));

  const cudaTextureObject_t floats = texture_of(d_values, size * sizeof(float), cudaReadModeElementType);
  const cudaTextureObject_t fours = texture_of(d_quads, size * sizeof(int), cudaReadModeElementType);
  const cudaTextureObject_t shades = texture_of(d_bytes, size, cudaReadModeNormalizedFloat);
  gather<<<(n + 127) / 128, 128>>>(floats, fours, shades, d_at, d_out, d_out4, d_shades, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  std::vector<float> out(n), grey(n);
  std::vector<int4> out4(n);
  CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(out4.data(), d_out4, n * sizeof(int4), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(grey.data(), d_shades, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    const bool inside = at[i] >= 0 && at[i] < size;
    const float want = inside ? values[at[i]] : 0.0f, want_grey = inside ? bytes[at[i]] / 255.0f : 0.0f;
    const int q = at[i] / 4;
    const bool has = q >= 0 && q < size / 4;
    if (out[i] != want || grey[i] != want_grey || out4[i].x != (has ? quads[4 * q] : 0) ||
        out4[i].w != (has ? quads[4 * q + 3] : 0)) {
      std::printf("at %d: %g (want %g), %g (want %g), %d %d\n", at[i], out[i], want, grey[i], want_grey, out4[i].x,
                  out4[i].w);
      return 1;
    }
  }
  cudaResourceDesc again;
  CHECK(cudaGetTextureObjectResourceDesc(&again, floats));
  if (again.resType != cudaResourceTypeLinear || again.res.linear.devPtr != d_values) return 1;
  CHECK(cudaDestroyTextureObject(floats));
  CHECK(cudaDestroyTextureObject(fours));
  CHECK(cudaDestroyTextureObject(shades));
  CHECK(cudaFree(d_values));
  CHECK(cudaFree(d_quads));
  CHECK(cudaFree(d_bytes));
  CHECK(cudaFree(d_at));
  CHECK(cudaFree(d_out));
  CHECK(cudaFree(d_out4));
  CHECK(cudaFree(d_shades));
  std::puts("right");
}
