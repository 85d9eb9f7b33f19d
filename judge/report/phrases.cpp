#include "judge/report/phrases.h"

#include <array>
#include <cstdlib>
#include <utility>

namespace judge::report {

namespace {

using emulator::FaultKind;
using verdict::Verdict;

struct Words {
  std::string_view en, zh;
  std::string_view in(Language language) const { return language == Language::zh ? zh : en; }
};

constexpr std::array kPhrases{
#define X(name, en, zh) Words{en, zh},
    JUDGE_PHRASES(X)
#undef X
};

Words words_of(Verdict v) {
  switch (v) {
    case Verdict::judge_error:
      return {"judge error", "判题程序出错"};
    case Verdict::compile_error:
      return {"compile error", "编译错误"};
    case Verdict::runtime_error:
      return {"runtime error", "运行时错误"};
    case Verdict::time_limit:
      return {"time limit", "超出时限"};
    case Verdict::memory_limit:
      return {"memory limit", "超出内存上限"};
    case Verdict::output_limit:
      return {"output limit", "超出输出上限"};
    case Verdict::race:
      return {"race", "数据竞争"};
    case Verdict::barrier_error:
      return {"barrier error", "屏障错误"};
    case Verdict::uninitialized_read:
      return {"uninitialized read", "读取未初始化的内存"};
    case Verdict::wrong_answer:
      return {"wrong answer", "答案错误"};
    case Verdict::requirement_not_met:
      return {"requirement not met", "未达到要求"};
    case Verdict::inconclusive:
      return {"inconclusive", "无法判定"};
    case Verdict::accepted:
      return {"accepted", "通过"};
  }
  return {"unknown", "未知"};
}

Words words_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds:
      return {"out of bounds", "越界访问"};
    case FaultKind::use_after_free:
      return {"use after free", "使用已释放的内存"};
    case FaultKind::invalid_free:
      return {"invalid free", "非法释放"};
    case FaultKind::misaligned:
      return {"misaligned access", "未对齐的访问"};
    case FaultKind::wrong_space:
      return {"wrong kind of memory", "内存空间不符"};
    case FaultKind::host_pointer:
      return {"host pointer in a kernel", "核函数中使用主机指针"};
    case FaultKind::null_pointer:
      return {"null pointer", "空指针"};
    case FaultKind::read_only:
      return {"write to read-only memory", "写入只读内存"};
    case FaultKind::uninitialized_read:
      return {"uninitialized read", "读取未初始化的内存"};
    case FaultKind::race:
      return {"race", "数据竞争"};
    case FaultKind::barrier_divergence:
      return {"barrier not reached by all threads", "并非所有线程都到达屏障"};
    case FaultKind::sync_mask:
      return {"wrong lane mask", "线程掩码错误"};
    case FaultKind::trap:
      return {"trap", "trap 指令"};
    case FaultKind::assertion:
      return {"assertion failed", "断言失败"};
    case FaultKind::stack_overflow:
      return {"stack overflow", "栈溢出"};
    case FaultKind::step_limit:
      return {"endless or far too slow kernel", "核函数不结束或过慢"};
    case FaultKind::illegal_instruction:
      return {"illegal instruction", "非法指令"};
  }
  return {"fault", "错误"};
}

// The English sentence comes from the room that found the shape; this says the same of its data.
std::string chinese(const check::Diagnosis& d) {
  using check::Shape;
  switch (d.shape) {
    case Shape::none:
      return "";
    case Shape::all_zero:
      return "所有元素都是 0。";
    case Shape::all_unwritten:
      return "没有任何元素被写入。";
    case Shape::some_unwritten:
      return "部分元素从未写入。";
    case Shape::not_finite:
      return "错误的元素是 NaN 或无穷大。";
    case Shape::last_block:
      return "错误的元素都在最后一个线程块。";
    case Shape::block_edges:
      return d.period > 0 ? fmt::format("错误的元素位于线程块的边缘：每 {} 个元素重复一次。", d.period)
                          : "错误的元素位于线程块的边缘。";
    case Shape::every_kth:
      return fmt::format("错误的元素每 {} 个出现一次，从第 {} 个开始。", d.period, d.offset);
    case Shape::shifted:
      return fmt::format("得到的是{} {} 个位置的元素的值：下标偏移了 {}。", d.offset > 0 ? "后面" : "前面",
                         std::abs(d.offset), std::abs(d.offset));
    case Shape::scaled:
      return "得到的值都是正确值的同一个倍数。";
    case Shape::swapped:
      return "数值正确，但顺序颠倒或两两交换。";
    case Shape::imprecise:
      return "错误的元素都与正确值非常接近：是精度问题。";
    case Shape::tail:
      return "从某处起直到末尾的元素都错误。";
    case Shape::head:
      return "从开头到某处的元素都错误。";
    case Shape::scattered:
      return "错误的元素分散各处，没有规律。";
    case Shape::everything:
      return "所有元素都错误。";
  }
  return "";
}

}  // namespace

Language language_from(std::string_view name) {
  return name.starts_with("zh") ? Language::zh : Language::en;
}

std::string_view Voice::text(Phrase phrase) const {
  return kPhrases.at(static_cast<std::size_t>(phrase)).in(language_);
}

std::string Voice::of(const catalogue::Text& text) const {
  for (const char* name : {language_ == Language::zh ? "zh" : "en", "en"})
    if (const auto found = text.find(name); found != text.end()) return found->second;
  return text.empty() ? "" : text.begin()->second;
}

std::string Voice::verdict(Verdict v) const {
  return std::string(words_of(v).in(language_));
}
std::string Voice::fault(FaultKind kind) const {
  return std::string(words_of(kind).in(language_));
}

std::string Voice::diagnosis(const check::Diagnosis& d) const {
  return language_ == Language::zh ? chinese(d) : d.sentence;
}

}  // namespace judge::report
