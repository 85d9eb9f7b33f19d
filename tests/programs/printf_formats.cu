// expect: exit 0
// stdout: -7|   -7|-7   |ff|0xff|4000000000
// stdout: -9000000000|18000000000000000000|A|%
// stdout: 1.500000|3.14|1.234568e+04|0.0001
// stdout: text|   right|left    |
// stdout:     42|
// stdout: 0x1234
// stdout: arguments: 6 4 4 3 2 1
#include <cstdio>

__global__ void formats() {
  const int a = printf("%d|%5d|%-5d|%x|%#x|%u\n", -7, -7, -7, 255, 255, 4000000000u);
  const int b = printf("%lld|%llu|%c|%%\n", -9000000000ll, 18000000000000000000ull, 'A') + 1;
  const int c = printf("%f|%.2f|%e|%g\n", 1.5, 3.14159, 12345.678, 0.0001);
  const int d = printf("%s|%8s|%-8s|\n", "text", "right", "left");
  const int e = printf("%*d|\n", 6, 42);
  const int f = printf("%p\n", reinterpret_cast<void*>(0x1234));
  printf("arguments: %d %d %d %d %d %d\n", a, b, c, d, e, f);
}

int main() {
  formats<<<1, 1>>>();
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
