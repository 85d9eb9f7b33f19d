// Exercise 79: resize an image with bilinear interpolation, which the texture unit does by itself.
// The task is explained in statement.md (or: python3 practice/judge.py show 79).

#include <cuda_runtime.h>

__global__ void resize_kernel(cudaTextureObject_t texture, float* resized, int new_height, int new_width,
                              float scale_x, float scale_y) {
  // TODO 4: one thread for each pixel of the result: column from the x dimension, row from the y dimension.

  // TODO 5: where does the centre of this pixel lie in the image? Centres are at 0.5, 1.5, 2.5, ... in both.
  // One fetch, tex2D<float>(texture, x, y), returns the interpolated value.
}

// The judge calls this function. image and resized are device pointers, row by row without gaps.
void resize_bilinear(const float* image, float* resized, int height, int width, int new_height, int new_width) {
  // TODO 1: make a CUDA array of width x height floats (cudaMallocArray, cudaCreateChannelDesc<float>()) and copy the
  // image into it (cudaMemcpy2DToArray). The image is on the device already: which direction is that?

  // TODO 2: describe the resource (cudaResourceDesc: the array) and how to read it (cudaTextureDesc: clamp at the
  // edges, interpolate linearly, return elements as they are, coordinates in texels). Begin both with = {}.

  // TODO 3: make the texture object (cudaCreateTextureObject) and launch blocks of 32 x 8 threads.

  // TODO 6: destroy the object and free the array.
}
