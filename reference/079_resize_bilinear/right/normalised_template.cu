// Normalised coordinates: the image spans 0 to 1 in both directions, whatever its size. The block is a template parameter.

template <int X, int Y>
__global__ void __launch_bounds__(X* Y) resize_kernel(cudaTextureObject_t image, float* resized, int2 size) {
  const int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y;
  if (x < size.x && y < size.y)
    resized[y * size.x + x] = tex2D<float>(image, (x + 0.5f) / size.x, (y + 0.5f) / size.y);
}

void resize_bilinear(const float* image, float* resized, int height, int width, int new_height, int new_width) {
  cudaArray_t array;
  auto format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, width, height);
  cudaMemcpy2DToArrayAsync(array, 0, 0, image, width * 4, width * 4, height, cudaMemcpyDeviceToDevice);
  cudaResourceDesc from{};
  from.resType = cudaResourceTypeArray;
  from.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  how.normalizedCoords = true;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &from, &how, nullptr);
  const dim3 grid((new_width + 15) / 16, (new_height + 15) / 16);
  resize_kernel<16, 16><<<grid, dim3(16, 16)>>>(texture, resized, make_int2(new_width, new_height));
  cudaStreamSynchronize(nullptr);
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
}
