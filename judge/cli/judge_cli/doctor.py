"""`judge.py doctor`: each thing this machine has or lacks, and what that means. Works before the judge is built."""

import contextlib
import ctypes
import os
import shutil
import sys
from pathlib import Path
from typing import Any, List, Optional, Tuple

from . import toolchain
from .bootstrap import STATUS_MACHINE, Bootstrap, install_command
from .terminal import Terminal, pad, width_of, wrap

OK, MISSING, NOTE = "ok", "missing", "note"

Row = Tuple[str, str, str, str]  # state, name, what was found, what it means


def run(root: Path, terminal: Terminal) -> int:
    return _Doctor(root, terminal).run()


class _Doctor:
    def __init__(self, root: Path, terminal: Terminal):
        self._terminal = terminal
        self._root = root
        self._bootstrap = Bootstrap(root, terminal)

    def run(self) -> int:
        tr, terminal = self._terminal.tr, self._terminal
        problems = toolchain.build_problems(terminal, os.environ)
        built = self._load_if_built()
        self._section(tr("Tools", "工具"), self._tools(problems))
        self._section(tr("Where kernels run", "核函数在哪里运行"), self._devices(built))
        box, files = self._box(built), self._files(built)
        self._section(tr("The box that your program runs in", "运行你的程序的沙箱"), box)
        self._section(tr("Files", "文件"), files)

        nvcc = toolchain.nvcc_problem(terminal, os.environ)
        packages = [p.package for p in problems if p.package]
        if packages:
            terminal.out(tr("Install what is missing with one command:", "用一条命令安装缺少的软件包："))
            terminal.out("  " + install_command(packages))
        if nvcc or problems or any(row[0] == MISSING for row in box + files):
            terminal.out(tr("This machine cannot judge yet: see the lines marked ✗.", "这台机器还不能判题：请看标有 ✗ 的行。"))
            return STATUS_MACHINE
        terminal.out(tr("This machine can judge: judge.py list shows the exercises.",
                        "这台机器可以判题：judge.py list 列出全部练习。"))
        return 0

    def _load_if_built(self) -> Optional[Any]:
        if not self._bootstrap.is_built():
            return None
        sys.path.insert(0, str(self._bootstrap.programs))
        try:
            import _judge

            return _judge.doctor()
        except (ImportError, OSError, RuntimeError) as error:
            self._terminal.note(str(error))
            return None

    def _section(self, title: str, rows: List[Row]) -> None:
        terminal = self._terminal
        marks = {OK: ("✓", "green"), MISSING: ("✗", "red"), NOTE: ("·", "yellow")}
        terminal.out(terminal.style(title, "bold"))
        name_width = max(width_of(row[1]) for row in rows)
        for state, name, found, meaning in rows:
            mark, colour = marks[state]
            head = f"  {terminal.style(mark, colour)} {pad(name, name_width)}  "
            text = found + (terminal.tr(": ", "：") if found and meaning else "") + meaning
            for line in wrap(text, terminal.width, head, " " * width_of(head)):
                terminal.out(line)
        terminal.out()

    def _tools(self, problems: List[toolchain.Problem]) -> List[Row]:
        tr, rows = self._terminal.tr, []
        nvcc = toolchain.nvcc_problem(self._terminal, os.environ)
        if nvcc:
            rows.append((MISSING, "nvcc", "", nvcc.sentence))
        else:
            path = toolchain.find_nvcc(os.environ)
            version = toolchain.nvcc_version(path)
            rows.append((OK, "nvcc", f"{toolchain.dotted(version or ())} ({path})",
                         tr("compiles what you submit", "编译你提交的代码")))
        compiler = toolchain.find_compiler(os.environ)
        if compiler:
            version = toolchain.version_of(compiler, r"(\d+\.\d+\.\d+)")
            rows.append((OK, "g++", f"{toolchain.dotted(version or ())} ({compiler})",
                         tr("builds the judge; nvcc uses it for host code", "编译判题器；nvcc 用它编译主机端代码")))
        cmake = shutil.which("cmake")
        if cmake:
            version = toolchain.version_of(cmake, r"version (\d+\.\d+)")
            rows.append((OK, "cmake", f"{toolchain.dotted(version or ())} ({cmake})", tr("builds the judge", "构建判题器")))
        python = ".".join(str(n) for n in sys.version_info[:3])
        rows.append((OK, "python", f"{python} ({sys.executable})", tr("runs judge.py", "运行 judge.py")))
        names = {"g++": "g++", "cmake": "cmake"}
        rows += [(MISSING, names.get(p.package, p.package or "cmake"), "", p.sentence) for p in problems]
        return rows

    def _devices(self, built: Optional[Any]) -> List[Row]:
        tr, rows = self._terminal.tr, []
        instruction_set = built.instruction_set if built else tr("not known yet", "尚不清楚")
        cores = len(os.sched_getaffinity(0))
        rows.append((OK if built else NOTE, tr("emulator", "模拟器"),
                     tr(f"{instruction_set}, {cores} cores", f"{instruction_set}，{cores} 个核"),
                     tr("runs every kernel, with all checks, without a GPU", "无需 GPU 即可运行所有核函数，并做全部检查")))
        if built:
            rows.append((OK, "--gpu", ", ".join(built.emulated_gpus),
                         tr("GPUs that the emulator can stand for", "模拟器可以模拟的 GPU")))
        try:
            ctypes.CDLL("libcuda.so.1")
            driver = True
        except OSError:
            driver = False
        gpus = list(built.gpus) if built else []
        if gpus or driver:
            rows.append((NOTE, "GPU", ", ".join(gpus) or "libcuda.so.1",
                         tr("present, and not used: this version judges on the emulator", "存在但不使用：此版本在模拟器上判题")))
        elif shutil.which("nvidia-smi"):
            rows.append((NOTE, "GPU", tr("nvidia-smi, but no libcuda.so.1", "有 nvidia-smi，但没有 libcuda.so.1"),
                         tr("the driver is not complete; judging does not need it", "驱动不完整；判题不需要它")))
        else:
            rows.append((OK, "GPU", tr("none", "无"), tr("not needed: the emulator judges", "不需要：由模拟器判题")))
        return rows

    def _box(self, built: Optional[Any]) -> List[Row]:
        tr = self._terminal.tr
        if not built:
            return [(NOTE, tr("layers", "防护层"), "", tr("known once the judge is built (judge.py ID builds it)",
                                                       "构建判题器后才能知道（judge.py ID 会构建它）"))]
        rows: List[Row] = []
        for layer in built.layers:
            if layer.name == "unprivileged user" and not layer.available:  # without it the box refuses to run anything
                rows.append((MISSING, layer.name, layer.detail, tr("nothing can be judged until this is put right",
                                                                   "在解决之前无法判题")))
                continue
            meaning = "" if layer.available else tr("judging works without it; do not run strangers' code here",
                                                    "没有它也能判题；但不要在此运行陌生人的代码")
            rows.append((OK if layer.available else NOTE, layer.name, layer.detail, meaning))
        return rows

    def _files(self, built: Optional[Any]) -> List[Row]:
        tr = self._terminal.tr
        rows: List[Row] = []
        if built:
            missing = [name for name, present in built.programs.items() if not present]
            rows.append((MISSING if missing else OK, tr("judge", "判题器"), f"{self._bootstrap.programs}",
                         tr("missing: ", "缺少：") + ", ".join(missing) if missing else
                         tr(f"version {built.version}", f"版本 {built.version}")))
        else:
            rows.append((NOTE, tr("judge", "判题器"), "", tr("not built yet; the first judge.py ID builds it",
                                                          "尚未构建；第一次运行 judge.py ID 时会构建")))
        if built:
            import _judge

            cache = Path(_judge.cache_dir(str(self._root)))
        else:
            cache = Path(os.environ.get("CUDA_JUDGE_CACHE") or self._root / "build" / "cache")
        writable = _can_be_written(cache) and (built is not None or _can_be_written(self._bootstrap.build))
        size = _bytes_below(cache) >> 20
        rows.append((OK if writable else MISSING, tr("cache", "缓存"), f"{cache}, {size} MiB",
                     tr("compiled submissions; may be deleted at any time", "已编译的提交；随时可以删除") if writable else
                     tr("not writable: set CUDA_JUDGE_CACHE to a folder that is", "不可写：请把 CUDA_JUDGE_CACHE 设为可写的文件夹")))
        return rows


def _can_be_written(folder: Path) -> bool:
    """The folder, or the nearest one above it that exists; and what is in it, where another user has been there before."""
    entries = folder / "entries"
    if entries.exists() and not os.access(entries, os.W_OK | os.X_OK):
        return False
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)


def _bytes_below(folder: Path) -> int:
    total = 0
    for path, _, files in os.walk(folder):  # skips what it may not enter
        for name in files:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size
    return total
