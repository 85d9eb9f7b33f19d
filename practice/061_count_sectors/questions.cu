// The kernels of quiz 61. Each is launched with one block; `in` and `out` begin at multiples of 256 bytes. The quiz asks about
// the marked line; the judge counts what that line does when the kernel runs (python3 practice/judge.py 61).

__global__ void neighbours(const float* in, float* out) {
  const float value = in[threadIdx.x];  // <--
  out[threadIdx.x] = value;
}

__global__ void one_element_later(const float* in, float* out) {
  const float value = in[threadIdx.x + 1];  // <--
  out[threadIdx.x] = value;
}

__global__ void every_second(const float* in, float* out) {
  const float value = in[2 * threadIdx.x];  // <--
  out[threadIdx.x] = value;
}

__global__ void down_a_column(const float* in, float* out) {
  const int columns = 1000;
  const float value = in[columns * threadIdx.x];  // <--
  out[threadIdx.x] = value;
}

__global__ void all_the_same(const float* in, float* out) {
  const float value = in[7];  // <--
  out[threadIdx.x] = value;
}

__global__ void backwards(const float* in, float* out) {
  const float value = in[31 - threadIdx.x];  // <--
  out[threadIdx.x] = value;
}

__global__ void doubles(const double* in, double* out) {
  const double value = in[threadIdx.x];  // <--
  out[threadIdx.x] = value;
}

__global__ void sixteen_bytes(const float4* in, float4* out) {
  out[threadIdx.x] = in[threadIdx.x];  // <--
}

__global__ void particles(const float4* in, float* out) {
  const float* numbers = reinterpret_cast<const float*>(in);
  const float mass = numbers[4 * threadIdx.x + 3];  // <--
  out[threadIdx.x] = mass;
}

__global__ void only_even_lanes(const float* in, float* out) {
  if (threadIdx.x % 2 == 0) {
    const float value = in[threadIdx.x];  // <--
    out[threadIdx.x] = value;
  }
}

__global__ void bytes_of_text(const unsigned char* in, unsigned char* out) {
  const unsigned char letter = in[threadIdx.x];
  out[3 * threadIdx.x] = letter;  // <--
}

__global__ void four_of_each(const float* in, float* out) {
  const float value = in[threadIdx.x / 4];  // <--
  out[threadIdx.x] = value;
}
