"""Arguments, exit status and Ctrl-C. `judge.py 72` is short for the command that judges; every other one has a name."""

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any, List, Optional

from .terminal import STATUS_MACHINE, Terminal, UserError

STATUS_USAGE = 2
STATUS_INTERRUPTED = 130  # 128 + SIGINT, as shells report it
STATUS_BROKEN_PIPE = 141  # 128 + SIGPIPE

_OVERVIEW = """usage: judge.py ID [FILE] [options]      judge an exercise
       judge.py COMMAND …                something else

Judges a CUDA exercise on this machine, with or without a GPU.
ID is a number or a name: 72, 072 or conv1d.
FILE is the file to judge; without it, the one in practice/.

commands:
  list              every exercise, with a mark at those you have done
  show ID           the task
  hint ID           one more hint each time
  reset ID          start over; your version is kept beside the file
  check [ID…]       prove that exercises are sound, and say what is missing
  new SLUG          write a new exercise that passes check, to be filled with life
  run FILE.cu       run any CUDA program that has a main(); run --help tells how
  doctor            what this machine has, and what that means
  selftest          build and run every test of the judge

options of judging:
  --watch           judge again whenever the file is saved
  --case NAME       only this case, by name or number
  --seed N          the same random inputs as in the report that printed N
  --schedules N     also under N other orders of blocks, warps and lanes
  --schedule S      under the order that a report named S
  --device D        auto, emulator or gpu
  --gpu NAME        the GPU that the emulator stands for: t4 (default), a100, h100, h200, rtx4090
  --json            the report as JSON
  --answers FILE    of a quiz: one answer a line, instead of asking

options of every command:
  --catalogue DIR   a catalogue of your own, beside the built-in one
  --lang en|zh      language; otherwise that of $LANG
  --no-color        no colour, also on a terminal
  -h, --help        help about a command

examples:
  judge.py 72                     judge practice/072_conv1d/conv1d.cu
  judge.py 72 --watch             and again at every save
  judge.py 72 --case ragged       one case
  judge.py 60 my_saxpy.cu --json  another file, for a script
  judge.py run prog.cu -- 1000    any CUDA program, with its arguments after --

The exit status is 0 when the submission is accepted; docs/cli.md has the others.
"""


def _parser(command: str, usage: str, description: str, **extra: Any) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"judge.py {command}".rstrip(), usage=usage, description=description,
                                     allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **extra)
    parser.add_argument("--lang", choices=("en", "zh"), help="language; otherwise that of $LANG")
    parser.add_argument("--catalogue", metavar="DIR", action="append", default=[],
                        help="a folder with an exercises.json of your own; may be given more than once")
    parser.add_argument("--no-built-in", action="store_true", help="only the catalogues of --catalogue")
    parser.add_argument("--no-color", "--no-colour", dest="no_color", action="store_true", help="no colour")
    return parser


def _judge_parser() -> argparse.ArgumentParser:
    parser = _parser("", "judge.py ID [FILE] [options]", "Judges one exercise.")
    parser.add_argument("id", metavar="ID", help="number or name: 72, 072, conv1d")
    parser.add_argument("file", metavar="FILE", nargs="?", help="the file to judge; otherwise the one in practice/")
    parser.add_argument("--device", choices=("auto", "emulator", "gpu"), default="auto", help="where kernels run")
    parser.add_argument("--gpu", metavar="NAME", default="t4",
                        help="the GPU that the emulator stands for: t4, a100, h100, h200 or rtx4090")
    parser.add_argument("--case", metavar="NAME", help="only this case, by name or number")
    parser.add_argument("--seed", type=seed_from, metavar="N", help="repeat the inputs of an earlier report")
    parser.add_argument("--schedules", type=_count, default=0, metavar="N",
                        help="run each case that is right under N more orders of blocks, warps and lanes")
    parser.add_argument("--schedule", type=seed_from, default=0, metavar="S", help="the order that a report named S")
    parser.add_argument("--json", action="store_true", help="the report as JSON (docs/report.schema.json)")
    parser.add_argument("--watch", action="store_true", help="judge again whenever the file is saved")
    parser.add_argument("--answers", metavar="FILE", help="of a quiz: one answer a line; - is stdin")
    return parser


def seed_from(text: str) -> int:
    try:
        seed = int(text, 0)
    except ValueError:
        seed = -1
    if not 0 <= seed < 2**64:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed: a whole number from 0 to 18446744073709551615")
    return seed


def _count(text: str) -> int:
    count = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= count <= 10000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of schedules: a whole number from 0 to 10000")
    return count


def _jobs(text: str) -> int:
    count = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= count <= 256:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of jobs: a whole number from 1 to 256")
    return count


def _command_parser(command: str) -> argparse.ArgumentParser:
    if command == "list":
        parser = _parser("list", "judge.py list [--json]", "Every exercise by chapter, with its level: ✓ done, · tried.")
        parser.add_argument("--json", action="store_true", help="as JSON (docs/cli.md)")
        return parser
    if command == "doctor":
        return _parser("doctor", "judge.py doctor", "What this machine has, and what that means for judging.")
    if command == "check":
        parser = _parser("check", "judge.py check [ID…]",
                         "Proves that exercises are sound: the stub compiles and fails, the reference and other right\n"
                         "solutions are accepted, every known-wrong submission gets the verdict it names. Shows which case\n"
                         "catches which submission, and says what is missing. Quizzes are run and their answers listed.")
        parser.add_argument("ids", metavar="ID", nargs="*", help="exercises; otherwise all")
        parser.add_argument("--seed", type=seed_from, metavar="N", help="repeat the inputs of an earlier check")
        parser.add_argument("--jobs", type=_jobs, metavar="N", help="submissions at once; otherwise one for each core")
        parser.add_argument("--json", action="store_true", help="as JSON (docs/cli.md)")
        return parser
    if command == "selftest":
        parser = _parser("selftest", "judge.py selftest [--quick]",
                         "Builds the judge with its tests, runs them, and runs the unit tests under sanitizers.")
        parser.add_argument("--quick", action="store_true", help="without the sanitizers' build")
        return parser
    if command == "run":
        from . import run_command

        return run_command.parser(_parser)
    if command == "new":
        from . import new_exercise

        return new_exercise.parser(_parser)
    descriptions = {
        "show": "Shows the task of an exercise.",
        "hint": "Shows the next hint; which ones you have seen is remembered.",
        "reset": "Puts the stub back. Your version is kept beside it, as NAME.1.bak.cu, NAME.2.bak.cu, …",
    }
    parser = _parser(command, f"judge.py {command} ID", descriptions[command])
    parser.add_argument("id", metavar="ID", help="number or name: 72, 072, conv1d")
    return parser


COMMANDS = ("list", "show", "hint", "reset", "check", "new", "run", "doctor", "selftest")


def main(root: Path, arguments: List[str]) -> int:
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # closed: judge.py list >&-
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a C locale must not stop a report with "≤" in it
            stream.reconfigure(encoding="utf-8", errors="replace")
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # nohup has SIGHUP ignored
            signal.signal(number, _end)
    try:
        status = _run(root, arguments)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return interrupted(_language_in(arguments))
    except BrokenPipeError:  # judge.py list | head: what a program gets that does not catch SIGPIPE
        _discard_output()
        return STATUS_BROKEN_PIPE
    except OSError as error:  # the last of the output, on a full disk
        _discard_output()
        Terminal(_language_in(arguments)).note(f"judge.py: {error.strerror or error}")
        return STATUS_MACHINE


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _language_in(arguments: List[str]) -> Optional[str]:
    """What --lang says, wherever it stands; None when it does not say a language."""
    for before, word in zip([""] + arguments, arguments):
        if word in ("--lang=en", "--lang=zh") or (before == "--lang" and word in ("en", "zh")):
            return word[-2:]
    return None


def _end(number: int, _frame: Any) -> None:
    """An end on request is an ordinary one: what runs is stopped, and temporary folders go."""
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def interrupted(lang: Optional[str] = None) -> int:
    """One line and the status of Ctrl-C. A second Ctrl-C changes nothing any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    terminal = Terminal(lang)
    after_echo = "\n" if sys.stderr.isatty() else ""  # the terminal has shown ^C
    terminal.note(after_echo + terminal.tr("Interrupted.", "已中断。"))
    return STATUS_INTERRUPTED


def _run(root: Path, arguments: List[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_OVERVIEW, end="")
        return 0
    command = arguments[0] if arguments[0] in COMMANDS else ""
    parser = _command_parser(command) if command else _judge_parser()
    words, of_program = arguments[1:] if command else arguments, []
    if command == "run":
        from .run_command import split_arguments

        words, of_program = split_arguments(words)
    # FILE may come after options: judge.py 60 --case 4 my.cu
    options = parser.parse_args(words) if command == "run" else parser.parse_intermixed_args(words)
    options.arguments = of_program
    if not command and options.id in COMMANDS:
        parser.error(f"the command comes first: judge.py {options.id} …")

    terminal = Terminal(options.lang, colour=False if options.no_color else None)
    try:
        if command == "doctor":
            from . import doctor

            return doctor.run(root, terminal)
        from . import commands

        return commands.run(command or "judge", root, terminal, options)
    except UserError as error:
        terminal.note(terminal.tr("judge.py: ", "judge.py：") + str(error))
        return error.status
    except BrokenPipeError:
        raise
    except OSError as error:  # a full disk, a folder of another user's: the machine, and no fault of this program
        name = f": {error.filename}" if error.filename else ""
        terminal.note(terminal.tr("judge.py: ", "judge.py：") + f"{error.strerror or error}{name}")
        return STATUS_MACHINE
