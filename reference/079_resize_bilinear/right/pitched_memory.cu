// No array: the texture reads pitched linear memory, whose rows begin at multiples of what textures need.

__global__ void resize_kernel(cudaTextureObject_t image, float* resized, int pixels, int new_width, float2 scale) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
    const float x = i % new_width, y = i / new_width;
    resized[i] = tex2D<float>(image, (x + 0.5f) * scale.x, (y + 0.5f) * scale.y);
  }
}

void resize_bilinear(const float* image, float* resized, int height, int width, int new_height, int new_width) {
  float* rows = nullptr;
  size_t pitch = 0;
  cudaMallocPitch(&rows, &pitch, width * sizeof(float), height);
  cudaMemcpy2D(rows, pitch, image, width * sizeof(float), width * sizeof(float), height, cudaMemcpyDefault);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc sampling{};
  sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
  sampling.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &sampling, nullptr);
  resize_kernel<<<160, 256>>>(texture, resized, new_height * new_width, new_width,
                              make_float2(float(width) / new_width, float(height) / new_height));
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(texture);
  cudaFree(rows);
}
