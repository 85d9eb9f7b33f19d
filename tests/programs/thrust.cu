// expect: exit 0
// Thrust: sort, reduce, scan, transform, copy_if, unique, on the device.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#define CHECK(condition)                                  \
  do {                                                    \
    if (!(condition)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #condition); \
      return 1;                                           \
    }                                                     \
  } while (0)

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct Even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

int main() {
  constexpr int n = 20000;
  thrust::host_vector<int> h(n);
  unsigned state = 12345;
  for (int& v : h) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<int>(state >> 16) % 1000;
  }
  thrust::device_vector<int> d = h;
  CHECK(thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0));

  thrust::device_vector<int> squares(n);
  thrust::transform(d.begin(), d.end(), squares.begin(), Square());
  CHECK(squares[n - 1] == h[n - 1] * h[n - 1]);

  thrust::device_vector<int> sums(n);
  thrust::exclusive_scan(d.begin(), d.end(), sums.begin());
  thrust::host_vector<int> got = sums;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    CHECK(got[i] == sum);
    sum += h[i];
  }

  thrust::device_vector<int> even(n);
  const auto end = thrust::copy_if(d.begin(), d.end(), even.begin(), Even());
  CHECK(end - even.begin() == std::count_if(h.begin(), h.end(), Even()));

  thrust::device_vector<int> index(n);
  thrust::sequence(index.begin(), index.end());
  thrust::stable_sort_by_key(d.begin(), d.end(), index.begin());
  got = d;
  thrust::host_vector<int> where = index;
  for (int i = 0; i < n; ++i) CHECK(h[where[i]] == got[i]);
  std::sort(h.begin(), h.end());
  CHECK(std::equal(h.begin(), h.end(), got.begin()));
  const auto unique = thrust::unique(d.begin(), d.end());
  CHECK(unique - d.begin() == std::unique(h.begin(), h.end()) - h.begin());
  std::printf("ok\n");
  return 0;
}
