// expect: exit 0
// A volume in a three-dimensional array, copied there by cudaMemcpy3D, sampled with linear filtering and a black border.
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

__global__ void march(cudaTextureObject_t volume, const float3* at, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex3D<float>(volume, at[i].x, at[i].y, at[i].z);
}

int main() {
  const int nx = 9, ny = 7, nz = 5, n = 2000;
  std::vector<float> volume(nx * ny * nz);
  for (int i = 0; i < nx * ny * nz; ++i) volume[i] = static_cast<float>(i * 31 % 97);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(nx, ny, nz)));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(volume.data(), nx * sizeof(float), nx, ny);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(nx, ny, nz);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sampling{};
  for (auto& mode : sampling.addressMode) mode = cudaAddressModeBorder;
  sampling.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));

  std::vector<float3> at(n);
  unsigned state = 99;
  const auto random = [&](int size) {  // a multiple of 1/256, from -2 to size + 2
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<int>((state >> 8) % ((size + 4) * 256)) - 512) / 256.0f;
  };
  for (auto& p : at) {
    p.x = random(nx);
    p.y = random(ny);
    p.z = random(nz);
  }
  float3* d_at;
  float* d_out;
  CHECK(cudaMalloc(&d_at, n * sizeof(float3)));
  CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  CHECK(cudaMemcpy(d_at, at.data(), n * sizeof(float3), cudaMemcpyHostToDevice));
  march<<<(n + 63) / 64, 64>>>(texture, d_at, d_out, n);
  CHECK(cudaGetLastError());
  std::vector<float> out(n);
  CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int k = 0; k < n; ++k) {
    const double p[] = {at[k].x - 0.5, at[k].y - 0.5, at[k].z - 0.5};
    double want = 0;
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      int c[3];
      for (int d = 0; d < 3; ++d) {
        const int low = static_cast<int>(std::floor(p[d])), up = corner >> d & 1;
        c[d] = low + up;
        weight *= up ? p[d] - low : 1 - (p[d] - low);
      }
      const bool inside = c[0] >= 0 && c[0] < nx && c[1] >= 0 && c[1] < ny && c[2] >= 0 && c[2] < nz;
      if (inside) want += weight * volume[(c[2] * ny + c[1]) * nx + c[0]];
    }
    if (std::fabs(out[k] - want) > 1e-3) {
      std::printf("(%g, %g, %g): %g, want %g\n", at[k].x, at[k].y, at[k].z, out[k], want);
      return 1;
    }
  }
  // A box of the volume, back into the middle of a pitched buffer on the device.
  cudaPitchedPtr pitched;
  CHECK(cudaMalloc3D(&pitched, make_cudaExtent(4 * sizeof(float), 3, 2)));
  CHECK(cudaMemset3D(pitched, 0, make_cudaExtent(4 * sizeof(float), 3, 2)));
  cudaMemcpy3DParms back{};
  back.srcArray = array;
  back.srcPos = make_cudaPos(2, 1, 3);
  back.dstPtr = pitched;
  back.dstPos = make_cudaPos(sizeof(float), 1, 0);
  back.extent = make_cudaExtent(3, 2, 2);
  back.kind = cudaMemcpyDeviceToDevice;
  CHECK(cudaMemcpy3D(&back));
  std::vector<float> box(4 * 3 * 2, -1);
  cudaMemcpy3DParms home{};
  home.srcPtr = pitched;
  home.dstPtr = make_cudaPitchedPtr(box.data(), 4 * sizeof(float), 4, 3);
  home.extent = make_cudaExtent(4 * sizeof(float), 3, 2);
  home.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&home));
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) {
        const float want = x == 0 || y == 0 ? 0 : volume[((3 + z) * ny + 1 + y - 1) * nx + 2 + x - 1];
        if (box[(z * 3 + y) * 4 + x] != want) {
          std::printf("box %d %d %d: %g, want %g\n", x, y, z, box[(z * 3 + y) * 4 + x], want);
          return 1;
        }
      }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(pitched.ptr));
  CHECK(cudaFree(d_at));
  CHECK(cudaFree(d_out));
  std::puts("right");
}
