// Four histograms side by side, so that runs of one value do not wait for their own last increment.
void histogram_cpu(const unsigned char* x, unsigned int* counts, int n) {
  unsigned int part[4][256] = {};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int p = 0; p < 4; ++p) ++part[p][x[i + p]];
  for (; i < n; ++i) ++part[0][x[i]];
  for (int v = 0; v < 256; ++v) counts[v] = part[0][v] + part[1][v] + part[2][v] + part[3][v];
}
