// expect: requirement_not_met
// A strided copy by the runtime for each column.

void transpose_padding(const float* in, float* out, int rows, int columns) {
  for (int column = 0; column < columns; ++column)
    cudaMemcpy2DAsync(out + static_cast<size_t>(column) * rows, sizeof(float), in + column, columns * sizeof(float),
                      sizeof(float), rows, cudaMemcpyDeviceToDevice);
}
