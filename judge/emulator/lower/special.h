#pragma once
// Special registers (PTX ISA 10) that exec answers: shared by lowering and the handler of mov_special.

#include <cstdint>
#include <string_view>

namespace judge::emulator {

#define JUDGE_SPECIALS(X)                                                                                           \
  X(tid_x, "%tid.x")                                                                                                \
  X(tid_y, "%tid.y") X(tid_z, "%tid.z") X(ntid_x, "%ntid.x") X(ntid_y, "%ntid.y") X(ntid_z, "%ntid.z")              \
      X(ctaid_x, "%ctaid.x") X(ctaid_y, "%ctaid.y") X(ctaid_z, "%ctaid.z") X(nctaid_x, "%nctaid.x")                 \
          X(nctaid_y, "%nctaid.y") X(nctaid_z, "%nctaid.z") X(laneid, "%laneid") X(warpid, "%warpid")               \
              X(nwarpid, "%nwarpid") X(smid, "%smid") X(nsmid, "%nsmid") X(gridid, "%gridid")                       \
                  X(lanemask_eq, "%lanemask_eq") X(lanemask_le, "%lanemask_le") X(lanemask_lt, "%lanemask_lt")      \
                      X(lanemask_ge, "%lanemask_ge") X(lanemask_gt, "%lanemask_gt") X(clock, "%clock")              \
                          X(clock_hi, "%clock_hi") X(clock64, "%clock64") X(globaltimer, "%globaltimer")            \
                              X(globaltimer_lo, "%globaltimer_lo") X(globaltimer_hi, "%globaltimer_hi")             \
                                  X(total_smem_size, "%total_smem_size") X(dynamic_smem_size, "%dynamic_smem_size") \
                                      X(aggr_smem_size, "%aggr_smem_size")                       \
                                          X(envreg1, "%envreg1") X(envreg2, "%envreg2")

enum class Special : std::uint32_t {
#define X(name, spelling) name,
  JUDGE_SPECIALS(X)
#undef X
      none
};

inline Special special_from(std::string_view name) {
#define X(enumerator, spelling) \
  if (name == spelling) return Special::enumerator;
  JUDGE_SPECIALS(X)
#undef X
  return Special::none;
}

inline bool is_clock(Special s) {
  return s >= Special::clock && s <= Special::globaltimer_hi;
}

inline bool is_wide(Special s) {
  return s == Special::clock64 || s == Special::globaltimer || s == Special::gridid;
}

}  // namespace judge::emulator
