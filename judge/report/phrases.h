#pragma once
// Every fixed phrase of a report, once, in each language. Placeholders are fmt's; both languages take the same
// arguments.

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "judge/catalogue/catalogue.h"
#include "judge/check/check.h"
#include "judge/emulator/observe/fault.h"
#include "judge/verdict/verdict.h"

namespace judge::report {

#define JUDGE_PHRASES(X)                                                                                              \
  X(device, "device", "设备")                                                                                         \
  X(compile, "compile", "编译")                                                                                       \
  X(device_because, "{}; {}", "{}；{}")                                                                               \
  X(no_gpu_timing, "GPU timing is not part of this version", "此版本不含 GPU 计时")                                   \
  X(compiled_in, "{}, {} ms", "{}，{} 毫秒")                                                                          \
  X(compiled_from_cache, "{}, unchanged since it was last compiled", "{}，自上次编译后未改动")                        \
  X(kernel_resources, "{}: {} registers, {}, {} bytes of shared memory", "{}：{} 个寄存器，{}，{} 字节共享内存")      \
  X(no_spills, "no spills", "无溢出")                                                                                 \
  X(spills, "{} bytes spilled", "溢出 {} 字节")                                                                       \
  X(cases, "cases (times are of the judge and its emulator, not of a GPU)",                                           \
    "测试点（时间是判题程序与模拟器的用时，不是 GPU 的）")                                                            \
  X(not_run, "not run", "未运行")                                                                                     \
  X(milliseconds, "{} ms", "{} 毫秒")                                                                                 \
  X(failed_in, "{} in case \"{}\"{}", "{}，测试点“{}”{}")                                                             \
  X(also_failed, "also failed: \"{}\" ({})", "同样失败：“{}”（{}）")                                                  \
  X(wrong_only, "{}: its only element is wrong", "{}：唯一的元素错误")                                                \
  X(unwritten_only, "{}: its only element was never written", "{}：唯一的元素从未写入")                               \
  X(wrong_one, "{}: 1 of {} elements is wrong", "{}：共 {} 个元素，1 个错误")                                         \
  X(wrong_of, "{}: {} of {} elements are wrong", "{0}：共 {2} 个元素，{1} 个错误")                                    \
  X(wrong_unwritten, "{}: {} of {} elements are wrong, {} of them never written",                                     \
    "{0}：共 {2} 个元素，{1} 个错误，其中 {3} 个从未写入")                                                            \
  X(column_index, "index", "下标")                                                                                    \
  X(column_got, "got", "得到")                                                                                        \
  X(column_expected, "expected", "应为")                                                                              \
  X(column_allowed, "allowed error", "允许误差")                                                                      \
  X(unwritten, "not written", "未写入")                                                                               \
  X(written_by, "written by", "写入位置")                                                                             \
  X(never_launched, "The entry function launched no kernel.", "入口函数没有启动任何核函数。")                         \
  X(output_right_now, "The output of this run is right all the same; in another order of the threads it may not be.", \
    "这一次的输出仍然正确；换一种线程顺序就未必。")                                                                   \
  X(input_changed, "The input \"{}\" was changed.", "输入“{}”被修改。")                                               \
  X(input_written_by, "{} wrote to it here:", "{} 在这里写入了它：")                                                  \
  X(computed_on_host_only,                                                                                            \
    "{}: its only element holds what {} copied there from host memory: the result was computed on the host.",         \
    "{}：唯一的元素是 {} 从主机内存复制来的：结果是在主机上计算的。")                                                 \
  X(computed_on_host,                                                                                                 \
    "{}: {} of {} elements hold what {} copied there from host memory, from index {} on: the result was computed on " \
    "the host.",                                                                                                      \
    "{0}：共 {2} 个元素，其中 {1} 个（从下标 {4} 起）是 {3} 从主机内存复制来的：结果是在主机上计算的。")              \
  X(guard_broken, "Something was written just outside \"{}\".", "“{}”之外紧邻处被写入。")                             \
  X(in_kernel, "{} in {}", "{}，位于 {}")                                                                             \
  X(and_what, "{}: {}", "{}：{}")                                                                                     \
  X(element_of, "element {} of {}", "{1} 的第 {0} 个元素（从 0 起）")                                                 \
  X(in_owner, "in {}", "位于 {}")                                                                                     \
  X(at_address, "address {}", "地址 {}")                                                                              \
  X(at_offset, "byte {} of the block's shared memory", "线程块共享内存的第 {} 字节")                                  \
  X(block_thread, "block {}, thread {}", "线程块 {}，线程 {}")                                                        \
  X(times, "{} times at this line", "此行共 {} 次")                                                                   \
  X(other_party, "the other thread {}:", "另一线程{}：")                                                              \
  X(other_thread, "the other thread:", "另一线程：")                                                                  \
  X(reads, "reads", "读取")                                                                                           \
  X(writes, "writes", "写入")                                                                                         \
  X(updates, "updates atomically", "原子更新")                                                                        \
  X(access_bytes, "{} {} bytes", "{} {} 字节")                                                                        \
  X(more_faults, "{} more of the same kinds are not shown", "另有 {} 处同类错误未列出")                               \
  X(kernel_launch, "launch: grid {}, block {}", "启动：grid {}，block {}")                                            \
  X(call_failed, "{} failed with {} ({})", "{} 失败：{}（{}）")                                                       \
  X(host_signal, "The host code was ended by signal {} ({}).", "主机代码被信号 {}（{}）终止。")                       \
  X(host_device_pointer, "The host code followed a device pointer, {}: a CPU cannot see the device's memory.",        \
    "主机代码解引用了设备指针 {}：CPU 看不到设备内存。")                                                              \
  X(host_bad_pointer, "The host code used the address {}, where there is no memory.",                                 \
    "主机代码使用了地址 {}，那里没有内存。")                                                                          \
  X(host_exited, "The process ended with exit status {} before the entry function returned; that is never a pass.",   \
    "进程在入口函数返回之前以状态 {} 退出；这绝不算通过。")                                                           \
  X(step_limit_was, "It used up the limit of this case, {} steps; a warp's instruction is one for each lane.",        \
    "它用完了此测试点的上限 {} 步；warp 的一条指令按每个通道一步计算。")                                              \
  X(wall_limit_in_kernel, "The {} ms of this case were over then; its kernels had executed {} steps.",                \
    "此测试点的 {} 毫秒那时已用完；核函数共执行了 {} 步。")                                                           \
  X(host_wall_limit, "The case did not end within its limit of {} ms.", "该测试点没有在 {} 毫秒的时限内结束。")       \
  X(time_in_kernels, "Of that, {} ms were spent in kernels (launches: {}) and {} ms in host code.",                   \
    "其中核函数用了 {} 毫秒（启动次数：{}），主机代码用了 {} 毫秒。")                                                 \
  X(time_in_one_kernel, "A kernel was still running then.", "当时仍有核函数在运行。")                                 \
  X(host_cpu_limit, "The host code used up its processor time.", "主机代码用完了处理器时间。")                        \
  X(host_memory_limit, "The host process used more memory than it may.", "主机进程使用的内存超过上限。")              \
  X(host_process_limit, "The host code starts processes without end.", "主机代码不断地创建新进程。") \
  X(host_uncaught, "The host code threw an exception that nothing caught:", "主机代码抛出了未被捕获的异常：") \
  X(host_output_limit, "The host process printed more than it may.", "主机进程的输出超过上限。")                      \
  X(host_protocol, "The host process sent the judge something that CUDA calls never send.",                           \
    "主机进程向判题程序发送了 CUDA 调用不会产生的内容。")                                                             \
  X(load_failed, "The compiled submission cannot be loaded:", "编译后的提交无法加载：")                               \
  X(compile_timed_out, "The compiler did not end within its time.", "编译器没有在时限内结束。")                       \
  X(wrong_prototype, "The exercise asks for exactly this function:", "本题要求的函数原型恰好是：")                    \
  X(more_diagnostics, "{} more messages are not shown", "另有 {} 条信息未列出")                                       \
  X(error, "error", "错误")                                                                                           \
  X(warning, "warning", "警告")                                                                                       \
  X(note, "note", "说明")                                                                                             \
  X(kernel_printed, "printed by the kernel", "核函数的输出")                                                          \
  X(host_printed, "printed by the host code", "主机代码的输出")                                                       \
  X(output_cut, "… (cut)", "…（已截断）")                                                                             \
  X(memory_in, "memory, in case \"{}\"", "内存，测试点“{}”")                                                          \
  X(at_least, "at least {}", "至少 {}")                                                                               \
  X(at_most, "at most {}", "至多 {}")                                                                                 \
  X(exactly, "exactly {}", "恰好 {}")                                                                                 \
  X(judge_failed_at, "The judge failed, in its stage \"{}\":", "判题程序在“{}”阶段出错：")                            \
  X(partial, "only the case asked for was run", "只运行了指定的测试点")                                               \
  X(untouched_stub, "the untouched stub", "未改动的初始代码")                                                         \
  X(verdict, "verdict", "结论")                                                                                       \
  X(next, "next", "下一步")                                                                                           \
  X(seed, "seed", "种子")                                                                                             \
  X(seed_again, "{} (the same inputs again: --seed {})", "{}（用 --seed {} 可重现同样的输入）")                       \
  X(schedule, "schedule", "调度")                                                                                     \
  X(schedule_again, "{} (the same order again: --schedule {})", "{}（用 --schedule {} 可重现同样的执行顺序）")        \
  X(only_in_schedule,                                                                                                 \
    "The plain order of execution was right; another order of blocks, warps and lanes, other addresses and other "    \
    "contents of unset memory are not: the result depends on what CUDA does not promise.",                            \
    "按默认顺序执行时结果正确；换一种线程块、warp、lane 的执行顺序、内存地址和未初始化内容后就不对了："               \
    "结果依赖于 CUDA 并不保证的行为。")                                                                               \
  X(schedules_right, "right under {} more schedules", "另外 {} 种调度下结果也正确")                                   \
  X(run_found, "what the device found", "设备发现的问题")                                                             \
  X(run_compile_error, "the program does not compile", "程序无法编译")                                                \
  X(run_judge_error, "the judge failed ({}); the program is not to blame", "判题器出错（{}），与程序无关")            \
  X(run_unsupported, "not supported by the emulator: {}", "模拟器不支持：{}")                                         \
  X(run_missing_call, "a CUDA call that this version does not have: {}", "此版本没有的 CUDA 调用：{}")                \
  X(run_launch_failed, "a launch failed: {}", "核函数启动失败：{}")                                                   \
  X(run_status_of_finding, "The program ended with 0; the exit status is {} for this (--no-fail-on-findings).",       \
    "程序返回 0；因上述问题，退出状态为 {}（可用 --no-fail-on-findings 关闭）。")                                     \
  X(run_transfers, "copies between host and device, and managed memory", "主机与设备之间的复制，以及统一内存")             \
  X(run_no_kernel, "No kernel was launched.", "没有启动任何核函数。")                                                 \
  X(run_shape, "grid {}, block {}, {} bytes of dynamic shared memory, {} launches",                                   \
    "网格 {}，线程块 {}，动态共享内存 {} 字节，启动 {} 次")                                                           \
  X(run_occupancy, "theoretical occupancy {} % ({} of {} warps, {} blocks), limited by {}",                           \
    "理论占用率 {} %（{}/{} 个 warp，{} 个线程块），受限于{}")                                                        \
  X(run_registers, "{} registers a thread", "每线程 {} 个寄存器")                                                     \
  X(run_registers_unknown, "registers not known", "寄存器数未知")                                                     \
  X(limit_warps, "warps", "warp 数")                                                                                  \
  X(limit_blocks, "blocks", "线程块数")                                                                               \
  X(limit_registers, "registers", "寄存器")                                                                           \
  X(limit_shared, "shared memory", "共享内存")                                                                        \
  X(limit_nothing_fits, "a block that does not fit", "线程块过大，无法容纳")                                          \
  X(run_lines, "lines with the most memory traffic", "内存访问最多的代码行")                                          \
  X(run_divergent, "divergent", "分歧")                                                                               \
  X(run_line_columns, "line|requests|sectors/request|conflicts|divergent", "行|请求|扇区/请求|冲突|分歧")

enum class Phrase : std::uint8_t {
#define X(name, en, zh) name,
  JUDGE_PHRASES(X)
#undef X
};

enum class Language : std::uint8_t { en, zh };
Language language_from(std::string_view name);  // "zh" and anything that begins so; else English

class Voice {
 public:
  explicit Voice(Language language) : language_(language) {}
  Language language() const { return language_; }

  template <class... Args>
  std::string say(Phrase phrase, const Args&... args) const {
    return fmt::vformat(text(phrase), fmt::make_format_args(args...));
  }
  std::string_view text(Phrase phrase) const;
  std::string of(const catalogue::Text& text) const;  // this language, else English, else any
  std::string verdict(verdict::Verdict v) const;
  std::string fault(emulator::FaultKind kind) const;
  std::string diagnosis(const check::Diagnosis& d) const;

 private:
  Language language_;
};

}  // namespace judge::report
