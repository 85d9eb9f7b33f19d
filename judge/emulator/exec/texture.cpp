// How a texture instruction runs.
//
// The handle of each lane is looked up in the device's table; sampling.cpp says which texels the lane's coordinates stand
// for. Those texels are then read as plain accesses to device memory (access.h): the bounds of the allocation, memory that
// was freed, memory that nothing has written and races are found there, and no handle and no coordinate can lead outside
// device memory. Corners of a filtered fetch are read one after another for all lanes.
//
// Counted is what hardware counts (l1tex, texture pipe): one request a warp, and the distinct sectors of all its texels.
// Texels of a CUDA array of two or three dimensions lie in tiles; a sector there is 16 bytes of each of two rows.

#include "judge/emulator/exec/texture.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "judge/emulator/exec/access.h"
#include "judge/emulator/exec/sampling.h"
#include "judge/emulator/exec/texture_operand.h"
#include "judge/emulator/observe/transactions.h"

namespace judge::emulator {

namespace {

std::string hex(std::uint64_t v) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), kDigits[v & 15]);
  while ((v >>= 4) != 0);
  return "0x" + text;
}

const Slot* operands(const WarpState& w, std::uint32_t index) {
  return w.worker->launch->program->operand_lists.data() + index;
}

void refuse(WarpState& w, const Instr* i, int lane, FaultKind kind, AccessKind access, std::string message) {
  Fault f;
  f.kind = kind;
  f.space = MemorySpace::global;
  f.access = access;
  f.message = std::move(message);
  report(w, i, std::move(f), lane, true);
}

std::string shape(unsigned dimensions, bool layered) {
  return std::to_string(dimensions) + (layered ? "D layered" : "D");
}

// The view of lane's handle, when it is of the kind that the instruction wants; nullptr after reporting.
const Texture* view(WarpState& w, const Instr* i, int lane, bool surface, AccessKind access) {
  const TextureTable& table = w.worker->launch->memory->textures();
  const std::uint64_t handle = slot<std::uint64_t>(w, i->a)[lane];
  const char* const noun = surface ? "surface" : "texture";
  const Texture* const found = table.find(handle);
  if (found != nullptr && found->surface == surface) return found;
  const std::string what = std::string("a ") + noun + (access == AccessKind::write ? " write" : " read");
  if (found != nullptr)
    refuse(w, i, lane, FaultKind::illegal_instruction, access,
           what + " through a handle of a " + (surface ? "texture" : "surface") + " object");
  else if (table.was_destroyed(handle))
    refuse(w, i, lane, FaultKind::use_after_free, access, what + " through an object that was destroyed");
  else
    refuse(w, i, lane, FaultKind::illegal_instruction, access,
           what + " through " + hex(handle) + ", which is not the handle of a " + noun + " object");
  return nullptr;
}

// Whether an instruction of this geometry can use the view; otherwise the fault is reported.
bool fits(WarpState& w, const Instr* i, int lane, const Texture& t, AccessKind access) {
  const TexelImage& image = t.image;
  const bool layered = (i->imm & texop::kLayered) != 0;
  const unsigned dimensions = texop::dimensions(i->imm);
  if (image.linear && (i->imm & texop::kIntegerCoordinates) == 0 && !t.surface) {
    refuse(w, i, lane, FaultKind::illegal_instruction, access,
           "samples a texture object of linear memory, which only tex1Dfetch can read: use a CUDA array or pitch2D");
    return false;
  }
  // An array of one row serves as one-dimensional: that is how many programs make their tables.
  const bool one_row = dimensions == 1 && image.dimensions == 2 && image.height == 1;
  if (layered == image.layered && (dimensions == image.dimensions || one_row)) return true;
  refuse(w, i, lane, FaultKind::illegal_instruction, access,
         "a " + shape(dimensions, layered) + " access through a " + (t.surface ? "surface" : "texture") +
             " object of a " + shape(image.dimensions, image.layered) + (image.tiled ? " CUDA array" : " image"));
  return false;
}

// What identifies the sector in which a texel's first byte lies.
std::uint64_t sector_of(const TexelImage& image, std::uint64_t offset, std::uint64_t x_bytes, std::uint64_t y,
                        std::uint64_t z) {
  if (!image.tiled || image.dimensions == 1) return (image.base + offset) / kSectorBytes;
  return image.base + ((z << 40) | (y / 2) << 20 | x_bytes / 16);
}

std::uint64_t distinct(std::vector<std::uint64_t>& keys) {
  std::sort(keys.begin(), keys.end());
  return static_cast<std::uint64_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
}

// check_access for lanes of one access width, without its counting as a global access.
bool checked(WarpState& w, const Instr* i, LaneAccess& a, const std::byte* value) {
  AccessCounts& counts = w.worker->accesses[i->index];
  const AccessCounts before = counts;
  const bool good = check_access(w, i, a, value);
  counts = before;
  return good;
}

// Reads the texels that lanes of `mask` want at `address`, all of `bytes`, to lane * 16 in `out`.
bool read_texels(WarpState& w, const Instr* i, LaneAccess& a, std::byte* out) {
  a.space = memop::global;
  a.kind = AccessKind::read;
  if (!checked(w, i, a, nullptr)) return false;
  for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    std::memcpy(out + 16 * l, a.host[l], a.bytes);
  }
  return true;
}

struct LaneFetch {
  const Texture* texture = nullptr;
  Footprint footprint;
};

bool locate(WarpState& w, const Instr* i, std::uint32_t mask, LaneFetch* fetches) {
  const bool layered = (i->imm & texop::kLayered) != 0;
  const unsigned dimensions = texop::dimensions(i->imm);
  const Slot* const from = operands(w, i->b);
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const Texture* const t = view(w, i, l, false, AccessKind::read);
    if (t == nullptr || !fits(w, i, l, *t, AccessKind::read)) return false;
    fetches[l].texture = t;
    const std::uint32_t layer = layered ? slot<std::uint32_t>(w, from[0])[l] : 0;
    std::array<std::uint32_t, 3> c{};
    for (unsigned d = 0; d < dimensions; ++d) c[d] = slot<std::uint32_t>(w, from[d + (layered ? 1 : 0)])[l];
    if ((i->imm & texop::kIntegerCoordinates) != 0)
      fetches[l].footprint = indexed_footprint(*t, std::bit_cast<std::array<std::int32_t, 3>>(c), layer);
    else if ((i->imm & texop::kGather) != 0)
      fetches[l].footprint = gather_footprint(*t, std::bit_cast<float>(c[0]), std::bit_cast<float>(c[1]), layer);
    else
      fetches[l].footprint = footprint(*t, std::bit_cast<std::array<float, 3>>(c), layer);
  }
  return true;
}

}  // namespace

const Instr* texture_fetch(WarpState& w, const Instr* i) {
  const std::uint32_t active = w.mask;
  const bool gather = (i->imm & texop::kGather) != 0;
  LaneFetch fetches[kLanes];
  if (!locate(w, i, active, fetches)) return nullptr;

  double sums[kLanes][4] = {};
  Texel32 exact[kLanes] = {};  // of fetches that take one texel as it is
  std::vector<std::uint64_t> sectors;
  std::uint64_t bytes = 0;
  for (unsigned corner = 0; corner < 8; ++corner) {
    std::uint32_t todo = 0;
    for (std::uint32_t m = active; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      if (corner < fetches[l].footprint.count) todo |= 1u << l;
    }
    if (todo == 0) break;
    alignas(64) std::byte texels[16 * kLanes];
    // Lanes may use textures of different formats: one access for each width.
    std::uint32_t inside = 0;
    for (std::uint32_t m = todo; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      if (fetches[l].footprint.texels[corner].inside) inside |= 1u << l;
    }
    for (std::uint32_t left = inside; left != 0;) {
      LaneAccess a;
      a.bytes = fetches[std::countr_zero(left)].texture->image.format.bytes();
      for (std::uint32_t m = left; m != 0; m &= m - 1) {
        const int l = std::countr_zero(m);
        const TexelImage& image = fetches[l].texture->image;
        if (image.format.bytes() != a.bytes) continue;
        const Footprint::Texel& texel = fetches[l].footprint.texels[corner];
        a.mask |= 1u << l;
        a.address[l] = image.base + texel.offset;
        sectors.push_back(sector_of(image, texel.offset, std::uint64_t{texel.x} * a.bytes, texel.y, texel.z));
        bytes += a.bytes;
      }
      left &= ~a.mask;
      if (!read_texels(w, i, a, texels)) return nullptr;
    }
    for (std::uint32_t m = todo; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      const Texture& t = *fetches[l].texture;
      const Texel32 value = (inside >> l & 1) != 0 ? decode(t, texels + 16 * l) : border_texel(t);
      if (gather) {
        exact[l][corner] = value[texop::component(i->imm)];
      } else if (fetches[l].footprint.count == 1) {
        exact[l] = value;
      } else {
        for (std::size_t k = 0; k < 4; ++k)
          sums[l][k] += fetches[l].footprint.texels[corner].weight * std::bit_cast<float>(value[k]);
      }
    }
  }
  AccessCounts& counts = w.worker->accesses[i->index];
  ++counts.executions;
  counts.bytes += bytes;
  counts.sectors += distinct(sectors);

  const Slot* const to = operands(w, i->d);
  for (std::uint32_t m = active; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const bool blended = !gather && fetches[l].footprint.count > 1;
    for (std::size_t k = 0; k < 4; ++k)
      slot<std::uint32_t>(w, to[k])[l] =
          blended ? std::bit_cast<std::uint32_t>(static_cast<float>(sums[l][k])) : exact[l][k];
  }
  if (i->c != kNoSlot) *slot<std::uint32_t>(w, i->c) |= active;  // nothing here is sparse: every texel is resident
  return i + 1;
}

namespace {

struct SurfacePlace {
  bool inside = false;
  Address address = 0;
};

std::int64_t limited(std::int64_t v, std::int64_t last) {
  return std::clamp<std::int64_t>(v, 0, std::max<std::int64_t>(last, 0));
}

// Where a surface access of `bytes` goes in one lane. The x coordinate counts bytes, or texels where `formatted`. False
// after a fault.
bool place(WarpState& w, const Instr* i, int lane, const Texture& t, std::uint32_t bytes, AccessKind kind,
           SurfacePlace& out, std::vector<std::uint64_t>& sectors) {
  const TexelImage& image = t.image;
  const bool layered = (i->imm & texop::kLayered) != 0, formatted = (i->imm & texop::kFormatted) != 0;
  const unsigned dimensions = texop::dimensions(i->imm);
  const Slot* const from = operands(w, i->b);
  const auto coordinate = [&](unsigned k) {
    return static_cast<std::int64_t>(static_cast<std::int32_t>(slot<std::uint32_t>(w, from[k])[lane]));
  };
  const unsigned first = layered ? 1 : 0;
  std::int64_t at[3] = {coordinate(first), dimensions > 1 ? coordinate(first + 1) : 0,
                        dimensions > 2 ? coordinate(first + 2) : 0};
  if (layered) at[2] = static_cast<std::int64_t>(slot<std::uint32_t>(w, from[0])[lane]);
  const std::int64_t row_bytes = std::int64_t{image.width} * image.format.bytes();
  if (formatted) at[0] *= image.format.bytes();
  // What does not fit into a row at all is outside wherever it begins, also after clamping.
  const bool inside = at[0] >= 0 && at[0] + bytes <= row_bytes && at[1] >= 0 && at[1] < image.height && at[2] >= 0 &&
                      at[2] < image.depth;
  const texop::OutOfRange rule = texop::out_of_range(i->imm);
  out.inside = inside || (rule == texop::OutOfRange::clamp && bytes <= row_bytes);
  if (!inside && rule == texop::OutOfRange::trap) {
    Fault f;
    f.kind = FaultKind::out_of_bounds;
    f.space = MemorySpace::global;
    f.access = kind;
    f.bytes = bytes;
    f.address = image.base;
    f.owner = w.worker->launch->memory->describe(image.base, 1).owner;
    const std::string verb = kind == AccessKind::write ? "writes" : "reads";
    if (at[2] < 0 || at[2] >= image.depth)
      f.message = verb + (layered ? " layer " : " slice ") + std::to_string(at[2]) + " of a surface that has " +
                  std::to_string(image.depth);
    else if (at[1] < 0 || at[1] >= image.height)
      f.message =
          verb + " row " + std::to_string(at[1]) + " of a surface that has " + std::to_string(image.height) + " rows";
    else
      f.message = verb + " " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") + " at byte " +
                  std::to_string(at[0]) + " of a surface's row, which has " + std::to_string(row_bytes) +
                  " bytes: x counts bytes, so an element's index is multiplied by its size";
    report(w, i, std::move(f), lane, true);
    return false;
  }
  if (!out.inside) return true;
  at[0] = limited(at[0], row_bytes - bytes);
  at[1] = limited(at[1], std::int64_t{image.height} - 1);
  at[2] = limited(at[2], std::int64_t{image.depth} - 1);
  const std::uint64_t x = static_cast<std::uint64_t>(at[0]), y = static_cast<std::uint64_t>(at[1]),
                      z = static_cast<std::uint64_t>(at[2]);
  const std::uint64_t offset = x + y * image.row_pitch + z * image.slice_pitch;
  out.address = image.base + offset;
  sectors.push_back(sector_of(image, offset, x, y, z));
  return true;
}

void put(WarpState& w, Slot d, int lane, std::uint64_t v, std::uint32_t aux) {
  if ((aux & memop::kRegister64) != 0)
    slot<std::uint64_t>(w, d)[lane] = v;
  else
    slot<std::uint32_t>(w, d)[lane] = static_cast<std::uint32_t>(v);
}

}  // namespace

const Instr* surface_load(WarpState& w, const Instr* i) {
  const unsigned width = memop::width_of(i->aux), vector = memop::vector_of(i->aux);
  LaneAccess a;
  a.bytes = width * vector;
  std::vector<std::uint64_t> sectors;
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const Texture* const t = view(w, i, l, true, AccessKind::read);
    SurfacePlace p;
    if (t == nullptr || !fits(w, i, l, *t, AccessKind::read) ||
        !place(w, i, l, *t, a.bytes, AccessKind::read, p, sectors))
      return nullptr;
    if (!p.inside) continue;
    a.mask |= 1u << l;
    a.address[l] = p.address;
  }
  alignas(64) std::byte values[16 * kLanes] = {};  // what lies outside reads as 0
  if (a.mask != 0 && !read_texels(w, i, a, values)) return nullptr;
  AccessCounts& counts = w.worker->accesses[i->index];
  ++counts.executions;
  counts.bytes += std::uint64_t{a.bytes} * static_cast<unsigned>(std::popcount(a.mask));
  counts.sectors += distinct(sectors);
  const Slot* const to = operands(w, i->d);
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    for (unsigned k = 0; k < vector; ++k) {
      std::uint64_t v = 0;
      std::memcpy(&v, values + 16 * l + k * width, width);
      put(w, to[k], l, v, i->aux);
    }
  }
  return i + 1;
}

const Instr* surface_store(WarpState& w, const Instr* i) {
  const bool formatted = (i->imm & texop::kFormatted) != 0;
  const unsigned width = memop::width_of(i->aux), vector = memop::vector_of(i->aux);
  const Slot* const from = operands(w, i->d);
  alignas(64) std::byte values[32 * kLanes] = {};
  std::vector<std::uint64_t> sectors;
  std::uint64_t bytes = 0;
  for (std::uint32_t left = w.mask; left != 0;) {
    LaneAccess a;  // lanes whose stores have one width: that of the instruction, or of the surface's texels
    a.space = memop::global;
    a.kind = AccessKind::write;
    std::uint32_t seen = 0;
    for (std::uint32_t m = left; m != 0; m &= m - 1) {
      const int l = std::countr_zero(m);
      const Texture* const t = view(w, i, l, true, AccessKind::write);
      if (t == nullptr || !fits(w, i, l, *t, AccessKind::write)) return nullptr;
      const std::uint32_t wanted = formatted ? t->image.format.bytes() : width * vector;
      if (a.bytes == 0) a.bytes = wanted;
      if (wanted != a.bytes) continue;
      seen |= 1u << l;
      SurfacePlace p;
      if (!place(w, i, l, *t, a.bytes, AccessKind::write, p, sectors)) return nullptr;
      if (!p.inside) continue;  // dropped
      a.mask |= 1u << l;
      a.address[l] = p.address;
      bytes += a.bytes;
      if (formatted) {
        Texel32 texel{};
        for (unsigned k = 0; k < vector; ++k) texel[k] = slot<std::uint32_t>(w, from[k])[l];
        encode(t->image.format, texel, values + 32 * l);
        continue;
      }
      for (unsigned k = 0; k < vector; ++k) {
        if ((i->aux & memop::kRegister64) != 0)
          std::memcpy(values + 32 * l + k * width, slot<std::uint64_t>(w, from[k]) + l, width);
        else
          std::memcpy(values + 32 * l + k * width, slot<std::uint32_t>(w, from[k]) + l, width);
      }
    }
    left &= ~seen;
    if (a.mask != 0 && !checked(w, i, a, values)) return nullptr;
  }
  AccessCounts& counts = w.worker->accesses[i->index];
  ++counts.executions;
  counts.bytes += bytes;
  counts.sectors += distinct(sectors);
  return i + 1;
}

const Instr* texture_query(WarpState& w, const Instr* i) {
  for (std::uint32_t m = w.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const Texture* const t = view(w, i, l, (i->imm & texop::kSurface) != 0, AccessKind::read);
    if (t == nullptr) return nullptr;
    const TexelImage& image = t->image;
    std::uint32_t v = 0;
    switch (texop::query(i->imm)) {
      case texop::Query::width:
        v = image.width;
        break;
      case texop::Query::height:
        v = image.height;
        break;
      case texop::Query::depth:
        v = image.layered ? 1 : image.depth;
        break;
      case texop::Query::layers:
        v = image.layered ? image.depth : 1;
        break;
      case texop::Query::levels:
      case texop::Query::samples:
        v = 1;
        break;
      case texop::Query::normalized:
        v = t->normalized_coordinates ? 1 : 0;
        break;
    }
    slot<std::uint32_t>(w, i->d)[l] = v;
  }
  return i + 1;
}

}  // namespace judge::emulator
