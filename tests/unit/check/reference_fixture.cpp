// A CPU reference library that behaves as its compile definition says.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#ifdef REFERENCE_UNLOADABLE
extern "C" int no_library_defines_this();
#endif

#ifndef REFERENCE_NOTHING
// a, x (in), y (inout), z (out), n (int), m (long long)
extern "C" void judge_reference(void** args) {
#if defined(REFERENCE_AXPY)
  const float a = *static_cast<float*>(args[0]);
  const float* x = *static_cast<const float**>(args[1]);
  float* y = *static_cast<float**>(args[2]);
  int* z = *static_cast<int**>(args[3]);
  const int n = *static_cast<int*>(args[4]);
  const long long m = *static_cast<long long*>(args[5]);
  std::puts("a reference may print");
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
  for (long long i = 0; i < m; ++i) z[i] = static_cast<int>(i * i);
#elif defined(REFERENCE_CRASH)
  *static_cast<volatile int*>(args[0] = nullptr) = 1;
#elif defined(REFERENCE_HANG)
  for (volatile bool forever = true; forever;) args[0] = nullptr;
#elif defined(REFERENCE_LEAVE)
  std::exit(args == nullptr ? 1 : 0);
#elif defined(REFERENCE_THROW)
  throw std::runtime_error(args == nullptr ? "" : "a sum that does not add up");
#elif defined(REFERENCE_UNLOADABLE)
  args[0] = no_library_defines_this() != 0 ? args : nullptr;
#endif
}
#endif
