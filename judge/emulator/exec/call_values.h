#pragma once
// Arguments and results of calls that the emulator answers itself (vprintf, malloc, …): values in the frame of the
// caller.

#include <algorithm>
#include <cstring>

#include "judge/emulator/exec/warp.h"

namespace judge::emulator {

inline std::byte* call_value(const WarpState& w, const ParamRegion& r, int lane) {
  return w.frames + w.groups[w.current].frame + r.frame_offset + static_cast<std::uint32_t>(lane) * r.stride;
}

inline std::uint64_t call_argument(const WarpState& w, const ParamRegion& r, int lane) {
  std::uint64_t v = 0;
  std::memcpy(&v, call_value(w, r, lane), std::min<std::size_t>(r.bytes, sizeof v));
  return v;
}

inline void set_call_result(const WarpState& w, const ParamRegion& r, int lane, std::uint64_t v) {
  std::memcpy(call_value(w, r, lane), &v, std::min<std::size_t>(r.bytes, sizeof v));
}

}  // namespace judge::emulator
