// expect: nothing
// Thrust's compactions in place: tiles hand their counts on by relaxed stores, without a fence, and write over what
// tiles before them have read.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/unique.h>

#include <cstdio>
#include <vector>

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

int main() {
  constexpr int n = 20000;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = i / 3;
  thrust::device_vector<int> a(x.begin(), x.end()), b = a, c = a, keys = a, values(n, 1), sums(n, 1);

  a.erase(thrust::unique(a.begin(), a.end()), a.end());
  b.erase(thrust::remove_if(b.begin(), b.end(), IsOdd()), b.end());
  const auto odd = thrust::stable_partition(c.begin(), c.end(), IsOdd()) - c.begin();
  const auto ends = thrust::unique_by_key(keys.begin(), keys.end(), values.begin());
  thrust::inclusive_scan(sums.begin(), sums.end(), sums.begin());

  std::vector<int> even;
  for (const int v : x)
    if (v % 2 == 0) even.push_back(v);
  const thrust::host_vector<int> got_a = a, got_b = b, got_c = c, got_sums = sums;
  if (got_a.size() != n / 3 + 1 || got_b.size() != even.size() || odd != n - static_cast<int>(even.size()) ||
      ends.first - keys.begin() != n / 3 + 1)
    return std::puts("a wrong number of elements remains"), 1;
  for (int i = 0; i <= n / 3; ++i)
    if (got_a[i] != i) return std::printf("unique: [%d] is %d\n", i, got_a[i]), 1;
  for (std::size_t i = 0; i < even.size(); ++i)
    if (got_b[i] != even[i] || got_c[odd + i] != even[i]) return std::printf("even: [%zu] is wrong\n", i), 1;
  for (int i = 0; i < n; ++i)
    if (got_sums[i] != i + 1) return std::printf("scan: [%d] is %d\n", i, got_sums[i]), 1;
}
