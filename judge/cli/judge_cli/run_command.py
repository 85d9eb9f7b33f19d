"""`judge.py run FILE.cu … [-- ARGS]`: any CUDA program with a main(), on the emulated device, its streams passed through."""

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import Any, List, Tuple

from .terminal import Terminal, UserError

STATUS_COMPILE_ERROR = 10

# Names that would make the program another one than what was compiled, or that belong to the judge's own loading of it.
_NOT_PASSED_ON = ("LD_", "GLIBC_TUNABLES")


def split_arguments(words: List[str]) -> Tuple[List[str], List[str]]:
    """What is the judge's, and after the first `--` what is the program's."""
    at = words.index("--") if "--" in words else len(words)
    ours, i = [], 0
    while i < at:
        # argparse takes a value that begins with "-" for an option, and flags of nvcc do.
        if words[i] == "--nvcc-flags" and i + 1 < at:
            ours.append("--nvcc-flags=" + words[i + 1])
            i += 2
        else:
            ours.append(words[i])
            i += 1
    return ours, words[at + 1:]


def parser(make: Any) -> argparse.ArgumentParser:
    p = make("run", "judge.py run FILE.cu [FILE…] [options] [-- ARGUMENTS]",
             "Compiles a CUDA program that has a main() and runs it on the emulated GPU, in the box: its input, output and\n"
             "exit status are passed through, it works in this folder, and what the device finds wrong is told at the end.")
    p.add_argument("files", metavar="FILE", nargs="+", help="the program's sources")
    p.add_argument("-I", dest="include", metavar="DIR", action="append", default=[], help="as nvcc's")
    p.add_argument("-D", dest="define", metavar="NAME[=VALUE]", action="append", default=[], help="as nvcc's")
    p.add_argument("-std", "--std", dest="std", metavar="STD", help="as nvcc's; otherwise c++17")
    p.add_argument("--nvcc-flags", metavar="FLAGS", action="append", default=[], help='more flags of nvcc: "-O1 -G"')
    p.add_argument("--report", action="store_true", help="tell of each kernel: shape, occupancy, counters, lines (stderr)")
    p.add_argument("--json", metavar="PATH", help="write what --report tells as JSON (docs/run.schema.json); - is stdout")
    p.add_argument("--gpu", metavar="NAME", default="t4", help="which GPU the emulator stands for (judge.py doctor lists them)")
    p.add_argument("--device", choices=("auto", "emulator", "gpu"), default="auto", help="where kernels run")
    p.add_argument("--schedule", "--seed", dest="schedule", type=_seed, metavar="S", default=0,
                   help="run blocks, warps and lanes in the order that S stands for; 0: plain")
    p.add_argument("--time-limit", type=_seconds, metavar="S", default=600.0, help="seconds for the whole run; otherwise 600")
    p.add_argument("--memory-limit", type=_mebibytes, metavar="MIB", default=4096,
                   help="for the host side, and again for the device; otherwise 4096")
    p.add_argument("--no-write", action="store_true", help="the program may not write into this folder")
    p.add_argument("--no-fail-on-findings", action="store_true", help="what the device finds does not change the exit status")
    return p


def _seed(text: str) -> int:
    from .main import seed_from

    return seed_from(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0.001 <= seconds <= 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no time limit: a number of seconds from 0.001 to 1000000")
    return seconds


def _mebibytes(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1 << 20:
        raise argparse.ArgumentTypeError(f"{text!r} is no memory limit: a whole number of MiB from 1 to 1048576")
    return int(text)


def flags_of(options: argparse.Namespace) -> List[str]:
    flags: List[str] = []
    for text in options.nvcc_flags:
        try:
            flags += shlex.split(text)
        except ValueError as error:
            raise UserError(f"--nvcc-flags {text!r}: {error}") from error
    flags += [word for folder in options.include for word in ("-I", folder)]
    flags += ["-D" + name for name in options.define]
    return flags + (["-std=" + options.std] if options.std else [])


def run(judge: Any, root: Path, terminal: Terminal, options: argparse.Namespace) -> int:
    try:
        here = os.getcwd()
    except OSError as error:
        raise UserError(terminal.tr(f"This folder is gone: {error.strerror}.", f"当前目录已不存在：{error.strerror}。")) from error
    for name in options.files:
        if not os.path.isfile(name):
            raise UserError(terminal.tr(f"There is no file {name}.", f"没有文件 {name}。"))
    settings = judge.ProgramOptions()
    settings.root = str(root)
    settings.working_directory = here
    settings.nvcc_flags = flags_of(options)
    settings.arguments = options.arguments
    settings.environment = [(k, v) for k, v in os.environ.items() if not k.startswith(_NOT_PASSED_ON)]
    settings.may_write = not options.no_write
    settings.device, settings.gpu, settings.schedule_seed = options.device, options.gpu, options.schedule
    settings.time_limit, settings.memory_bytes = options.time_limit, options.memory_limit << 20
    settings.register_report = bool(options.report or options.json)
    try:
        sources = judge.read_program(options.files)
        # In two steps, so that the line below is gone before the program's own first word.
        terminal.show_line(terminal.tr("compiling …", "正在编译 …"))
        try:
            judge.compile_program(sources, settings)
        finally:
            terminal.erase_line()
        sys.stdout.flush()
        report = judge.run_program(sources, settings)
    except (ValueError, RuntimeError) as error:
        raise UserError(str(error)) from error

    counts = not options.no_fail_on_findings
    style = {"colour": terminal.colour and sys.stderr.isatty(), "width": terminal.width, "lang": terminal.lang}
    text = report.findings(**style, findings_count=counts)
    if options.report:
        text += report.profile(**style)
    if text:
        terminal.note(text.rstrip("\n"))
    if options.json:
        _write_json(report.to_json() + "\n", options.json, terminal)
    return report.exit_status(counts)


def _write_json(text: str, path: str, terminal: Terminal) -> None:
    if path == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(terminal.tr(f"Cannot write {path}: {error.strerror}.", f"无法写入 {path}：{error.strerror}。")) from error
