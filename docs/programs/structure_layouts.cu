// Particles as an array of structures and as a structure of arrays: what is moved when a kernel needs two members of
// eight, and when it needs all of them.
//
//   python3 practice/judge.py run docs/programs/structure_layouts.cu --report
//
// The table says what the layouts amount to; the report says what was counted. On a GPU: nvcc -I practice, and the
// argument "time" takes larger arrays and adds times.

#include <cstring>
#include <vector>

#include "common.cuh"

constexpr int kThreads = 256, kMembers = 8;

struct Particle {
  float member[kMembers];  // x, y, z, their speeds, mass, charge
};

// Each sums Used members of its particle.
template <int Used>
__global__ void array_of_structures(const Particle* particles, float* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int m = 0; m < Used; ++m) sum += particles[i].member[m];
  sums[i] = sum;
}

template <int Used>
__global__ void structure_of_arrays(const float* members, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int m = 0; m < Used; ++m) sum += members[m * n + i];
  sums[i] = sum;
}

template <typename Launch>
bool row(const char* name, int used, int sectors, const std::vector<Particle>& particles, float* sums, bool timed,
         Launch launch) {
  const std::size_t n = particles.size();
  CUDA_CHECK(cudaMemset(sums, 0, n * sizeof(float)));
  launch();
  CUDA_CHECK_LAUNCH();
  std::vector<float> got(n), expected(n);
  CUDA_CHECK(cudaMemcpy(got.data(), sums, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < n; ++i)
    for (int m = 0; m < used; ++m) expected[i] += particles[i].member[m];
  std::printf("%-23s  %16d  %20d", name, used * 4, sectors);
  if (timed) {
    GpuTimer timer;
    timer.start();
    for (int k = 0; k < 100; ++k) launch();
    std::printf(" %9.4f ms", timer.stop_ms() / 100);
  }
  std::printf("\n");
  return check_close(got.data(), expected.data(), n, 1e-5, 1e-5, name);
}

int main(int argc, char** argv) {
  const bool timed = argc > 1 && std::strcmp(argv[1], "time") == 0;
  const int n = timed ? 1 << 22 : 1 << 13;
  std::vector<Particle> particles(n);
  fill_random(&particles[0].member[0], n * kMembers, -1, 1);
  std::vector<float> members(n * kMembers);
  for (int i = 0; i < n; ++i)
    for (int m = 0; m < kMembers; ++m) members[m * n + i] = particles[i].member[m];
  const std::size_t bytes = n * sizeof(Particle);
  Particle* structures;
  float *arrays, *sums;
  CUDA_CHECK(cudaMalloc(&structures, bytes));
  CUDA_CHECK(cudaMalloc(&arrays, bytes));
  CUDA_CHECK(cudaMalloc(&sums, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(structures, particles.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(arrays, members.data(), bytes, cudaMemcpyHostToDevice));

  // Each load of a warp: 32 structures of 32 bytes are 32 sectors, 32 neighbouring floats are 4.
  std::printf("kernel                   bytes a particle  sectors of a request\n");
  const int blocks = n / kThreads;
  bool right = row("array_of_structures<2>", 2, 32, particles, sums, timed,
                   [&] { array_of_structures<2><<<blocks, kThreads>>>(structures, sums); });
  right &= row("structure_of_arrays<2>", 2, 4, particles, sums, timed,
               [&] { structure_of_arrays<2><<<blocks, kThreads>>>(arrays, sums, n); });
  right &= row("array_of_structures<8>", 8, 32, particles, sums, timed,
               [&] { array_of_structures<8><<<blocks, kThreads>>>(structures, sums); });
  right &= row("structure_of_arrays<8>", 8, 4, particles, sums, timed,
               [&] { structure_of_arrays<8><<<blocks, kThreads>>>(arrays, sums, n); });
  CUDA_CHECK(cudaFree(structures));
  CUDA_CHECK(cudaFree(arrays));
  CUDA_CHECK(cudaFree(sums));
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
