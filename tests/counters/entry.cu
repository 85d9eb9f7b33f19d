// A file of kernels as a submission: its main is what the entry calls. KERNELS is the file's name.
#define QUOTED(x) QUOTED_(x)
#define QUOTED_(x) #x
#define main kernels_main
#include QUOTED(KERNELS)
#undef main

#include <cstdlib>

extern "C" void judge_entry(void**) {
  if (kernels_main() != 0) std::abort();
}
