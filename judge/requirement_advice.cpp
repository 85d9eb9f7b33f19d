#include "judge/requirement_advice.h"

#include <algorithm>

#include "judge/catalogue/metrics.h"

namespace judge {

namespace {

using catalogue::Text;

Text both(const char* en, const char* zh) {
  return {{"en", en}, {"zh", zh}};
}

constexpr double kScattered = 0.6;  // below it most of the bytes that moved were not asked for

// Of the case whose figures the report gives.
double figure(const Report& report, std::string_view metric) {
  emulator::Counters sum;
  for (const CaseReport& one : report.cases)
    if (one.name == report.requirement_case)
      for (const device::LaunchRecord& launch : one.record.launches) sum += launch.counters;
  return catalogue::metric_value(metric, sum, {});
}

bool spills(const Report& report) {
  return std::any_of(report.build.kernels.begin(), report.build.kernels.end(),
                     [](const auto& k) { return k.spill_store_bytes + k.spill_load_bytes > 0; });
}

Text for_shared_accesses(const std::string& metric, const Report& report) {
  if (metric.find("wavefronts") != std::string::npos && figure(report, "shared_bank_conflicts") == 0)
    return both(
        "No lanes conflict; what counts is how often shared memory is read. Keep what was read in registers and let "
        "each value serve several results.",
        "没有 bank 冲突；问题在于读共享内存的次数。请把读到的值留在寄存器里，让每个值用于多个结果。");
  const bool full = std::any_of(report.requirements.begin(), report.requirements.end(), [](const auto& r) {
    return r.metric == "static_shared_bytes" && r.max && r.value >= *r.max;
  });
  if (full)
    return both(
        "Let neighbouring lanes use neighbouring words of shared memory. There is no room to pad the rows: put the "
        "words of each row in another order, so that those of a column lie in different banks.",
        "请让相邻线程使用共享内存中相邻的字。这里没有填充的余地：请让每一行的字按不同的顺序存放，使同一列的字落在不同的"
        " "
        "bank。");
  return both("Let neighbouring lanes use neighbouring words of shared memory, or pad the rows by one word.",
              "请让相邻线程使用共享内存中相邻的字，或给每行填充一个字。");
}

Text for_local_memory(const Report& report) {
  if (spills(report))
    return both(
        "Give the kernel the registers that it needs: no __maxnreg__ or __launch_bounds__ that limits them, and fewer "
        "values at once in each thread.",
        "请让核函数得到它需要的寄存器：不要用 __maxnreg__ 或 __launch_bounds__ 限制，并让每个线程同时保存更少的值。");
  return both(
      "A local array lies in local memory when one of its indices is known only at run time: unroll the loops over it "
      "completely (#pragma unroll, a fixed count), and let no index depend on data.",
      "只要有一个下标在运行时才知道，局部数组就会放在本地内存：请让遍历它的循环完全展开（#pragma unroll，固定次数），"
      "并且不让下标取决于数据。");
}

Text for_global_traffic() {
  return both(
      "Count how often each element is moved, and at which line; what is moved twice can be kept in a variable: after "
      "a "
      "store the compiler loads again what the store might have changed.",
      "请数一数每个元素被搬运了几次、在哪一行；重复搬运的数据可以保存在变量里：写内存之后，编译器会重新读取可能已被改动"
      "的数据。");
}

constexpr const char* kLessSharedEn =
    "Keep less in shared memory: what only one thread uses fits a register, and lanes of a warp can exchange values "
    "with "
    "shuffles.";
constexpr const char* kLessSharedZh =
    "请少占用共享内存：只有一个线程用到的值可以放在寄存器里，同一 warp 的线程可以用 shuffle 交换数据。";
constexpr const char* kByKernelEn =
    "A kernel has to move the elements: copies and sets of the CUDA runtime do not count.";
constexpr const char* kByKernelZh = "元素必须由核函数来搬运：CUDA 运行时的复制和置值不算。";
constexpr const char* kSameConstantEn =
    "Let all lanes of a warp read the same constant at the same moment: an index that depends on threadIdx makes the "
    "warp "
    "wait for each different address in turn.";
constexpr const char* kSameConstantZh =
    "请让同一 warp 的线程在同一时刻读同一个常量：下标若取决于 threadIdx，warp 就要为每个不同的地址依次等待。";
constexpr const char* kRegistersAndShufflesEn =
    "Keep in registers what is used again, and let the lanes of a warp exchange values with shuffles.";
constexpr const char* kRegistersAndShufflesZh =
    "再次用到的值请保存在寄存器里，同一 warp 的线程之间用 shuffle 交换数据。";
constexpr const char* kFewerInstructionsEn =
    "Give each thread more elements for the same index arithmetic, and take what is the same for all of them out of "
    "the "
    "loop.";
constexpr const char* kFewerInstructionsZh =
    "让每个线程用同样的下标计算处理更多元素，并把对所有元素都相同的计算移到循环之外。";

struct Advice {
  std::string_view metric;
  const char *too_small_en, *too_small_zh;  // the value is below `min`
  const char *too_large_en, *too_large_zh;  // above `max`; null: there is nothing special to say
};

constexpr Advice kAdvice[] = {
    {"constant_loads",
     "Values that every thread reads alike belong in a __constant__ array, filled with cudaMemcpyToSymbol.",
     "所有线程都读取的相同数值应放在 __constant__ 数组里，用 cudaMemcpyToSymbol 填充。", nullptr, nullptr},
    {"global_load_readonly_share",
     "Declare all pointers of the kernel __restrict__, those that are only read const as well, or load with __ldg().",
     "请把核函数的所有指针声明为 __restrict__，只读的再加上 const；或用 __ldg() 读取。", nullptr, nullptr},
    {"global_atomic_requests", nullptr, nullptr,
     "Combine results within the block first and add to global memory once at its end; fewer blocks that do more each "
     "need fewer additions.",
     "请先在线程块内合并结果，最后只向全局内存累加一次；块越少、每块做得越多，累加就越少。"},
    {"static_shared_bytes", "Declare a __shared__ array of a fixed size in the kernel.",
     "请在核函数里声明固定大小的 __shared__ 数组。", kLessSharedEn, kLessSharedZh},
    {"dynamic_shared_bytes",
     "Declare extern __shared__ without a size, and give its size in bytes as the launch's third argument.",
     "请声明不写大小的 extern __shared__ 数组，并把它的字节数作为启动配置的第三个参数。", kLessSharedEn, kLessSharedZh},
    {"global_load_bytes", kByKernelEn, kByKernelZh, nullptr, nullptr},
    {"global_store_bytes", kByKernelEn, kByKernelZh, nullptr, nullptr},
    {"constant_addresses_per_load", nullptr, nullptr, kSameConstantEn, kSameConstantZh},
    {"constant_load_addresses", nullptr, nullptr, kSameConstantEn, kSameConstantZh},
    {"divergent_branches", nullptr, nullptr,
     "Let the 32 lanes of a warp take the same way: divide work between whole warps (threadIdx.x < s with s a multiple "
     "of "
     "32), and where fewer lanes are needed let all compute and ignore the rest.",
     "让同一 warp 的 32 个线程走同一条路：按整个 warp 划分工作（threadIdx.x < s，s 为 32 "
     "的倍数）；需要的线程更少时，让全部"
     "线程都计算，忽略多余的结果。"},
    {"shared_load_instructions", nullptr, nullptr, kRegistersAndShufflesEn, kRegistersAndShufflesZh},
    {"shared_store_instructions", nullptr, nullptr, kRegistersAndShufflesEn, kRegistersAndShufflesZh},
    {"thread_instructions", nullptr, nullptr, kFewerInstructionsEn, kFewerInstructionsZh},
    {"warp_instructions", nullptr, nullptr, kFewerInstructionsEn, kFewerInstructionsZh},
    {"texture_requests", "Read through a texture object (tex1D, tex2D, …) instead of loading from global memory.",
     "请通过纹理对象（tex1D、tex2D 等）读取，而不是从全局内存读取。",
     "Let the texture unit do the interpolation: one fetch with cudaFilterModeLinear in place of several.",
     "请让纹理单元做插值：用 cudaFilterModeLinear 取一次，代替多次读取。"},
    {"launches", "Cut the work into chunks and launch the kernel for each.", "请把工作切成若干块，每块启动一次核函数。",
     "Do the same work in fewer launches.", "请用更少的启动次数完成同样的工作。"},
    {"managed_bytes", "Allocate it with cudaMallocManaged: host and device then use the same pointers.",
     "请用 cudaMallocManaged 分配：这样主机和设备使用相同的指针。", nullptr, nullptr},
    {"prefetched_bytes",
     "Call cudaMemPrefetchAsync for the device after the host has written the memory and before the launch, with its "
     "size in bytes.",
     "请在主机写完之后、启动核函数之前，以设备为目标调用 cudaMemPrefetchAsync，大小以字节计。", nullptr, nullptr},
    {"async_copy_bytes",
     "Copy with cudaMemcpyAsync, and pin the host memory: cudaHostRegister, or buffers from cudaMallocHost. With "
     "pageable "
     "memory the host waits.",
     "请用 cudaMemcpyAsync 复制，并把主机内存锁页：用 cudaHostRegister，或用 cudaMallocHost "
     "分配缓冲区。对可分页内存，主机会等待。",
     nullptr, nullptr},
    {"streams_used", "Create more streams and deal the chunks out to them.", "请创建更多的流，把各块分配给它们。",
     nullptr, nullptr},
    {"overlapped_copy_bytes",
     "Put copies and launch of a chunk into one stream (the fourth value of <<<>>> too) and the next chunk into "
     "another, "
     "and let nothing wait in between: no synchronisation, no cudaFree, nothing in the default stream.",
     "请把一块的复制与启动放在同一个流（<<<>>> 的第四个值也要写），下一块放在另一个流，中间不要有任何等待：不同步、不 "
     "cudaFree、默认流中没有操作。",
     nullptr, nullptr},
    {"unwaited_copies", nullptr, nullptr,
     "Wait before you use or free anything, once and after everything is issued: cudaDeviceSynchronize, or each "
     "stream.",
     "请在使用或释放任何东西之前等待一次，放在所有操作发出之后：cudaDeviceSynchronize，或逐个等待各个流。"},
    {"clashing_copies", nullptr, nullptr,
     "Give every chunk, or every stream, memory of its own, on the device and on the host; or order the streams with "
     "events.",
     "请让每一块或每个流在设备和主机上都有自己的内存，或用事件规定流之间的先后。"},
    {"copied_to_device_bytes", nullptr, nullptr, "Count how often each element is copied to the device.",
     "请数一数每个元素被复制到设备几次。"},
    {"copied_from_device_bytes", nullptr, nullptr, "Count how often each element is copied back to the host.",
     "请数一数每个元素被复制回主机几次。"},
};

}  // namespace

Text requirement_step(const RequirementResult& missed, const Report& report) {
  const std::string& m = missed.metric;
  const auto names = [&](std::string_view part) { return m.find(part) != std::string::npos; };
  const bool too_small = missed.min && missed.value < *missed.min;
  for (const Advice& a : kAdvice) {
    const char* const en = too_small ? a.too_small_en : a.too_large_en;
    if (m == "managed_bytes" && too_small && missed.value > 0)
      return both(
          "Some of it is managed memory already: allocate the rest with cudaMallocManaged too, and pointers in it with "
          "their full size.",
          "其中一部分已经在统一内存中：其余的也请用 cudaMallocManaged 分配，其中的指针按完整大小存放。");
    if (a.metric == m && en != nullptr) return both(en, too_small ? a.too_small_zh : a.too_large_zh);
  }
  if (names("conflicts") || names("wavefronts")) return for_shared_accesses(m, report);
  const bool scattered = (m == "global_load_bytes" && figure(report, "global_load_efficiency") < kScattered) ||
                         (m == "global_store_bytes" && figure(report, "global_store_efficiency") < kScattered);
  if (names("efficiency") || names("sectors_per_request") || scattered)
    return both(
        "Let neighbouring threads access neighbouring elements at the same time; several elements that one thread "
        "needs "
        "side by side it can take in one access (float2, float4).",
        "请让相邻线程在同一时刻访问相邻元素；若一个线程需要并排的几个元素，可以用一次访问取走（float2、float4）。");
  if (names("requests"))
    return both("Let each lane move 8 or 16 bytes in one access (float2, float4) wherever the address allows it.",
                "只要地址允许，就让每个线程一次访问搬运 8 或 16 字节（float2、float4）。");
  if (names("global_load") || names("global_store")) return for_global_traffic();
  if (names("spill") || m.starts_with("local_")) return for_local_memory(report);
  if (names("registers")) return both("Let each thread hold fewer values at once.", "请让每个线程同时保存更少的值。");
  return both("Compare the figure above with what the statement asks for.", "请把上面的数值与题目的要求对照。");
}

}  // namespace judge
