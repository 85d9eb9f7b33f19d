"""The judge as a Python module (pybind11; built into <build>/bin/_judge*.so).

    import _judge
    catalogue = _judge.load_catalogue("/path/to/repository")
    exercise = catalogue.find("72")
    report = _judge.judge(exercise, open("conv1d.cu", "rb").read(), source_path="conv1d.cu")
    print(report.to_text(colour=True, width=100, lang="en"), end="")
    raise SystemExit(report.exit_status)

Nothing here prints. Whatever a submission does ends as a Report; exceptions are for wrong calls (ValueError), a broken
exercises.json (CatalogueError) and an interrupt (KeyboardInterrupt). The GIL is released while judging.
"""

from __future__ import annotations

from os import PathLike
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

__version__: str  # of the judge, "0.1.0"
VERDICTS: List[str]  # every verdict, worst first

Path = Union[str, "PathLike[str]"]
Text = Dict[str, str]  # {"en": …, "zh": …}; "zh" may be missing
Progress = Callable[[str, int, int], None]
"""progress(stage, done, total). judge(): "compile" 0/1 and 1/1, then "case" 0/n … n/n.
check_item() as judge(). An exception raised in it ends the work and is re-raised."""

class CatalogueError(ValueError):
    """exercises.json is wrong: the message has file, line, column, path, what was found and what was expected."""

class Case:
    """One case of an exercise."""

    name: str  # in English
    title: Text  # the name in each language
    hidden: bool
    timed: bool

class Exercise:
    """One exercise of the catalogue. Paths are absolute strings."""

    id: int
    slug: str
    chapter: str
    level: str  # "easy", "medium", "hard"
    title: Text
    entry: str  # the prototype, as written in the catalogue
    entry_name: str
    folder_name: str  # "072_conv1d"
    stub: str  # practice/072_conv1d/conv1d.cu: what the student edits
    statements: Dict[str, str]  # language -> path of the statement; "en" always there
    reference: str
    cpu_reference: str
    wrong: List[str]
    right: List[str]
    cases: List[Case]
    hints: List[Text]
    root: str  # the repository's root, as given to load_catalogue

class Catalogue:
    """All exercises, by id."""

    root: str
    exercises: List[Exercise]
    def find(self, id_or_slug: Union[int, str]) -> Optional[Exercise]:
        """By id (72, "72", "072") or slug ("conv1d"); None when there is none."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Exercise]: ...

def load_catalogue(root: Path, schema: Optional[Path] = None) -> Catalogue:
    """Reads and validates root/exercises.json. schema: default root/exercises.schema.json. Raises CatalogueError."""

class Diagnostic:
    """One message of nvcc about the student's file."""

    severity: str  # "error", "warning", "note"
    file: str
    line: int
    column: int  # 0: not known
    text: str
    excerpt: List[str]

class KernelResources:
    """What ptxas -v says of one kernel."""

    kernel: str
    registers: int
    shared_bytes: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int

class Build:
    """The compilation of a submission."""

    ok: bool
    cached: bool
    wrong_prototype: bool
    timed_out: bool
    command: str
    wall_ms: float
    diagnostics: List[Diagnostic]
    kernels: List[KernelResources]

class CaseReport:
    """What happened in one case. The full evidence is in Report.to_dict()["cases"]."""

    name: str  # in English
    title: Text
    hidden: bool
    timed: bool
    ran: bool
    sizes: Dict[str, int]
    seed: int
    turn: int  # its place in the order in which cases run, from 0
    verdict: str  # "" when it did not run
    wall_ms: float
    device_ms: float

class RequirementResult:
    """A budget of the exercise against what the kernel did."""

    metric: str
    value: float
    min: Optional[float]
    max: Optional[float]
    met: bool
    why: Text

class Report:
    """The outcome of one submission."""

    schema_version: int
    exercise_id: int
    slug: str
    title: Text
    source_path: str
    untouched_stub: bool  # the source is the stub as shipped
    partial: bool  # only one case was asked for: "accepted" is then no full judgement
    device: str
    device_reason: str
    verdict: str  # one of VERDICTS
    exit_status: int  # 0 only for "accepted"; the table is in docs/cli.md
    accepted: bool
    judge_error_stage: str
    judge_error: str
    build: Build
    cases: List[CaseReport]
    requirements: List[RequirementResult]
    requirement_case: str
    seed: int
    next_step: Text
    wall_ms: float
    device_peak_bytes: int

    def to_text(self, colour: bool = False, width: int = 100, lang: str = "en") -> str:
        """The report for a terminal, ending in a newline; never wider than width (itself at most 100)."""
    def to_json(self, indent: int = 2) -> str:
        """The report as JSON; docs/report.schema.json describes it."""
    def to_dict(self) -> Dict[str, Any]:
        """json.loads(self.to_json())."""

def judge(
    exercise: Exercise,
    source: Union[str, bytes],
    *,
    source_path: Path = "",
    device: str = "auto",
    case: Optional[str] = None,
    seed: Optional[int] = None,
    gpu: str = "t4",
    schedules: int = 0,
    schedule: int = 0,
    keep_going: bool = False,
    cache_dir: Optional[Path] = None,
    program_dir: Optional[Path] = None,
    progress: Optional[Progress] = None,
) -> Report:
    """Judges one submission.

    source: the file's content (a snapshot: later edits do not matter). source_path: what the report calls it, and beside
    which `#include "…"` is looked up; default: the exercise's stub. device: "auto" or "emulator"; "gpu" raises ValueError,
    because this version has no GPU backend. gpu: the GPU that the emulator stands for, with its limits and compile target;
    ValueError lists the names. case: only this case, by name or 1-based number; ValueError lists the cases
    when there is no such one. seed: repeats a judgement. keep_going: run the cases after the first failure too.
    schedules: run each case that is right under so many seeded orders too; schedule: under this one only.
    cache_dir: default cache_dir(root of the exercise). program_dir: where judge-device, judge-host and
    libcudart.so.13 are; default: this module's folder.
    """

class CheckItem:
    """One submission of an exercise's own and what became of it."""

    kind: str  # "stub", "reference", "right", "wrong"
    path: str
    expected: str  # a verdict; for the stub "not accepted"; "" before check_item() has read it in a file of wrong/
    verdict: str  # what a student would read; "" when it could not be judged
    ok: bool
    note: str  # why not ok, one sentence; "" when ok
    wall_ms: float
    report: Report  # of a file of wrong/: every case that could run did, also after the first failure

def check_items(exercise: Exercise) -> List[CheckItem]:
    """The submissions that prove an exercise, not judged yet: stub, reference, right/*.cu, wrong/*.cu."""

def check_item(
    exercise: Exercise,
    item: CheckItem,
    *,
    seed: Optional[int] = None,
    cache_dir: Optional[Path] = None,
    program_dir: Optional[Path] = None,
    progress: Optional[Progress] = None,
) -> CheckItem:
    """Judges one of check_items(). Stub: compiles and fails; reference and right/: accepted on every case; wrong/: exactly
    the verdict that its first line, `// expect: <verdict>`, names. Several may run at once, in threads."""

def cancel_all() -> None:
    """Ends everything that runs in other threads: each call there raises KeyboardInterrupt."""

class Layer:
    """One protection of the box that untrusted code runs in."""

    name: str
    available: bool
    detail: str

class Doctor:
    """What this machine has."""

    version: str
    nvcc: str  # path; "" when there is none
    cuda_version: str  # "13.0"; "" when there is none
    host_compiler: str
    toolchain_error: str  # the remedy when nvcc is missing or too old; "" otherwise
    instruction_set: str  # what the emulator uses: "avx512", "avx2", "baseline"
    cores: int
    gpus: List[str]  # models the NVIDIA driver lists; this version does not run on them
    emulated_gpus: List[str]  # names that `gpu` of judge() takes
    layers: List[Layer]
    programs: Dict[str, bool]  # judge-device, judge-host, libcudart.so.13: present in program_dir

def metric_value(name: str, counters: Dict[str, int]) -> float:
    """A metric of docs/authoring.md from counters by name; those that are missing are 0. ValueError for an unknown name."""

def cache_dir(root: Path) -> PathLike[str]:
    """Where compiled submissions are kept when judge() is given no cache_dir.

    $CUDA_JUDGE_CACHE, else root/build/cache; in a checkout that this user cannot write, $XDG_CACHE_HOME/cuda-judge or
    ~/.cache/cuda-judge.
    """

def doctor(program_dir: Optional[Path] = None) -> Doctor:
    """Looks at the machine; takes some milliseconds (nvcc --version runs once)."""

class ProgramSource:
    """One file of a program, as it was when it was read."""

    name: str
    bytes: bytes
    def __init__(self, name: str, bytes: bytes, directory: Path) -> None:
        """directory: where its `#include "…"` are looked up."""

class ProgramOptions:
    """How a program is compiled and run; every field has a default."""

    nvcc_flags: List[str]
    arguments: List[str]  # argv[1], …
    environment: List[Tuple[str, str]]  # all of the program's; empty by default
    working_directory: Path  # the program's, and that of relative paths in nvcc_flags; by default the present one
    may_write: bool  # into the working directory
    streams: List[int]  # three descriptors that become the program's 0, 1, 2
    device: str  # "auto" or "emulator"
    gpu: str  # which GPU the emulator stands for
    schedule_seed: int  # 0: threads in plain order
    memory_bytes: int  # of the host process, and again of the device
    traced_lines: List[int]  # source lines whose accesses ProgramReport.launches has, lane by lane
    register_report: bool  # asks ptxas for registers, so that occupancy is exact: compiles longer
    root: Path  # the repository; its build/cache is the default cache
    cache_dir: Path
    time_limit: float  # seconds
    def __init__(self) -> None: ...

class ProgramReport:
    """How a program ran, and what the device saw."""

    device: str
    build: Build
    ran: bool
    finding: str  # a verdict's name: what the device found wrong, or which limit the run broke; "accepted" when neither
    judge_error: str
    launches: List[Dict[str, Any]]
    """Each launch: "kernel", "lines" (line -> counters by name) and "accesses" at ProgramOptions.traced_lines: "line",
    "space" ("global", "shared", …), "kind" ("read", "write", "atomic"), "block", "warp", "bytes" of one lane, and
    "addresses", one for each lane, None for one that takes no part. In shared memory they are offsets."""
    wall_ms: float
    def exit_status(self, findings_count: bool = True) -> int:
        """The program's own status, 128 + n for signal n; where that is 0, or there is none, the finding's."""
    def findings(self, colour: bool = False, width: int = 100, lang: str = "en", findings_count: bool = True) -> str:
        """What went wrong, as text; empty when nothing did."""
    def profile(self, colour: bool = False, width: int = 100, lang: str = "en") -> str:
        """Each kernel: shape, occupancy, counters, and the lines with the most memory traffic."""
    def to_json(self, indent: int = 2) -> str:
        """All of it as JSON; docs/run.schema.json describes it."""

def read_program(paths: List[Path]) -> List[ProgramSource]:
    """Reads a program's sources. Raises RuntimeError."""

def compile_program(sources: List[ProgramSource], options: ProgramOptions) -> Build:
    """Compiles a program; the result is cached by content. Raises RuntimeError without a usable toolchain."""

def run_program(sources: List[ProgramSource], options: ProgramOptions) -> ProgramReport:
    """Compiles a program unless that is cached, and runs it to its end. Raises ValueError for options that make no sense."""
