// Exercise 64: copy n floats, from src + offset to dst + offset, 16 bytes in each access.
// The task is explained in statement.md (or: python3 practice/judge.py show 64).

// TODO 1: a float4 can only be read and written at a multiple of 16 bytes. src and dst lie at one; src + offset may
// not. How many elements come before the first multiple, how many groups of four follow, and how many elements are left
// over?

__global__ void copy_kernel(const float* src, float* dst /* TODO 2: what else does a thread have to know? */) {
  // TODO 3: copy this thread's group of four, if there is one:
  // reinterpret_cast<float4*>(to)[i] = reinterpret_cast<const float4*>(from)[i];

  // TODO 4: the elements before and after the groups, a few threads one each. Not one element more than n!
}

// The judge calls this function. src and dst are device pointers to offset + n floats.
void copy_vec4(const float* src, float* dst, int offset, int n) {
  // TODO 5: the numbers of TODO 1, and a grid with a thread for each group. (And if there is no group at all?)
  copy_kernel<<<1, 256>>>(src + offset, dst + offset);
}
