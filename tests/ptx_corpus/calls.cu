// Recursion, tables of device functions, structures by value, printf, assert, trap.
#include <cassert>
#include <cstdio>

struct Particle {
  int id;
  double mass;
  float position[3];
};

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int twice(int n) { return 2 * n; }
__device__ __noinline__ Particle moved(Particle p, float by) {
  p.position[0] += by;
  return p;
}

using Step = int (*)(int);
__device__ Step steps[3] = {fibonacci, twice, nullptr};

__global__ void __launch_bounds__(128, 2) walk(Particle p, Particle* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(n > 0);
  const Particle q = moved(p, i);
  if (q.id == 99) __trap();
  printf("%d %f\n", steps[i & 1](n), q.mass);
  out[i] = q;
}
