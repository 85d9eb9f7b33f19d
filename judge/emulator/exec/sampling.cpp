#include "judge/emulator/exec/sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "judge/emulator/exec/narrow.h"

namespace judge::emulator {

namespace {

// Beyond any texture, and small enough for the arithmetic below.
constexpr double kFar = 1 << 30;

double finite(float x) {
  if (std::isnan(x)) return 0;
  return std::clamp(static_cast<double>(x), -kFar, kFar);
}

// Wrap and mirror exist for normalised coordinates only; with others they act as clamp (cudaTextureDesc::addressMode).
AddressMode effective(AddressMode mode, bool normalized) {
  return !normalized && (mode == AddressMode::wrap || mode == AddressMode::mirror) ? AddressMode::clamp : mode;
}

// The coordinate in texels. Wrap leaves the fraction; mirror the fraction, backwards in every other period.
double in_texels(float coordinate, std::uint32_t size, AddressMode mode, bool normalized) {
  double x = finite(coordinate);
  if (!normalized) return x;
  if (mode == AddressMode::wrap) {
    x -= std::floor(x);
  } else if (mode == AddressMode::mirror) {
    const double period = std::floor(x);
    x -= period;
    if (std::fmod(period, 2) != 0) x = 1 - x;
  }
  return x * size;
}

std::int64_t placed(std::int64_t i, std::uint32_t size, AddressMode mode) {
  const std::int64_t n = size;
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case AddressMode::wrap:
      return ((i % n) + n) % n;
    case AddressMode::border:
      return -1;
    case AddressMode::mirror:  // the coordinate was reflected before; what is left is half a texel at either end
    case AddressMode::clamp:
      return i < 0 ? 0 : n - 1;
  }
  return -1;
}

void add_texels(Footprint& f, const Texture& t, const AxisTexels& x, const AxisTexels& y, const AxisTexels& z) {
  const TexelImage& image = t.image;
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t i = 0; i < 2; ++i) {
        const int weights[] = {x.weight[i], y.weight[j], z.weight[k]};
        if (weights[0] == 0 || weights[1] == 0 || weights[2] == 0) continue;
        Footprint::Texel& out = f.texels[f.count++];
        out.weight = static_cast<double>(weights[0]) * weights[1] * weights[2] / (256.0 * 256.0 * 256.0);
        out.inside = x.index[i] >= 0 && y.index[j] >= 0 && z.index[k] >= 0;
        if (!out.inside) continue;
        out.x = static_cast<std::uint32_t>(x.index[i]);
        out.y = static_cast<std::uint32_t>(y.index[j]);
        out.z = static_cast<std::uint32_t>(z.index[k]);
        out.offset = out.x * std::uint64_t{image.format.bytes()} + out.y * image.row_pitch + out.z * image.slice_pitch;
      }
    }
  }
}

// A layer that is not there is the last one.
AxisTexels layer_texel(const TexelImage& image, std::uint32_t layer) {
  AxisTexels a;
  a.index[0] = image.layered ? std::min(layer, image.depth - 1) : 0;
  return a;
}

AxisTexels only_texel() {
  AxisTexels a;
  a.index[0] = 0;
  return a;
}

float as_float(std::uint32_t bits, const TexelFormat& f) {
  if (f.bits == 32) return std::bit_cast<float>(bits);
  return F16::widen(bits);
}

// 8 and 16 bits of an integer as a float in [0, 1] or [-1, 1] (cudaReadModeNormalizedFloat).
float normalised(std::uint32_t extended, const TexelFormat& f) {
  if (f.kind == ChannelKind::unsigned_integer) {
    return static_cast<float>(static_cast<double>(extended) / (f.bits == 8 ? 255.0 : 65535.0));
  }
  const double v = static_cast<double>(static_cast<std::int32_t>(extended)) / (f.bits == 8 ? 127.0 : 32767.0);
  return static_cast<float>(std::max(v, -1.0));  // -128 and -127 are both -1
}

// IEC 61966-2-1.
float srgb_to_linear(float c) {
  return static_cast<float>(c <= 0.04045f ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
}

}  // namespace

AxisTexels nearest_texel(float coordinate, std::uint32_t size, AddressMode mode, bool normalized) {
  mode = effective(mode, normalized);
  AxisTexels a;
  a.index[0] =
      placed(static_cast<std::int64_t>(std::floor(in_texels(coordinate, size, mode, normalized))), size, mode);
  return a;
}

AxisTexels linear_texels(float coordinate, std::uint32_t size, AddressMode mode, bool normalized) {
  mode = effective(mode, normalized);
  const double centred = in_texels(coordinate, size, mode, normalized) - 0.5;
  // Rounded to 8 fractional bits before it is split, so that a weight of 1 is the next texel's.
  const auto fixed = static_cast<std::int64_t>(std::floor(centred * kWeightOne + 0.5));
  const std::int64_t first = fixed >> 8;
  AxisTexels a;
  a.index = {placed(first, size, mode), placed(first + 1, size, mode)};
  a.weight[1] = static_cast<int>(fixed & (kWeightOne - 1));
  a.weight[0] = kWeightOne - a.weight[1];
  return a;
}

AxisTexels indexed_texel(std::int32_t index, std::uint32_t size, AddressMode mode) {
  AxisTexels a;
  a.index[0] = placed(index, size, effective(mode, false));
  return a;
}

Footprint footprint(const Texture& t, const std::array<float, 3>& c, std::uint32_t layer) {
  const TexelImage& image = t.image;
  const std::uint32_t sizes[] = {image.width, image.height, image.depth};
  AxisTexels axes[3];
  for (std::size_t d = 0; d < 3; ++d) {
    if (d >= image.dimensions) {
      axes[d] = d == 2 ? layer_texel(image, layer) : only_texel();
      continue;
    }
    const auto texels = t.filter_linear ? linear_texels : nearest_texel;
    axes[d] = texels(c[d], sizes[d], t.address[d], t.normalized_coordinates);
  }
  Footprint f;
  add_texels(f, t, axes[0], axes[1], axes[2]);
  return f;
}

Footprint indexed_footprint(const Texture& t, const std::array<std::int32_t, 3>& c, std::uint32_t layer) {
  const TexelImage& image = t.image;
  const std::uint32_t sizes[] = {image.width, image.height, image.depth};
  AxisTexels axes[3];
  for (std::size_t d = 0; d < 3; ++d) {
    if (d >= image.dimensions) {
      axes[d] = d == 2 ? layer_texel(image, layer) : only_texel();
      continue;
    }
    // Linear memory has no address modes: past its end a fetch gives 0.
    axes[d] = indexed_texel(c[d], sizes[d], image.linear ? AddressMode::border : t.address[d]);
  }
  Footprint f;
  add_texels(f, t, axes[0], axes[1], axes[2]);
  return f;
}

Footprint gather_footprint(const Texture& t, float x, float y, std::uint32_t layer) {
  const TexelImage& image = t.image;
  AxisTexels ax = linear_texels(x, image.width, t.address[0], t.normalized_coordinates);
  AxisTexels ay = linear_texels(y, image.height, t.address[1], t.normalized_coordinates);
  const AxisTexels az = layer_texel(image, layer);
  static constexpr std::size_t kOrder[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  Footprint f;
  for (const auto& [i, j] : kOrder) {
    AxisTexels one_x, one_y;
    one_x.index[0] = ax.index[i];
    one_y.index[0] = ay.index[j];
    add_texels(f, t, one_x, one_y, az);
  }
  return f;
}

bool delivers_floats(const Texture& t) {
  const TexelFormat& f = t.image.format;
  return f.kind == ChannelKind::floating || (t.normalized_reads && f.bits < 32);
}

Texel32 decode(const Texture& t, const std::byte* texel) {
  const TexelFormat& f = t.image.format;
  const bool floats = delivers_floats(t);
  // Channels that the format does not have: 0, and 1 for the fourth.
  Texel32 out{0, 0, 0, floats ? std::bit_cast<std::uint32_t>(1.0f) : 1u};
  const unsigned bytes = f.bits / 8;
  for (std::size_t k = 0; k < f.channels; ++k) {
    std::uint32_t v = 0;
    std::memcpy(&v, texel + k * bytes, bytes);
    if (f.kind == ChannelKind::floating) {
      out[k] = std::bit_cast<std::uint32_t>(as_float(v, f));
      continue;
    }
    if (f.kind == ChannelKind::signed_integer && f.bits < 32) {
      const unsigned shift = 32u - f.bits;
      v = static_cast<std::uint32_t>(static_cast<std::int32_t>(v << shift) >> shift);
    }
    if (floats) {
      float x = normalised(v, f);
      if (t.srgb && k < 3) x = srgb_to_linear(x);
      v = std::bit_cast<std::uint32_t>(x);
    }
    out[k] = v;
  }
  return out;
}

Texel32 border_texel(const Texture& t) {
  Texel32 out{};
  if (t.image.linear || !delivers_floats(t)) return out;  // an integer texture has only the border 0 (textures.cpp)
  for (std::size_t k = 0; k < 4; ++k) out[k] = std::bit_cast<std::uint32_t>(t.border[k]);
  return out;
}

void encode(TexelFormat f, const Texel32& values, std::byte* to) {
  const unsigned bytes = f.bits / 8;
  for (std::size_t k = 0; k < f.channels; ++k) {
    std::uint32_t v = values[k];
    if (f.kind == ChannelKind::floating && f.bits == 16) {
      v = narrow<F16>(std::bit_cast<float>(v));
    } else if (f.kind == ChannelKind::unsigned_integer && f.bits < 32) {
      v = std::min(v, (1u << f.bits) - 1);
    } else if (f.kind == ChannelKind::signed_integer && f.bits < 32) {
      const std::int32_t limit = 1 << (f.bits - 1);
      v = static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(v), -limit, limit - 1));
    }
    std::memcpy(to + k * bytes, &v, bytes);
  }
}

}  // namespace judge::emulator
