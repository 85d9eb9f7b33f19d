// expect: wrong_answer
// Beyond the edge the image is 0: the outermost pixels get darker.

__global__ void resize_kernel(cudaTextureObject_t texture, float* resized, int new_height, int new_width,
                              float scale_x, float scale_y) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= new_height || column >= new_width) return;
  resized[row * new_width + column] = tex2D<float>(texture, (column + 0.5f) * scale_x, (row + 0.5f) * scale_y);
}

void resize_bilinear(const float* image, float* resized, int height, int width, int new_height, int new_width) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &format, width, height);
  const size_t row_bytes = width * sizeof(float);
  cudaMemcpy2DToArray(array, 0, 0, image, row_bytes, row_bytes, height, cudaMemcpyDeviceToDevice);

  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sampling = {};
  sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeBorder;
  sampling.filterMode = cudaFilterModeLinear;
  sampling.readMode = cudaReadModeElementType;
  sampling.normalizedCoords = 0;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &sampling, nullptr);

  const dim3 threads(32, 8);
  const dim3 blocks((new_width + threads.x - 1) / threads.x, (new_height + threads.y - 1) / threads.y);
  resize_kernel<<<blocks, threads>>>(texture, resized, new_height, new_width, static_cast<float>(width) / new_width,
                                     static_cast<float>(height) / new_height);

  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
}
