// expect: exit 0
// Objects made by new in a kernel, used through their base class by another kernel, deleted by a third.
#include <cstdio>

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float a;
  __device__ explicit Square(float x) : a(x) {}
  __device__ float area() const override { return a * a; }
};
struct Rectangle : Shape {
  float a, b;
  __device__ Rectangle(float x, float y) : a(x), b(y) {}
  __device__ float area() const override { return a * b; }
};

__global__ void make(Shape** shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 3 == 0) shapes[i] = new Square(i);
  else shapes[i] = new Rectangle(i, 2);
}
__global__ void measure(Shape* const* shapes, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = shapes[i]->area();
}
__global__ void destroy(Shape** shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) delete shapes[i];
}

int main() {
  const int n = 1000;
  Shape** shapes;
  float *out, host[n];
  cudaMalloc(&shapes, n * sizeof(Shape*));
  cudaMalloc(&out, n * sizeof(float));
  make<<<4, 256>>>(shapes, n);
  measure<<<4, 256>>>(shapes, out, n);
  destroy<<<4, 256>>>(shapes, n);
  if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  for (int i = 0; i < n; ++i) {
    const float expected = i % 3 == 0 ? static_cast<float>(i) * i : 2.0f * i;
    if (host[i] == expected) continue;
    std::printf("shape %d: %f, expected %f\n", i, host[i], expected);
    return 1;
  }
  cudaFree(shapes);
  cudaFree(out);
}
