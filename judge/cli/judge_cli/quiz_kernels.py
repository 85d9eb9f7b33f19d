"""The kernels that a quiz asks about: what is shown of them, and what the emulator counts when they run.

All kernels of a quiz stand in one file, practice/NNN_slug/questions.cu. One program runs each of them once; the line that a
question is about carries the mark `// <--`. The answer is the metric of that line in that very run, never a stored number.
"""

import re
from pathlib import Path
from typing import Any, Dict, List, Optional

MARK = "// <--"
WARP = 32
SECTOR_BYTES = 32
BANKS = 32

# What calls the kernels: each gets one or two buffers of zeros. Device addresses of buffers are multiples of 256.
_MAIN = """
namespace quiz_of_the_judge {
constexpr int kBufferBytes = 1 << 20;
template <class A>
void launch(void (*kernel)(A*), int threads, char* memory) {
  kernel<<<1, threads>>>(reinterpret_cast<A*>(memory));
}
template <class A, class B>
void launch(void (*kernel)(A*, B*), int threads, char* memory) {
  kernel<<<1, threads>>>(reinterpret_cast<A*>(memory), reinterpret_cast<B*>(memory + kBufferBytes));
}
}  // namespace quiz_of_the_judge

int main() {
  char* memory = nullptr;
  if (cudaMalloc(&memory, 2 * quiz_of_the_judge::kBufferBytes) != cudaSuccess) return 1;
  cudaMemset(memory, 0, 2 * quiz_of_the_judge::kBufferBytes);
%s  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
"""


class QuizError(Exception):
    """The quiz itself is broken: its file cannot be read, compiled or run."""


class Access:
    """One request of a warp at the marked line."""

    def __init__(self, recorded: Dict[str, Any]):
        self.space: str = recorded["space"]
        self.bytes: int = recorded["bytes"]
        self.addresses: List[Optional[int]] = recorded["addresses"]

    def active(self) -> List[int]:
        return [lane for lane, address in enumerate(self.addresses) if address is not None]

    def sectors_of(self, lane: int) -> List[int]:
        """From the first sector that any lane touches, which is number 0."""
        first = min(a for a in self.addresses if a is not None) // SECTOR_BYTES
        begin = self.addresses[lane]
        return list(range(begin // SECTOR_BYTES - first, (begin + self.bytes - 1) // SECTOR_BYTES - first + 1))

    def words_of(self, lane: int) -> List[int]:
        begin = self.addresses[lane] // 4
        return list(range(begin, begin + max(1, self.bytes // 4)))

    def groups(self) -> List[List[int]]:
        """Lanes that a pass of shared memory can serve together: 32 for at most 4 bytes a lane, 16 for 8 bytes, 8 for 16.
        Neighbouring groups merge in pairs, once, when every active lane wants the same address as lane^1, or every one the
        same as lane^2."""
        size = WARP if self.bytes <= 4 else 128 // self.bytes
        active = self.active()
        if self.bytes > 4 and any(all(self.addresses[lane] == self.addresses[lane ^ partner] for lane in active)
                                  for partner in (1, 2)):
            size *= 2
        groups = [[lane for lane in active if begin <= lane < begin + size] for begin in range(0, WARP, size)]
        return [group for group in groups if group]

    def passes_of(self, group: List[int]) -> "tuple[int, int]":
        """How often the group's busiest bank is needed, and which bank that is."""
        words = {word for lane in group for word in self.words_of(lane)}
        per_bank = [0] * BANKS
        for word in words:
            per_bank[word % BANKS] += 1
        busiest = max(range(BANKS), key=lambda bank: per_bank[bank])
        return per_bank[busiest], busiest

    def sectors(self) -> int:
        return len({sector for lane in self.active() for sector in self.sectors_of(lane)})

    def wavefronts(self) -> int:
        return sum(self.passes_of(group)[0] for group in self.groups())


class Measured:
    def __init__(self, value: float, accesses: List[Access]):
        self.value = value
        self.accesses = accesses  # in the space that the metric is about


class QuizKernels:
    def __init__(self, file: Path):
        self._file = file
        try:
            self._source = file.read_text(encoding="utf-8")
        except OSError as error:
            raise QuizError(f"{file}: {error.strerror}") from error
        self._lines = self._source.splitlines()

    def _span(self, kernel: str) -> "tuple[int, int]":
        head = re.compile(rf"__global__ void {re.escape(kernel)}\(")
        for begin, line in enumerate(self._lines):
            if head.match(line):
                end = next((k for k in range(begin, len(self._lines)) if self._lines[k].startswith("}")), begin)
                return begin, end + 1
        raise QuizError(f"{self._file}: there is no kernel {kernel!r}")

    def snippet(self, kernel: str) -> List[str]:
        begin, end = self._span(kernel)
        return self._lines[begin:end]

    def marked_line(self, kernel: str) -> int:
        """In the file, from 1."""
        begin, end = self._span(kernel)
        for number in range(begin, end):
            if MARK in self._lines[number]:
                return number + 1
        raise QuizError(f"{self._file}: no line of kernel {kernel!r} is marked with {MARK!r}")

    def run(self, judge: Any, questions: List[Dict[str, Any]], root: Path, cache_dir: str) -> Dict[int, Measured]:
        """By the question's index: what its kernel's marked line did."""
        asked = {k: q for k, q in enumerate(questions) if "metric" in q}
        if not asked:
            return {}
        calls = "".join(f"  quiz_of_the_judge::launch({q['kernel']}, {q.get('threads', WARP)}, memory);\n"
                        for q in asked.values())
        source = judge.ProgramSource(self._file.name, (self._source + _MAIN % calls).encode(), str(self._file.parent))
        options = judge.ProgramOptions()
        options.root, options.cache_dir = str(root), cache_dir
        options.working_directory, options.may_write = str(self._file.parent), False
        options.traced_lines = sorted({self.marked_line(q["kernel"]) for q in asked.values()})
        report = judge.run_program([source], options)
        if report.finding != "accepted" or report.exit_status() != 0:
            raise QuizError(f"{self._file} does not run:\n" + (report.findings() or report.judge_error))
        measured = {}
        for (number, question), launch in zip(asked.items(), report.launches):
            line = self.marked_line(question["kernel"])
            metric = question["metric"]
            accesses = [Access(a) for a in launch["accesses"] if a["line"] == line and _is_about(metric, a)]
            value = judge.metric_value(metric, launch["lines"].get(line, {}))
            measured[number] = Measured(value, accesses)
        return measured


def _is_about(metric: str, access: Dict[str, Any]) -> bool:
    """A marked line may both load and store, and use both memories: the metric's name says which of them it counts."""
    if access["space"] != ("shared" if metric.startswith("shared") else "global"):
        return False
    kind = {"load": "read", "store": "write", "atomic": "atomic"}.get(metric.split("_")[1])
    return kind is None or access["kind"] == kind
