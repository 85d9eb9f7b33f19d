// expect: exit 11
// stderr: reads 4 bytes at offset -8 of shared memory
// stderr: element -2 of __shared__ tile \(128 bytes\)
// stderr: byte -8 of the block's shared memory
// An index below 0: the offset of 32 bits is shown as the negative number that it is.

__global__ void backwards(const int* from, int* out, int distance) {
  __shared__ int tile[32];
  tile[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x - distance];
}

int main() {
  int* p;
  cudaMalloc(&p, 64 * sizeof(int));
  cudaMemset(p, 0, 64 * sizeof(int));
  backwards<<<1, 32>>>(p, p + 32, 2);
  return cudaDeviceSynchronize() == cudaSuccess ? 1 : 0;
}
