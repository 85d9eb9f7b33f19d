// Run by the tests with the fake device behind it: each mode is one thing that nvcc's objects do.

#include <cstdio>
#include <cstring>

struct Triple {
  char a;
  double b;
  float c[3];
};

extern "C" __global__ void every_kind(char c, short s, double d, Triple t, float* p, bool b, unsigned long long u) {
  p[0] = static_cast<float>(c + s + d + t.b + t.c[2] + b + u);
}
extern "C" __global__ void nothing() {}
extern "C" __global__ void fails() {}

__constant__ float weights[17];
__managed__ int counter = 7;

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  if (std::strcmp(mode, "arguments") == 0) {
    float* p = nullptr;
    cudaMalloc(&p, 4);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    every_kind<<<dim3(2, 3, 4), dim3(5, 6, 7), 8, stream>>>('A', -2, 0.25, {'t', 1.5, {1, 2, 3}}, p, true,
                                                              0x1122334455667788ull);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  } else if (std::strcmp(mode, "symbol") == 0) {
    const float values[17] = {1, 2, 3};
    std::printf("%s\n", cudaGetErrorName(cudaMemcpyToSymbol(weights, values, sizeof values)));
  } else if (std::strcmp(mode, "managed") == 0) {
    counter += 1;
    std::printf("%d\n", counter);
  } else if (std::strcmp(mode, "sticky") == 0) {
    fails<<<1, 1>>>();
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaEvent_t event;
    std::printf("%s\n", cudaGetErrorName(cudaEventCreate(&event)));  // known here, without asking the device
    int to = 1, from = 2;
    std::printf("%s %d\n", cudaGetErrorName(cudaMemcpy(&to, &from, sizeof to, cudaMemcpyHostToHost)), to);
  } else if (std::strcmp(mode, "output") == 0) {
    std::printf("before\n");
    nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
    std::printf("after\n");
  }
  return 3;
}
