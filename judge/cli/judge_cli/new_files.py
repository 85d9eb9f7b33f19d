"""The texts of a new exercise: what it computes is simple, and every file is complete.

Each output is a multiple of the sum of what comes in, element by element; all buffers have the sizes as their shape.
"""

import json
from typing import Dict, List

# C++ type -> the catalogue's, and how inputs are filled.
TYPES = {
    "float": ("float32", {"uniform": [-1, 1]}), "double": ("float64", {"uniform": [-1, 1]}),
    "signed char": ("int8", {"integers": [-10, 10]}), "unsigned char": ("uint8", {"integers": [0, 10]}),
    "int": ("int32", {"integers": [-100, 100]}), "unsigned int": ("uint32", {"integers": [0, 100]}),
    "long long": ("int64", {"integers": [-100, 100]}), "unsigned long long": ("uint64", {"integers": [0, 100]})}
SIZES = ("int", "long long", "size_t", "std::size_t", "unsigned int", "int64_t")  # of a parameter that is no pointer


class Parameter:
    def __init__(self, name: str, role: str, cpp_type: str):
        self.name, self.role, self.cpp_type = name, role, cpp_type


class Files:
    def __init__(self, entry: str, texts: Dict[str, str]):
        self.entry = entry  # of exercises.json
        self.texts = texts  # by path beneath the catalogue's folder


def files_of(number: int, slug: str, level: str, title: str, title_zh: str, chapter: str, entry: str, function: str,
             parameters: List[Parameter]) -> Files:
    return _Writer(number, slug, level, title, title_zh, chapter, entry.strip().rstrip(";"), function, parameters).files()


class _Writer:
    def __init__(self, number: int, slug: str, level: str, title: str, title_zh: str, chapter: str, entry: str, function: str,
                 parameters: List[Parameter]):
        self.number, self.slug, self.level, self.chapter = number, slug, level, chapter
        self.title, self.title_zh, self.prototype, self.function = title, title_zh, entry, function
        self.parameters = parameters
        self.sizes = [p for p in parameters if p.role == "size"]
        self.inputs = [p for p in parameters if p.role == "in"]
        self.outputs = [p for p in parameters if p.role == "out"]
        self.scalars = [p for p in parameters if p.role == "scalar"]
        self.folder = f"{number:03d}_{slug}"
        self.count = " * ".join(["static_cast<long long>(" + self.sizes[0].name + ")"] + [s.name for s in self.sizes[1:]])

    def files(self) -> Files:
        practice, reference = f"practice/{self.folder}", f"reference/{self.folder}"
        stub = self._stub()
        texts = {
            f"{practice}/{self.slug}.cu": stub,
            f"{practice}/statement.md": self._statement(),
            f"{practice}/statement.zh.md": self._statement_zh(),
            f"{reference}/stub.cu": stub,
            f"{reference}/{self.slug}.cu": self._solution("// The solution: neighbouring threads, neighbouring elements.\n\n"),
            f"{reference}/{self.slug}_cpu.cpp": self._cpu(),
            f"{reference}/wrong/no_bounds_check.cu": self._solution(
                "// expect: runtime_error\n// Threads beyond the last element work too.\n\n", bound=""),
            f"{reference}/wrong/last_block_missing.cu": self._solution(
                "// expect: wrong_answer\n// The number of blocks is rounded down.\n\n",
                blocks="count < kThreads ? 1 : count / kThreads"),
            f"{reference}/wrong/first_element_missing.cu": self._solution(
                "// expect: wrong_answer\n// Element 0 is left out.\n\n", bound="  if (i == 0 || i >= count) return;\n"),
            f"{reference}/wrong/strided.cu": self._strided(),
        }
        return Files(self._entry(), texts)

    # -- code

    def _value(self, out: int, index: str, real: str) -> str:
        """What output `out` gets at an index: so simple that the CPU reference and the kernel agree exactly enough."""
        terms = [f"{p.name}[{index}]" for p in self.inputs] + [p.name for p in self.scalars]
        if not terms:
            terms = [f"{index} % 100"]
        return f"static_cast<{self.outputs[out].cpp_type}>({out + 2} * ({' + '.join(real + t if real else t for t in terms)}))"

    def _stores(self, index: str, indent: str) -> str:
        return "".join(f"{indent}{p.name}[{index}] = {self._value(k, index, '')};\n" for k, p in enumerate(self.outputs))

    def _kernel_parameters(self) -> str:
        parts = [("const " if p.role == "in" else "") + p.cpp_type + "* " + p.name for p in self.inputs + self.outputs]
        return ", ".join(parts + [f"{p.cpp_type} {p.name}" for p in self.scalars] + ["long long count"])

    def _kernel_arguments(self) -> str:
        return ", ".join([p.name for p in self.inputs + self.outputs + self.scalars] + ["count"])

    def _solution(self, head: str, bound: str = "  if (i >= count) return;\n",
                  blocks: str = "(count + kThreads - 1) / kThreads") -> str:
        return (f"{head}constexpr int kThreads = 256;\n\n"
                f"__global__ void {self.function}_kernel({self._kernel_parameters()}) {{\n"
                "  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                f"{bound}{self._stores('i', '  ')}}}\n\n"
                f"{self.prototype} {{\n  const long long count = {self.count};\n  const long long blocks = {blocks};\n"
                f"  {self.function}_kernel<<<static_cast<unsigned int>(blocks), kThreads>>>({self._kernel_arguments()});\n}}\n")

    def _strided(self) -> str:
        return ("// expect: requirement_not_met\n// Right, but every thread takes 32 neighbouring elements: those of a warp lie far apart.\n\n"
                "constexpr int kThreads = 256;\nconstexpr int kPerThread = 32;\n\n"
                f"__global__ void {self.function}_kernel({self._kernel_parameters()}) {{\n"
                "  const long long first = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * kPerThread;\n"
                "  for (long long i = first; i < first + kPerThread && i < count; ++i) {\n"
                f"{self._stores('i', '    ')}  }}\n}}\n\n"
                f"{self.prototype} {{\n  const long long count = {self.count};\n"
                "  const long long threads = (count + kPerThread - 1) / kPerThread;\n"
                "  const long long blocks = (threads + kThreads - 1) / kThreads;\n"
                f"  {self.function}_kernel<<<static_cast<unsigned int>(blocks), kThreads>>>({self._kernel_arguments()});\n}}\n")

    def _stub(self) -> str:
        return (f"// Exercise {self.number}: {self.title}.\n"
                f"// The task is explained in statement.md (or: python3 practice/judge.py show {self.number}).\n\n"
                f"__global__ void {self.function}_kernel({self._kernel_parameters()}) {{\n"
                "  // TODO 1: which element is this thread's? Mind the threads beyond the last one.\n\n"
                "  // TODO 2: compute it.\n}\n\n"
                f"// The judge calls this function. All pointers are device pointers.\n{self.prototype} {{\n"
                f"  const long long count = {self.count};\n  const int threads = 256;\n"
                "  const long long blocks = (count + threads - 1) / threads;\n"
                f"  {self.function}_kernel<<<static_cast<unsigned int>(blocks), threads>>>({self._kernel_arguments()});\n}}\n")

    def _cpu(self) -> str:
        prototype = self.prototype.replace(self.function + "(", self.function + "_cpu(", 1)
        real = "" if all(p.cpp_type not in ("float", "double") for p in self.outputs) else "1.0 * "
        lines = "".join(f"    {p.name}[i] = {self._value(k, 'i', real)};\n" for k, p in enumerate(self.outputs))
        return ("// Computed in double where the kernel computes in float.\n\n#include <cstddef>\n\n"
                f"{prototype} {{\n  const long long count = {self.count};\n"
                f"  for (long long i = 0; i < count; ++i) {{\n{lines}  }}\n}}\n")

    # -- the catalogue

    def _argument(self, p: Parameter) -> str:
        if p.role == "size":
            return json.dumps({"name": p.name, "role": "size"})
        kind, fill = TYPES[p.cpp_type]
        described = {"name": p.name, "role": p.role, "type": kind}
        if p.role != "scalar":
            described["shape"] = [s.name for s in self.sizes]
        if p.role != "out":
            described["fill"] = fill
        return json.dumps(described)

    def _case(self, en: str, zh: str, first: object, others: int, **more: bool) -> str:
        sizes = {self.sizes[0].name: first, **{s.name: others for s in self.sizes[1:]}}
        return json.dumps({"name": {"en": en, "zh": zh}, **sizes, **more}, ensure_ascii=False)

    def _entry(self) -> str:
        cases = [self._case("one element", "一个元素", 1, 1), self._case("one short of a block", "比一个线程块少一个", 255, 1),
                 self._case("exactly one block", "恰好一个线程块", 256, 1), self._case("ragged", "不整齐的大小", 10007, 3),
                 self._case("hidden", "隐藏", {"random": [300, 50000]}, 3, hidden=True),
                 self._case("large", "大规模", 1048603, 3, timed=True)]
        elements = "*".join(s.name for s in self.sizes)
        size_of = {"float": 4, "double": 8, "signed char": 1, "unsigned char": 1, "int": 4, "unsigned int": 4}
        moved = sum(size_of.get(p.cpp_type, 8) for p in self.inputs + self.outputs)
        why = {"en": "the 32 lanes of a warp write neighbouring elements, so that no byte is moved in vain",
               "zh": "同一 warp 的 32 个线程写入相邻元素，搬运的字节不应浪费"}
        hints = [{"en": "Give every element one thread: its index is blockIdx.x * blockDim.x + threadIdx.x.",
                  "zh": "让每个元素对应一个线程：下标是 blockIdx.x * blockDim.x + threadIdx.x。"},
                 {"en": "The last block has threads beyond the last element: they must do nothing.",
                  "zh": "最后一个线程块里有超出范围的线程：它们什么都不该做。"}]
        lines = [
            "    {",
            f'      "id": {self.number},',
            f'      "slug": {json.dumps(self.slug)},',
            f'      "chapter": {json.dumps(self.chapter)},',
            f'      "level": {json.dumps(self.level)},',
            f'      "title": {json.dumps({"en": self.title, "zh": self.title_zh}, ensure_ascii=False)},',
            f'      "entry": {json.dumps(self.prototype)},',
            '      "arguments": [',
            ",\n".join("        " + self._argument(p) for p in self.parameters),
            "      ],",
            '      "cases": [',
            ",\n".join("        " + case for case in cases),
            "      ],",
            f'      "work": {json.dumps({"bytes": f"{moved}*{elements}"})},',
            '      "require": [',
            f'        {json.dumps({"metric": "global_store_efficiency", "min": 0.8, "why": why}, ensure_ascii=False)}',
            "      ],",
            '      "hints": [',
            ",\n".join("        " + json.dumps(hint, ensure_ascii=False) for hint in hints),
            "      ]",
            "    }",
        ]
        return "\n".join(lines)

    # -- statements

    def _formula(self) -> List[str]:
        terms = [f"{p.name}[i]" for p in self.inputs] + [p.name for p in self.scalars] or ["i % 100"]
        return [f"    {p.name}[i] = {k + 2} * ({' + '.join(terms)})" for k, p in enumerate(self.outputs)]

    def _statement(self) -> str:
        elements = " · ".join(s.name for s in self.sizes)
        return "\n".join([
            f"# {self.title}", "", f"*Exercise {self.number} · {self.level}*", "",
            "Say here what the exercise is about, and why it matters.", "", "## Your task", "",
            f"Edit `practice/{self.folder}/{self.slug}.cu`. The judge calls", "", f"    {self.prototype}", "",
            f"All pointers are **device** pointers to {elements} elements. For each of them compute", "", *self._formula(), "",
            "## What the judge checks", "", "- Every element, for tiny, ragged and large sizes.",
            "- No access outside the arrays.", "- The budget, on the large case:", "",
            "| what | allowed | meaning |", "| --- | --- | --- |",
            "| store efficiency | at least 0.8 | bytes that a warp wrote / bytes of the sectors that it touched |", "",
            "## Run it", "", f"    python3 practice/judge.py {self.number}          judge your file",
            f"    python3 practice/judge.py hint {self.number}     one hint; ask again for the next", ""])

    def _statement_zh(self) -> str:
        elements = " · ".join(s.name for s in self.sizes)
        level = {"easy": "简单", "medium": "中等", "hard": "困难"}[self.level]
        return "\n".join([
            f"# {self.title_zh}", "", f"*练习 {self.number} · {level}*", "",
            "在这里说明本练习讲什么、为什么重要。", "", "## 你的任务", "",
            f"编辑 `practice/{self.folder}/{self.slug}.cu`。判题器会调用", "", f"    {self.prototype}", "",
            f"所有指针都是**设备**指针，各指向 {elements} 个元素。对每个元素计算", "", *self._formula(), "",
            "## 判题器检查什么", "", "- 很小、不规则和很大的情况下每个元素的值。", "- 不越界访问任何数组。", "- 在最大的用例上检查预算：", "",
            "| 指标 | 允许值 | 含义 |", "| --- | --- | --- |", "| 写入效率 | 至少 0.8 | warp 写入的字节数 / 所碰到扇区的字节数 |", "",
            "## 运行", "", f"    python3 practice/judge.py {self.number}          判你的文件",
            f"    python3 practice/judge.py hint {self.number}     给一条提示；再问一次给下一条", ""])
