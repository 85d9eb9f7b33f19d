#include "judge/advice.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "judge/facts.h"
#include "judge/requirement_advice.h"

namespace judge {

namespace {

using catalogue::Text;
using emulator::FaultKind;
using emulator::MemorySpace;
using session::HostEnd;
using verdict::Verdict;

Text both(std::string en, std::string zh) {
  return {{"en", std::move(en)}, {"zh", std::move(zh)}};
}

std::string place(const emulator::SourceLocation& where) {
  return where.line > 0 ? fmt::format("{}:{}", where.file, where.line) : where.file;
}

Text after_compile_error(const Report& report) {
  if (report.build.wrong_prototype)
    return both("Give the entry function exactly the prototype shown above; the judge calls it by that.",
                "请把入口函数的原型改成与上面所示完全一致：判题程序按它来调用。");
  if (report.build.timed_out)
    return both("Look for templates or constant expressions that make the compiler compute without end.",
                "请检查是否有模板或常量表达式让编译器无休止地计算。");
  if (report.build.ok)  // it compiled and could not be loaded
    return both("Define the function or variable that the loader names, or remove its use.",
                "请定义加载器指出的函数或变量，或者去掉对它的使用。");
  for (const build::Diagnostic& d : report.build.diagnostics)
    if (d.severity == build::Diagnostic::Severity::error && d.line > 0)
      return both(fmt::format("Fix the first error, {}:{}; later ones often follow from it.", d.file, d.line),
                  fmt::format("先修正第一个错误 {}:{}；后面的错误往往由它引起。", d.file, d.line));
  return both("Fix the first error; later ones often follow from it.", "先修正第一个错误；后面的错误往往由它引起。");
}

// 64 MB and more from every allocation: no bounds check was forgotten, the index itself is nonsense.
bool is_far_from_everything(const device::Fault& f) {
  return f.owner.empty();
}

Text after_global_bounds(const device::Fault& f, const std::string& at) {
  if (is_far_from_everything(f))
    return both(fmt::format("The index at {} is far off, not one too large: look for a product that no longer fits an "
                            "int (above 2,147,483,647 it becomes negative; compute it in size_t or long long), or for "
                            "an index or pointer that was never set.",
                            at),
                fmt::format("{} 处的下标差得很远，并非只越过一点：请检查是否有乘积超出 int 的范围（超过 2,147,483,647 "
                            "会变成负数；请用 size_t 或 long long 计算），或下标、指针从未赋值。",
                            at));
  if (f.element && *f.element < 0)
    return both(
        fmt::format("The index at {} is negative there: check it against 0 before the access, and look for an "
                    "offset that is subtracted where there is nothing before the start.",
                    at),
        fmt::format("{} 处的下标是负数：访问之前请与 0 比较，并检查在开头之前没有元素的地方是否减去了偏移。", at));
  return both(
      fmt::format("Guard the access at {} with a bounds check: the last block usually has threads beyond the end.", at),
      fmt::format("请给 {} 处的访问加上边界检查：最后一个线程块通常有超出末尾的线程。", at));
}

Text after_fault(const device::Fault& f) {
  const std::string at = place(f.where);
  switch (f.kind) {
    case FaultKind::out_of_bounds:
      if (f.space == MemorySpace::shared && !(f.element && *f.element < 0))
        return both(
            fmt::format("Compare the index at {} with the size of the shared array: count the elements that one "
                        "block stores and reads there.",
                        at),
            fmt::format("请对照 {} 处的下标与共享数组的大小：数一数一个线程块在其中读写多少元素。", at));
      return after_global_bounds(f, at);
    case FaultKind::use_after_free:
      return both(fmt::format("Free the memory only after the last kernel that uses it; {} still did.", at),
                  fmt::format("请在最后一个使用这块内存的核函数之后再释放它；{} 处还在使用。", at));
    case FaultKind::invalid_free:
      return both(
          fmt::format("At {} free exactly what malloc or new in device code returned, once: what cudaMalloc returned "
                      "belongs to cudaFree.",
                      at),
          fmt::format(
              "{} 处只能释放设备代码里 malloc 或 new 返回的指针，且只能释放一次；cudaMalloc 的内存要用 cudaFree 释放。",
              at));
    case FaultKind::misaligned:
      return both(
          fmt::format("At {} a vector access needs an address that is a multiple of its width: handle the elements "
                      "before the first aligned one separately.",
                      at),
          fmt::format("{} 处的向量访问要求地址是其宽度的倍数：请单独处理第一个对齐位置之前的元素。", at));
    case FaultKind::host_pointer:
      return both(fmt::format("{} follows a pointer to host memory: copy the data to the device first (cudaMemcpy, or "
                              "cudaMemcpyToSymbol for constant memory) and pass the device's copy.",
                              at),
                  fmt::format("{} 处使用了主机内存的指针：请先把数据复制到设备（cudaMemcpy，常量内存用 "
                              "cudaMemcpyToSymbol），再传设备上的副本。",
                              at));
    case FaultKind::null_pointer:
      return both(
          fmt::format("The pointer used at {} is null: check that its memory was allocated, and that the call which "
                      "did so succeeded.",
                      at),
          fmt::format("{} 处使用的指针为空：请检查内存是否已分配，以及分配调用是否成功。", at));
    case FaultKind::wrong_space:
    case FaultKind::read_only:
      return both(
          fmt::format("Check which memory the pointer at {} belongs to; it is used as if it were another kind.", at),
          fmt::format("请检查 {} 处的指针属于哪种内存；它被当作另一种内存使用了。", at));
    case FaultKind::race:
      if (f.space == MemorySpace::shared)
        return both(
            "Put a __syncthreads() between writing the shared element and the access by another thread, outside "
            "of any branch.",
            "请在写共享元素与另一线程访问它之间加上 __syncthreads()，并放在所有分支之外。");
      return both(
          "Let only one thread write each element, or use an atomic operation: threads of different blocks cannot "
          "wait for each other.",
          "让每个元素只由一个线程写，或使用原子操作：不同线程块的线程无法互相等待。");
    case FaultKind::barrier_divergence:
      return both(
          fmt::format(
              "Move the barrier at {} out of the branch or loop: no thread of the block may go around a barrier "
              "at which others wait.",
              at),
          fmt::format("请把 {} 处的屏障移到分支或循环之外：同块的其他线程在屏障处等待时，任何线程都不得绕过它。", at));
    case FaultKind::sync_mask:
      return both(
          fmt::format("The mask at {} must name exactly the lanes that execute it; call it where all 32 lanes are "
                      "together, with 0xffffffff.",
                      at),
          fmt::format("{} 处的掩码必须恰好列出执行它的线程；请在 32 个线程都在一起的地方用 0xffffffff 调用。", at));
    case FaultKind::uninitialized_read:
      if (f.space == MemorySpace::shared && f.threads_gone > 0)
        return both(
            fmt::format("{} of the block's threads had returned by then, so what they were to store for {} was never "
                        "stored: let every thread do its part of the loading, and return or check bounds after it.",
                        f.threads_gone, at),
            fmt::format("那时线程块已有 {} 个线程返回，它们本应为 {} 存入的元素从未写入：请让每个线程先完成自己的载入，"
                        "之后再返回或检查边界。",
                        f.threads_gone, at));
      if (f.space == MemorySpace::shared)
        return both(
            fmt::format("Give every shared element that {} reads a value first; at the borders that value is usually "
                        "0, and skipping the store leaves garbage.",
                        at),
            fmt::format("{} 处读取的每个共享元素都要先赋值；边界处通常写 0，跳过写入只会留下垃圾值。", at));
      return both(fmt::format("Write the memory that {} reads before reading it; nothing sets new memory to 0.", at),
                  fmt::format("请在 {} 处读取之前先写入这块内存；新内存不会自动清零。", at));
    case FaultKind::step_limit:
      return both(
          fmt::format("Find the loop around {} and make sure that its variable moves towards its end in every "
                      "thread; if it does end, let more threads share its work.",
                      at),
          fmt::format("请找到 {} 附近的循环，确认每个线程的循环变量都在向终点推进；若循环会结束，就让更多线程分担。",
                      at));
    case FaultKind::assertion:
      return both(fmt::format("The assertion at {} is your own: print the values it looks at.", at),
                  fmt::format("{} 处的断言是你自己写的：请打印它检查的值。", at));
    case FaultKind::stack_overflow:
      return both("Look for recursion without an end, or large arrays inside device functions.",
                  "请检查是否有无终止的递归，或设备函数里的大数组。");
    case FaultKind::trap:
    case FaultKind::illegal_instruction:
      break;
  }
  return both(fmt::format("Start at {}: the kernel was ended there.", at),
              fmt::format("请从 {} 处查起：核函数在那里被终止。", at));
}

Text after_host_end(const CaseReport& one) {
  switch (one.host.end) {
    case HostEnd::signaled:
      if (one.host.fault_in_device_memory)
        return both(
            "Host code cannot follow a device pointer: copy the data with cudaMemcpy, or do the work in a kernel.",
            "主机代码不能解引用设备指针：请用 cudaMemcpy 复制数据，或在核函数里完成。");
      if (!one.host.uncaught.empty())
        return both("Catch the exception in the host code, or find out why it is thrown.",
                    "请在主机代码中捕获该异常，或查明它为何被抛出。");
      return both("Look at the host code of your entry function: an index out of range, a null pointer, or an abort.",
                  "请检查入口函数的主机代码：下标越界、空指针，或调用了 abort。");
    case HostEnd::exited:
      return both(
          "Remove the call that ends the process (exit, quick_exit, a failing check macro): the entry must return.",
          "请去掉结束进程的调用（exit、quick_exit 或检查失败的宏）：入口函数必须正常返回。");
    case HostEnd::wall_limit:
      if (2 * one.device_ms > static_cast<double>(one.wall_limit_ms))
        return both(
            "Most of the time went into kernels: launch each once for all elements instead of again and again, and "
            "give every launch enough threads.",
            "大部分时间花在核函数上：请一次启动处理所有元素，不要反复启动，并给每次启动足够的线程。");
      [[fallthrough]];
    case HostEnd::cpu_limit:
      return both("Look for a loop in the host code that never ends, or far too many launches and copies.",
                  "请检查主机代码中是否有不会结束的循环，或过多的启动与复制。");
    case HostEnd::memory_limit:
      return both("Allocate less on the host: the entry needs no more than a small multiple of its arguments.",
                  "请减少主机内存分配：入口函数只需要参数大小的几倍。");
    case HostEnd::process_limit:
      return both("Look for fork() in a loop of the host code; an entry function needs no process of its own.",
                  "请检查主机代码的循环中是否调用了 fork()；入口函数不需要自己的进程。");
    case HostEnd::output_limit:
      return both("Print less: a few values are enough to see what happens.", "请减少输出：几个数值就足以看出问题。");
    default:
      return both("The submission must leave the judge's descriptors and messages alone; use only CUDA calls.",
                  "提交的代码不得触碰判题程序的描述符和消息；请只使用 CUDA 调用。");
  }
}

Text after_api_error(const device::ApiError& error) {
  if (error.is_launch)
    return both("Choose a grid and block within the limit named above, and check cudaGetLastError() after the launch.",
                "请选择不超过上述限制的 grid 与 block，并在启动后检查 cudaGetLastError()。");
  return both(fmt::format("Check the arguments of {}, and look at the value that every CUDA call returns.", error.call),
              fmt::format("请检查 {} 的参数，并查看每个 CUDA 调用的返回值。", error.call));
}

Text after_wrong_answer(const CaseReport& one) {
  const auto wrong =
      std::find_if(one.comparisons.begin(), one.comparisons.end(), [](const auto& c) { return !c.ok(); });
  if (wrong == one.comparisons.end())
    return both("Write only to the output: an input is const for a reason.", "只写输出：输入是 const 的。");
  if (one.record.launches.empty())
    return both("Launch your kernel from the entry function: kernel<<<blocks, threads>>>(…).",
                "请在入口函数中启动核函数：kernel<<<blocks, threads>>>(…)。");
  if (!wrong->first.empty() && wrong->first[0].got == std::numeric_limits<float>::min())
    return both("FLT_MIN is the smallest positive number, not the lowest: a maximum starts with -FLT_MAX or -INFINITY.",
                "FLT_MIN 是最小的正数，不是最小的数：求最大值应从 -FLT_MAX 或 -INFINITY 开始。");
  using check::Shape;
  switch (wrong->diagnosis.shape) {
    case Shape::all_unwritten:
      return both(
          "Check that the kernel stores its result to the output, and that its bounds check lets threads through.",
          "请检查核函数是否把结果写入输出，以及边界检查是否放行了线程。");
    case Shape::some_unwritten:
    case Shape::tail:
    case Shape::last_block:
      return both(
          "Round the number of blocks up, (n + threads - 1) / threads, and check each thread's index against n.",
          "线程块数要向上取整：(n + threads - 1) / threads，并让每个线程把下标与 n 比较。");
    case Shape::block_edges:
      return both(
          "Look at what the first and last threads of a block read that belongs to the neighbouring blocks: which "
          "thread "
          "loads it, and is it the right element?",
          "请看一个线程块的首尾线程所读的相邻元素：它们由哪个线程载入，在块的边缘处是否正确？");
    case Shape::shifted:
      return both("Every value is right and in the wrong place: look for an offset in the index, such as + 1 or - 1.",
                  "数值都对，只是位置错了：请检查下标中的偏移，例如 + 1 或 - 1。");
    case Shape::imprecise:
      return both(
          "The method is right, the precision is not: keep sums and constants in float (not half), leave fast "
          "approximations such as __expf, __fdividef and -use_fast_math out, and add small terms before large ones.",
          "方法正确，精度不够：求和与常数请用 float（不要用 half），不要用 __expf、__fdividef、-use_fast_math "
          "等快速近似，"
          "并先加小项再加大项。");
    case Shape::not_finite:
      return both(
          "Find the division by zero, the square root of a negative number, or the sum that was never set to 0.",
          "请查找除以零、负数开方，或从未清零的累加变量。");
    case Shape::all_zero:
      return both(
          "Check that the kernel uses its inputs: all zero often means that constant or shared data was never set.",
          "请检查核函数是否真的用到了输入：全为零往往说明常量或共享数据从未设置。");
    default:
      return both("Work the first wrong element out by hand, and compare each value that the thread reads with yours.",
                  "请手算第一个错误元素，并逐一对照该线程读取的值。");
  }
}

Text after_host_results() {
  return both(
      "The numbers are right, but the CPU computed them. Let a kernel write the output; the host only launches it and "
      "copies parameters.",
      "数值正确，但它们是 CPU 算出来的。请让核函数写输出；主机只负责启动核函数和复制参数。");
}

// What is wrong, in the exercise's own words where it has some.
std::string reason(const RequirementResult& r, const char* language, const char* begin) {
  auto why = r.why.find(language);
  if (why == r.why.end()) why = r.why.find("en");
  return why == r.why.end() ? std::string() : begin + why->second;
}

Text after_requirement(const Report& report) {
  const auto missed = std::find_if(report.requirements.begin(), report.requirements.end(),
                                   [](const RequirementResult& r) { return !r.met; });
  if (missed == report.requirements.end()) return after_host_results();
  const Text step = requirement_step(*missed, report);
  return both(
      fmt::format("The answer is right. {} is not within its budget{}. {}", missed->metric, reason(*missed, "en", ": "),
                  step.at("en")),
      fmt::format("答案正确。{} 未在预算之内{}。{}", missed->metric, reason(*missed, "zh", "："), step.at("zh")));
}

Text after_run(const Report& report) {
  const auto failed = failures(report);
  const auto chosen =
      std::find_if(failed.begin(), failed.end(), [&](const auto* c) { return c->verdict == report.verdict; });
  if (chosen == failed.end()) return {};
  const CaseReport& one = **chosen;
  if (report.verdict == Verdict::wrong_answer) return after_wrong_answer(one);
  if (const device::Fault* fault = worst_fault(one.record)) {
    CaseReport fault_only;
    fault_only.ran = true;
    fault_only.record.launches.resize(1);
    fault_only.record.launches[0].faults = {*fault};
    if (verdict::decide(facts_of(fault_only)) == report.verdict) return after_fault(*fault);
  }
  if (one.host.end != HostEnd::returned) return after_host_end(one);
  if (const device::ApiError* error = first_api_error(one.record)) return after_api_error(*error);
  if (!one.broken_guards.empty())
    return both(fmt::format("Something was written just outside \"{}\": check the sizes of your copies.",
                            one.broken_guards.front()),
                fmt::format("“{}”之外紧邻处被写入：请检查复制的大小。", one.broken_guards.front()));
  return {};
}

std::string unsupported_names(const Report& report) {
  std::string names;
  for (const CaseReport& one : report.cases) {
    if (!one.ran) continue;
    std::vector<std::string> list = one.record.unsupported;
    if (!one.host.missing_symbol.empty()) list.insert(list.begin(), one.host.missing_symbol);
    for (const std::string& name : list) names += (names.empty() ? "" : ", ") + name;
    if (!names.empty()) break;  // the next case would say the same
  }
  return names;
}

}  // namespace

catalogue::Text next_step(const Report& report) {
  if (report.untouched_stub && report.verdict != Verdict::accepted && report.verdict != Verdict::judge_error)
    return both(
        fmt::format("This is the untouched stub: open {}, fill in its TODOs, save and run the judge again "
                    "(judge.py show {} has the task).",
                    report.source_path, report.exercise_id),
        fmt::format("这是未改动的初始代码：请打开 {}，完成其中的 TODO，保存后再次判题（题目见 judge.py show {}）。",
                    report.source_path, report.exercise_id));
  switch (report.verdict) {
    case Verdict::accepted:
      if (report.partial)
        return both("This case is right. Run all of them: leave --case out.",
                    "这个测试点正确。去掉 --case，运行全部测试点。");
      return both("Done. Read the memory figures above, then take the next exercise: judge.py list.",
                  "完成。看看上面的内存数据，然后做下一题：judge.py list。");
    case Verdict::judge_error:
      if (const std::string what = unsupported_names(report); !what.empty())
        return both(fmt::format("This is no fault of your code: a GPU may run it. Solve the exercise without {}; "
                                "docs/runtime-api.md lists the calls that are there.",
                                what),
                    fmt::format("这不是你的代码的错：GPU 也许能运行它。请不用 {} 完成本题；docs/runtime-api.md "
                                "列出了可用的调用。",
                                what));
      return both(
          "This is not a fault of your code. Run judge.py doctor; if it finds nothing, report the message above with "
          "your file.",
          "这不是你的代码的错。请运行 judge.py doctor；若未发现问题，请附上你的文件报告上面的信息。");
    case Verdict::compile_error:
      return after_compile_error(report);
    case Verdict::requirement_not_met:
      return after_requirement(report);
    case Verdict::inconclusive:
      return both("Close other programs that use the GPU and run it again.", "请关闭其他占用 GPU 的程序后重新运行。");
    default:
      return after_run(report);
  }
}

}  // namespace judge
