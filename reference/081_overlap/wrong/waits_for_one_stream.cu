// expect: requirement_not_met
// Waits for one of the streams only; cudaFree waits for the others, when the result may have been used already.

#include <cuda_runtime.h>

#include <algorithm>

constexpr int kBlock = 256;
constexpr int kChunks = 8;
constexpr int kStreams = 3;

__global__ void root_kernel(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrtf(in[i]);
}

void overlap(const float* in, float* out, int n) {
  const size_t bytes = n * sizeof(float);
  cudaHostRegister(const_cast<float*>(in), bytes, cudaHostRegisterReadOnly);
  cudaHostRegister(out, bytes, cudaHostRegisterDefault);
  cudaStream_t streams[kStreams];
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  float *device_in = nullptr, *device_out = nullptr;
  cudaMalloc(&device_in, bytes);
  cudaMalloc(&device_out, bytes);

  const int chunk = (n + kChunks - 1) / kChunks;
  for (int c = 0; c * chunk < n; ++c) {
    const int start = c * chunk;
    const int count = std::min(chunk, n - start);
    const cudaStream_t stream = streams[c % kStreams];
    cudaMemcpyAsync(device_in + start, in + start, count * sizeof(float), cudaMemcpyHostToDevice, stream);
    root_kernel<<<(count + kBlock - 1) / kBlock, kBlock, 0, stream>>>(device_in + start, device_out + start, count);
    cudaMemcpyAsync(out + start, device_out + start, count * sizeof(float), cudaMemcpyDeviceToHost, stream);
  }

  cudaStreamSynchronize(streams[0]);
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(device_in);
  cudaFree(device_out);
  cudaHostUnregister(const_cast<float*>(in));
  cudaHostUnregister(out);
}
