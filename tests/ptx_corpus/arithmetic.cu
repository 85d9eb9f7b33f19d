// Wide integers, conversions, special functions, texture objects, vector loads, a switch.
__global__ void mixed(const float4* x, const long long* k, double* y, cudaTextureObject_t texture, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 v = x[i];
  const float2 t = tex2D<float2>(texture, v.x, v.y);
  long long q = k[i] / 7 + __umulhi(static_cast<unsigned>(k[i]), 12345u);
  double r = sin(static_cast<double>(v.x)) + __expf(v.y) + rsqrtf(v.z) + fmaf(v.w, t.x, t.y);
  switch (q % 9) {
    case 0: r += 1; break;
    case 1: r *= 3; break;
    case 2: r = sqrt(r); break;
    case 3: q ^= __brevll(q); break;
    case 4: q = __clzll(q); break;
    case 5: q = __ffsll(q); break;
    case 6: r = fmod(r, 0.75); break;
    case 7: r = static_cast<double>(static_cast<short>(q)); break;
    default: r = __double2int_rd(r);
  }
  y[i] = r + static_cast<double>(q) + __byte_perm(i, n, 0x5140) + __dp4a(i, n, 3);
}
