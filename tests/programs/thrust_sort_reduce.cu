// expect: exit 0
// Thrust, which brings CUB: sort, reduce, scan and transform on the device.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

int main() {
  const int n = 5000;
  std::vector<int> host(n);
  unsigned state = 12345;
  for (int& x : host) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<int>(state >> 22);  // below 1,024: there are duplicates
  }
  thrust::device_vector<int> device(host.begin(), host.end());
  const int sum = thrust::reduce(device.begin(), device.end(), 0);
  if (sum != std::accumulate(host.begin(), host.end(), 0)) return std::printf("reduce: %d\n", sum), 1;

  thrust::sort(device.begin(), device.end());
  std::sort(host.begin(), host.end());
  std::vector<int> back(n);
  thrust::copy(device.begin(), device.end(), back.begin());
  if (back != host) return std::printf("sort\n"), 1;

  thrust::transform(device.begin(), device.end(), device.begin(), Square());
  thrust::inclusive_scan(device.begin(), device.end(), device.begin());
  thrust::copy(device.begin(), device.end(), back.begin());
  long long running = 0;
  for (int i = 0; i < n; ++i) {
    running += host[i] * host[i];
    if (back[i] != static_cast<int>(running)) return std::printf("scan at %d\n", i), 1;
  }
  return 0;
}
