// expect: runtime_error
// A kernel that stores into an array of the host.
__global__ void fill(int* x) {
  x[threadIdx.x] = threadIdx.x;  // fault
}

int main() {
  static int host[32];
  fill<<<1, 32>>>(host);
  return cudaDeviceSynchronize() != cudaSuccess;
}
