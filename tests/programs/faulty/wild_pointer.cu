// expect: runtime_error
// A kernel that stores to an address that nobody ever handed out.
__global__ void fill(int* x) {
  x[threadIdx.x] = threadIdx.x;  // fault
}

int main() {
  fill<<<1, 32>>>(reinterpret_cast<int*>(0x123456789000));
  return cudaDeviceSynchronize() != cudaSuccess;
}
