// expect: runtime_error
// A kernel that stores through a null pointer.
__global__ void fill(int* x) {
  x[threadIdx.x] = threadIdx.x;  // fault
}

int main() {
  fill<<<1, 32>>>(nullptr);
  return cudaDeviceSynchronize() != cudaSuccess;
}
