// expect: exit 0
// Memory in the order of a stream: the default pool, a pool of the program's own, their figures.
#include <cstdint>
#include <cstdio>

__global__ void fill(int* x, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

int main() {
  constexpr int n = 1000;
  cudaStream_t stream;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return 1;
  int supported = 0;
  cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0);
  cudaMemPool_t standard, own;
  if (supported != 1 || cudaDeviceGetDefaultMemPool(&standard, 0) != cudaSuccess) return 2;
  std::uint64_t keep = UINT64_MAX;
  if (cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &keep) != cudaSuccess) return 3;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  if (cudaMemPoolCreate(&own, &properties) != cudaSuccess) return 4;
  cudaMemAccessDesc access = {};
  access.location = properties.location;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  if (cudaMemPoolSetAccess(own, &access, 1) != cudaSuccess) return 5;

  for (int round = 0; round < 3; ++round) {
    int *a, *b, host[n];
    if (cudaMallocAsync(&a, n * sizeof(int), stream) != cudaSuccess) return 6;
    if (cudaMallocFromPoolAsync(&b, n * sizeof(int), own, stream) != cudaSuccess) return 7;
    fill<<<8, 128, 0, stream>>>(a, n, round + 5);
    cudaMemcpyAsync(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyAsync(host, b, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaFreeAsync(a, stream);
    std::uint64_t used = 0;
    cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used);
    if (used < n * sizeof(int)) return 8;
    cudaFreeAsync(b, stream);
    if (cudaStreamSynchronize(stream) != cudaSuccess) return 9;
    for (int value : host)
      if (value != round + 5) return 10;
  }
  std::uint64_t used = 1, reserved = 0, high = 0;
  cudaMemPoolGetAttribute(standard, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReservedMemCurrent, &reserved);
  cudaMemPoolGetAttribute(standard, cudaMemPoolAttrUsedMemHigh, &high);
  if (used != 0 || reserved == 0 || high < n * sizeof(int)) return 11;
  if (cudaMemPoolTrimTo(standard, 0) != cudaSuccess) return 12;
  cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReservedMemCurrent, &reserved);
  if (reserved != 0) return 13;
  if (cudaMemPoolDestroy(own) != cudaSuccess || cudaMemPoolDestroy(standard) != cudaErrorInvalidValue) return 14;
  std::printf("ok\n");
  return 0;
}
