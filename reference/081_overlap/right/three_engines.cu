// A stream for each kind of work, joined by events: all copies in, all kernels, all copies out. Memory comes from the
// stream's pool.

template <int Chunks>
void pipeline(const float* in, float* out, int n);

__global__ void root_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = sqrtf(x[i]);
}

template <int Chunks>
void pipeline(const float* in, float* out, int n) {
  cudaStream_t up, run, down;
  cudaStreamCreate(&up);
  cudaStreamCreate(&run);
  cudaStreamCreate(&down);
  cudaEvent_t arrived[Chunks], computed[Chunks];
  float* x;
  cudaMallocAsync(&x, n * sizeof(float), up);
  const int chunk = (n + Chunks - 1) / Chunks;
  for (int c = 0; c < Chunks; ++c) {
    cudaEventCreate(&arrived[c]);
    cudaEventCreate(&computed[c]);
    const int start = c * chunk, count = n - start < chunk ? n - start : chunk;
    if (count <= 0) continue;
    cudaMemcpyAsync(x + start, in + start, count * sizeof(float), cudaMemcpyHostToDevice, up);
    cudaEventRecord(arrived[c], up);
    cudaStreamWaitEvent(run, arrived[c], 0);
    root_kernel<<<(count + 127) / 128, 128, 0, run>>>(x + start, count);
    cudaEventRecord(computed[c], run);
    cudaStreamWaitEvent(down, computed[c], 0);
    cudaMemcpyAsync(out + start, x + start, count * sizeof(float), cudaMemcpyDeviceToHost, down);
  }
  cudaFreeAsync(x, down);
  cudaStreamSynchronize(down);
  for (int c = 0; c < Chunks; ++c) {
    cudaEventDestroy(arrived[c]);
    cudaEventDestroy(computed[c]);
  }
  cudaStreamDestroy(up);
  cudaStreamDestroy(run);
  cudaStreamDestroy(down);
}

void overlap(const float* in, float* out, int n) {
  float* from = const_cast<float*>(in);
  cudaHostRegister(from, n * sizeof(float), cudaHostRegisterDefault);
  cudaHostRegister(out, n * sizeof(float), cudaHostRegisterDefault);
  pipeline<16>(in, out, n);
  cudaHostUnregister(from);
  cudaHostUnregister(out);
}
