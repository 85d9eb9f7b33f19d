// Each element goes to its new place in shared memory, and from there straight out; a template for the static size.

template <int kWidth>
__global__ void reverse_static(float* x, int n) {
  __shared__ float turned[kWidth];
  const int i = blockIdx.x * kWidth + threadIdx.x;
  const int last = min((blockIdx.x + 1) * kWidth, n) - 1;
  if (i <= last) turned[last - i] = x[i];
  __syncthreads();
  if (i <= last) x[i] = turned[threadIdx.x];
}

extern __shared__ float turned[];

__global__ void reverse_dynamic(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int last = min((blockIdx.x + 1) * blockDim.x, n) - 1;
  if (i <= last) turned[last - i] = x[i];
  __syncthreads();
  if (i <= last) x[i] = turned[threadIdx.x];
}

void block_reverse(float* a, float* b, int n, int width) {
  reverse_static<256><<<(n + 255) / 256, 256>>>(a, n);
  reverse_dynamic<<<(n + width - 1) / width, width, width * sizeof(float)>>>(b, n);
}
