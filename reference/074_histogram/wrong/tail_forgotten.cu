// expect: wrong_answer
// Four bytes at a time; when n is no multiple of 4 the last ones are never counted, unless there are only those.

__global__ void histogram_kernel(const unsigned char* x, unsigned int* counts, int n) {
  __shared__ unsigned int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const uchar4* wide = reinterpret_cast<const uchar4*>(x);
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n / 4; i += gridDim.x * 256) {
    const uchar4 v = wide[i];
    atomicAdd(&bins[v.x], 1u);
    atomicAdd(&bins[v.y], 1u);
    atomicAdd(&bins[v.z], 1u);
    atomicAdd(&bins[v.w], 1u);
  }
  if (n < 4 && threadIdx.x < n && blockIdx.x == 0) atomicAdd(&bins[x[threadIdx.x]], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

void histogram(const unsigned char* x, unsigned int* counts, int n) {
  cudaMemset(counts, 0, 256 * sizeof(unsigned int));
  histogram_kernel<<<40, 256>>>(x, counts, n);
}
