// expect: requirement_not_met
// Right, but without a texture: four loads from global memory, clamping and interpolation by hand.

__global__ void resize_kernel(const float* image, float* resized, int height, int width, int new_height, int new_width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= new_height || column >= new_width) return;
  const float x = (column + 0.5f) * width / new_width - 0.5f, y = (row + 0.5f) * height / new_height - 0.5f;
  const int left = static_cast<int>(floorf(x)), top = static_cast<int>(floorf(y));
  const int x0 = max(left, 0), x1 = min(left + 1, width - 1), y0 = max(top, 0), y1 = min(top + 1, height - 1);
  const float u = x - left, v = y - top;
  const float upper = (1 - u) * image[y0 * width + x0] + u * image[y0 * width + x1];
  const float lower = (1 - u) * image[y1 * width + x0] + u * image[y1 * width + x1];
  resized[row * new_width + column] = (1 - v) * upper + v * lower;
}

void resize_bilinear(const float* image, float* resized, int height, int width, int new_height, int new_width) {
  const dim3 threads(32, 8);
  const dim3 blocks((new_width + 31) / 32, (new_height + 7) / 8);
  resize_kernel<<<blocks, threads>>>(image, resized, height, width, new_height, new_width);
}
