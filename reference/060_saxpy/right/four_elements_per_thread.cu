// Loads and stores of four floats; the last few elements one by one.

__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    const float4 from_x = *reinterpret_cast<const float4*>(x + i);
    float4 sum = *reinterpret_cast<float4*>(y + i);
    sum.x += a * from_x.x;
    sum.y += a * from_x.y;
    sum.z += a * from_x.z;
    sum.w += a * from_x.w;
    *reinterpret_cast<float4*>(y + i) = sum;
  } else {
    for (int e = i; e < n; ++e) y[e] += a * x[e];
  }
}

void saxpy(float a, const float* x, float* y, int n) {
  constexpr int kThreads = 128;
  constexpr int kElements = 4 * kThreads;
  saxpy_kernel<<<(n + kElements - 1) / kElements, kThreads>>>(a, x, y, n);
}
