#include "judge/emulator/memory/textures.h"

namespace judge::emulator {

namespace {

constexpr std::size_t kMaxHandles = 1u << 16;

// Far from addresses of any space, so that neither a handle is taken for a pointer nor a pointer for a handle.
constexpr std::uint64_t kFirstHandle = 0x1'0000'0001;

}  // namespace

std::string to_string(TexelFormat f) {
  std::string text = f.kind == ChannelKind::floating           ? "float"
                     : f.kind == ChannelKind::unsigned_integer ? "uint"
                                                               : "int";
  text += std::to_string(f.bits);
  if (f.channels > 1) text += " x " + std::to_string(f.channels);
  return text;
}

std::uint64_t TextureTable::add(const Texture& texture) {
  if (live_.size() >= kMaxHandles) return 0;
  const std::uint64_t handle = kFirstHandle + next_++;
  live_.emplace(handle, texture);
  return handle;
}

bool TextureTable::remove(std::uint64_t handle, bool surface) {
  const auto found = live_.find(handle);
  if (found == live_.end() || found->second.surface != surface) return false;
  live_.erase(found);
  return true;
}

const Texture* TextureTable::find(std::uint64_t handle) const {
  const auto found = live_.find(handle);
  return found == live_.end() ? nullptr : &found->second;
}

bool TextureTable::was_destroyed(std::uint64_t handle) const {
  return handle >= kFirstHandle && handle - kFirstHandle < next_ && live_.count(handle) == 0;
}

void TextureTable::clear() {
  live_.clear();
  next_ = 0;
}

}  // namespace judge::emulator
