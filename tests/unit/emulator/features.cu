// Kernels of features_test.cpp: what device code may do beside arithmetic.

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <ctime>

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int a;
  __device__ explicit Square(int x) : a(x) {}
  __device__ int area() const override { return a * a; }
};
struct Bar : Shape {
  int a;
  __device__ explicit Bar(int x) : a(x) {}
  __device__ int area() const override { return 3 * a; }
};

extern "C" __global__ void virtuals(int* out) {
  const int t = threadIdx.x;
  Shape* s = nullptr;
  if (t & 1) s = new Square(t);
  else s = new Bar(t);
  out[t] = s->area();
  delete s;
}

typedef int (*Function)(int);
__device__ int plus_one(int x) { return x + 1; }
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ Function table[3] = {plus_one, twice, square};

extern "C" __global__ void pointers(int* out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x); }

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__device__ __noinline__ int endless(int n, volatile int* p) {
  int kept[4] = {n, n + 1, n + 2, n + 3};
  return endless(n + 1, p) + kept[p[0] & 3];  // line of the call that finds no room
}

extern "C" __global__ void endless_recursion(int* out) { out[0] = endless(0, out); }

struct Node {
  int value;
  Node* next;
};

extern "C" __global__ void linked_list(int* out, int length) {
  Node* head = nullptr;
  for (int k = 0; k < length; ++k) {
    Node* n = static_cast<Node*>(malloc(sizeof(Node)));
    n->value = k;
    n->next = head;
    head = n;
  }
  int sum = 0;
  while (head != nullptr) {
    sum = 3 * sum + head->value;
    Node* next = head->next;
    free(head);
    head = next;
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void exhaust(int* out, unsigned long long bytes) {
  void* p = malloc(bytes);
  void* q = malloc(bytes);
  out[0] = p != nullptr;
  out[1] = q != nullptr;
  free(p);
  void* r = malloc(bytes);
  out[2] = r != nullptr;
  free(q);
  free(r);
  free(nullptr);
}

extern "C" __global__ void free_twice() {
  int* p = static_cast<int*>(malloc(16));
  *p = 1;
  free(p);
  free(p);  // the second time
}

extern "C" __global__ void free_inside() {
  char* p = static_cast<char*>(malloc(16));
  free(p + 4);  // not where it begins
}

extern "C" __global__ void free_foreign(int* p) { free(p); }

extern "C" __global__ void use_after_free(int* out) {
  int* p = static_cast<int*>(malloc(16));
  p[1] = 5;
  if (out[0] == 0) free(p);
  out[1] = p[1];  // after free
}

extern "C" __global__ void past_block(int* out) {
  int* p = static_cast<int*>(malloc(16));
  p[4 + out[0]] = 5;  // one past the block
}

extern "C" __global__ void unset_block(int* out) {
  int* p = static_cast<int*>(malloc(16));
  out[1] = p[2];  // nobody wrote it
}

extern "C" __global__ void keep(int** out) {
  *out = static_cast<int*>(malloc(64));
  **out = 77;
}
extern "C" __global__ void look(int** kept, int* out) { out[0] = **kept; }

extern "C" __global__ void dynamic_array(int* out, int n) {
  int* p = static_cast<int*>(alloca(n * sizeof(int)));
  for (int k = 0; k < n; ++k) p[k] = k * k;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += p[k * 7 % n];
  out[threadIdx.x] = sum;
}

extern "C" __global__ void clocks(long long* out) {
  const long long a = clock64();
  const long long b = clock64();
  __nanosleep(500);
  const long long c = clock64();
  unsigned long long t = 0, u = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  __nanosleep(1000);
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(u));
  if (threadIdx.x == 0) {
    out[0] = b - a;
    out[1] = c - b;
    out[2] = static_cast<long long>(u - t);
    out[3] = a;
    out[4] = static_cast<long long>(t);
  }
}

// One thread waits, asleep, for what another thread of its warp and one of another warp write.
extern "C" __global__ void sleepers(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (flag[0] == 0 || flag[1] == 0) __nanosleep(100);
    out[0] = 1;
  } else if (threadIdx.x == 5) {
    flag[0] = 1;
  } else if (threadIdx.x == 40) {
    flag[1] = 1;
  }
}

extern "C" __global__ void formats(int* p) {
  const int i = -7;
  int n = printf("%d|%5d|%-5d|%05d|%+d|%x|%X|%#x|%o|%u\n", i, i, i, i, 7, 255, 255, 255, 8, 4000000000u);
  p[0] = n;
  p[1] = printf("%lld|%llu|%llx|%ld|%hd|%c|%%|%5c|\n", -9000000000ll, 18000000000000000000ull, 0xabcdef0123ull, -5l,
                12, 'A', 'B');
  p[2] = printf("%f|%.2f|%8.3f|%e|%g|%G|%a|%.0f\n", 1.5, 3.14159, 2.5, 12345.678, 0.0001, 1e20, 1.0, 2.5);
  p[3] = printf("%s|%8s|%-8s|%.2s|\n", "text", "right", "left", "cut");
  p[4] = printf("%*d|%-*d|\n", 6, 42, 6, 42);
  p[5] = printf("%p|%p\n", reinterpret_cast<void*>(0x1234), nullptr);
  p[6] = printf("plain\n");
  printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d|%d|%s\n", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2,
         3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 99, "over");
}

extern "C" __global__ void asserts(const int* x) { assert(x[threadIdx.x] < 2); }

extern "C" __global__ void traps(int* out) {
  if (out[0] == 0) __trap();
}

extern "C" __global__ void leaves(int* out) {
  if (threadIdx.x < 3) asm volatile("exit;");
  out[threadIdx.x] = 1;
}

struct Described {
  const char* name;
  int* value;
  float weights[3];
};
__device__ int described = 5;
__device__ Described variable = {"hello", &described, {1, 2, 3}};

extern "C" __global__ void structures(int* out) {
  out[0] = *variable.value;
  out[1] = variable.name[1];
  out[2] = static_cast<int>(variable.weights[2]);
  *variable.value = 9;
  out[3] = described;
}
