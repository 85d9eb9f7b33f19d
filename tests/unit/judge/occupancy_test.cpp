// Values from the tables of the CUDA Occupancy Calculator, worked through by hand.
#include "judge/occupancy.h"

#include "catch.h"
#include "judge/device/properties.h"

using namespace judge;

namespace {

void check(const char* gpu, std::uint32_t threads, int registers, std::uint32_t shared, int blocks, int warps,
           OccupancyLimit limit) {
  CAPTURE(gpu, threads, registers, shared);
  const Occupancy o = theoretical_occupancy(device::named_gpu(gpu), threads, registers, shared);
  CHECK(o.blocks == blocks);
  CHECK(o.warps == warps);
  CHECK(o.limit == limit);
}

}  // namespace

TEST_CASE("occupancy: each limit, on both sides of it") {
  using L = OccupancyLimit;
  // T4: 32 warps, 16 blocks, 65,536 registers, 64 KiB of shared memory.
  check("t4", 256, 32, 0, 4, 32, L::warps);
  check("t4", 32, 32, 0, 16, 16, L::blocks);
  check("t4", 256, 64, 0, 4, 32, L::warps);      // 64 * 32 = 2,048 a warp: 32 warps
  check("t4", 256, 65, 0, 3, 24, L::registers);  // 2,304 a warp: 28 warps
  check("t4", 256, 0, 16 * 1024, 4, 32, L::warps);
  check("t4", 256, 0, 16 * 1024 + 1, 3, 24, L::shared_memory);  // rounded to 16,640: 3 in 65,536
  check("t4", 1024, 65, 0, 0, 0, L::does_not_fit);              // 32 * 2,304 registers are more than a block may have
  check("t4", 1025, 32, 0, 0, 0, L::does_not_fit);
  // A100: 64 warps, 164 KiB, of which each block costs 1 KiB more than it asks for.
  check("a100", 256, 32, 0, 8, 64, L::warps);
  check("a100", 256, 40, 0, 6, 48, L::registers);              // 1,280 a warp: 51, rounded down to 48
  check("a100", 128, 32, 40 * 1024, 4, 16, L::shared_memory);  // 41 KiB a block: 4 in 164 KiB
  check("a100", 128, 32, 40 * 1024 + 1, 3, 12, L::shared_memory);
}
