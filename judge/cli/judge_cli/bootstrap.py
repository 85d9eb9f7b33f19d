"""From a fresh machine to an importable `_judge`, and quickly out of the way when there is nothing to do.

A stamp in build/ holds what the last build was made from: a digest of the judge's sources (path, size, modification time),
the interpreter, and nvcc with its version. When it still fits, a run costs one walk over the sources and one stat.
Otherwise: look for what is missing, install it or say how, configure, build. A lock keeps two runs from building at once.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, TextIO

from . import toolchain
from .terminal import STATUS_MACHINE, Terminal, UserError

_SOURCE_SUFFIXES = (".cpp", ".h", ".def", ".txt", ".cmake", ".map", ".in", ".json")
_STEP = re.compile(r"^\[\s*(?:(\d+)/(\d+)|(\d+)%)\]\s*(.*)")
_LOG_TAIL = 30
_QUIET_SECONDS = 10  # the longest time for which a build says nothing


def source_digest(root: Path) -> str:
    """Changes when a file changes that the judge is built from."""
    digest = hashlib.sha1()

    def add(entry: "os.DirEntry[str]") -> None:
        stat = entry.stat()
        digest.update(f"{entry.path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())

    def walk(folder: str) -> None:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in ("cli", "__pycache__"):
                        walk(entry.path)
                elif entry.name.endswith(_SOURCE_SUFFIXES):
                    add(entry)

    for name in ("judge", "cmake"):
        if (root / name).is_dir():
            walk(str(root / name))
    for name in ("CMakeLists.txt", "CMakePresets.json"):
        with contextlib.suppress(FileNotFoundError):
            stat = (root / name).stat()
            digest.update(f"{name}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


class Bootstrap:
    def __init__(self, root: Path, terminal: Terminal):
        self.root = root
        self.build = root / "build"
        self.programs = self.build / "bin"
        self._terminal = terminal
        self._stamp_path = self.build / "judge.stamp"
        self._log = self.build / "bootstrap.log"

    # -- the stamp

    def read_stamp(self) -> Dict[str, Any]:
        try:
            stamp = json.loads(self._stamp_path.read_text(encoding="utf-8"))
            return stamp if isinstance(stamp, dict) else {}
        except (OSError, ValueError):
            return {}

    def write_stamp(self, digest: str) -> None:
        """`digest`: of the sources as they were before the build, so that an edit made meanwhile is seen next time."""
        nvcc = toolchain.find_nvcc(os.environ)
        stamp = {"sources": digest, "python": self._python_id(), "nvcc": self._nvcc_id(nvcc)}
        temporary = self._stamp_path.with_suffix(".new")
        temporary.write_text(json.dumps(stamp), encoding="utf-8")
        os.replace(temporary, self._stamp_path)

    @staticmethod
    def _python_id() -> str:
        return f"{os.path.realpath(sys.executable)} {sys.hexversion:x}"

    @staticmethod
    def _nvcc_id(nvcc: str) -> str:
        return f"{nvcc} {os.stat(nvcc).st_mtime_ns}" if nvcc else ""

    # -- what commands call

    def is_built(self) -> bool:
        stamp = self.read_stamp()
        return stamp.get("python") == self._python_id() and any(self.programs.glob("_judge*"))

    def load(self) -> Any:
        """The `_judge` module, built first where it must be."""
        stamp = self.read_stamp()
        nvcc = toolchain.find_nvcc(os.environ)
        if not nvcc or stamp.get("nvcc") != self._nvcc_id(nvcc):
            problem = toolchain.nvcc_problem(self._terminal, os.environ)
            if problem and stamp:  # built before, and nvcc has gone or changed since
                raise UserError(problem.sentence, STATUS_MACHINE)
        fits = (stamp.get("sources") == source_digest(self.root) and stamp.get("python") == self._python_id()
                and stamp.get("nvcc") == self._nvcc_id(nvcc))
        if not fits:
            self.make()
            nvcc = toolchain.find_nvcc(os.environ)
        os.environ["CUDACXX"] = nvcc  # the judge looks there first, so that both use the same one
        return self._import()

    def make(self, tests: bool = False) -> None:
        """Installs, configures and builds. `tests`: the test programs too, warnings as errors."""
        with self._lock():
            digest = source_digest(self.root)
            self._provide(tests)
            self._configure(tests)
            self._run_steps(["cmake", "--build", str(self.build), "--parallel", str(jobs())],
                            self._terminal.tr("building the judge", "正在编译判题器"))
            self.write_stamp(digest)

    def make_sanitized(self) -> Path:
        """The unit tests with AddressSanitizer and UBSan, in a folder of their own."""
        folder = self.build / "asan-ubsan"
        with self._lock():
            command = ["cmake", "--preset", "asan-ubsan"]
            if shutil.which("ninja") and not (folder / "CMakeCache.txt").exists():
                command += ["-G", "Ninja"]
            self._run_steps(command, self._terminal.tr("configuring with sanitizers", "正在配置（sanitizer）"))
            self._run_steps(["cmake", "--build", str(folder), "--parallel", str(jobs())],
                            self._terminal.tr("building with sanitizers", "正在编译（sanitizer）"))
        return folder

    # -- steps

    def _import(self) -> Any:
        sys.path.insert(0, str(self.programs))
        try:
            import _judge
        except ImportError as error:
            raise UserError(self._terminal.tr(
                f"The judge's Python module does not load: {error}. Remove {self._stamp_path} and run this again.",
                f"判题器的 Python 模块无法载入：{error}。请删除 {self._stamp_path} 后重试。"), STATUS_MACHINE) from error
        return _judge

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        tr = self._terminal.tr
        try:
            self.build.mkdir(exist_ok=True)
            file = open(self.build / "bootstrap.lock", "w", encoding="utf-8")
            open(self._log, "a", encoding="utf-8").close()
        except OSError as error:
            raise UserError(tr(
                f"The judge must be built, and {error.filename} cannot be written: {error.strerror}. Ask the owner of "
                f"{self.root} to run judge.py once, or work in a copy of your own:  cp -r {self.root} ~/{self.root.name}",
                f"需要构建判题器，但无法写入 {error.filename}：{error.strerror}。请让 {self.root} 的所有者先运行一次 judge.py，"
                f"或在自己的副本中练习：  cp -r {self.root} ~/{self.root.name}"), STATUS_MACHINE) from error
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._terminal.note(tr("Another run is building the judge; waiting for it.", "另一个进程正在编译判题器，请稍候。"))
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _provide(self, tests: bool) -> None:
        problems = toolchain.build_problems(self._terminal, os.environ, tests)
        nvcc = toolchain.nvcc_problem(self._terminal, os.environ)
        packages = [p.package for p in problems if p.package]
        others = [p for p in problems + ([nvcc] if nvcc else []) if not p.package]
        if packages and shutil.which("apt-get") and os.geteuid() == 0 and not others:
            self._install(packages)
            problems = toolchain.build_problems(self._terminal, os.environ, tests)
            packages, others = [p.package for p in problems], problems
        if packages or others:
            raise UserError(self.missing_message(problems + ([nvcc] if nvcc else [])), STATUS_MACHINE)

    def missing_message(self, problems: List[toolchain.Problem]) -> str:
        tr = self._terminal.tr
        lines = [tr("This machine is not ready yet:", "这台机器还缺少一些东西：")]
        lines += ["  - " + p.sentence for p in problems]
        packages = [p.package for p in problems if p.package]
        if packages:
            lines += [tr("This one command installs the packages:", "用下面这一条命令安装所需软件包："), "",
                      "    " + install_command(packages)]
        return "\n".join(lines)

    def _install(self, packages: List[str]) -> None:
        tr = self._terminal.tr
        self._terminal.note(tr("Installing Debian packages: ", "正在安装 Debian 软件包：") + " ".join(packages))
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        # One unreachable source must not matter when the others have what is needed: the installation decides.
        with contextlib.suppress(UserError):
            self._run_steps(["apt-get", "update", "-q"], tr("reading package lists", "正在读取软件包列表"), environment)
        self._run_steps(["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages],
                        tr("installing packages", "正在安装软件包"), environment)

    def _configure(self, tests: bool) -> None:
        cache = self.build / "CMakeCache.txt"
        command = ["cmake", "--preset", "ci" if tests else "release", f"-DPython_EXECUTABLE={sys.executable}"]
        if cache.exists() and self.read_stamp().get("python") not in (None, self._python_id()):
            cache.unlink()  # FindPython keeps what it found for another interpreter
        if not cache.exists() and shutil.which("ninja"):
            command += ["-G", "Ninja"]
        elif cache.exists() and not tests:
            command = ["cmake", str(self.build), f"-DPython_EXECUTABLE={sys.executable}"]  # keep a tests build as it is
        if shutil.which("ccache"):
            command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        # Its headers are those that our runtime library is built from. What CMake found for another nvcc is forgotten.
        command += [f"-DJUDGE_NVCC={toolchain.find_nvcc(os.environ)}", "-UJUDGE_CUDA_INCLUDE"]
        self._run_steps(command, self._terminal.tr("configuring", "正在配置"))

    def _run_steps(self, command: List[str], title: str, environment: Optional[Dict[str, str]] = None) -> None:
        """Runs a program with its output in the log, shows how far it is, and on failure the end of what it said."""
        terminal = self._terminal
        if not terminal.live:
            terminal.note(f"{title} …")
        with open(self._log, "a", encoding="utf-8") as log:
            log.write("$ " + " ".join(command) + "\n")
            try:
                process = subprocess.Popen(command, cwd=self.root, env=environment, stdin=subprocess.DEVNULL,
                                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            except OSError as error:
                raise UserError(f"{command[0]}: {error.strerror}", STATUS_MACHINE) from error
            steps = _Steps(terminal, title, self.root, process.pid)
            try:
                assert process.stdout is not None
                with process.stdout as output:
                    _follow(output.fileno(), log, steps)
                status = process.wait()
            except BaseException:
                # Its own group, so that Ctrl-C reaches it once, through here, and takes the compilers with it.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
                process.wait()
                raise
            finally:
                terminal.erase_line()
        if status != 0:
            what = terminal.tr(f"{title}: failed with status {status}. The end of its output (all of it: {self._log}):",
                               f"{title}：失败，状态 {status}。输出的末尾如下（完整输出：{self._log}）：")
            raise UserError(what + "\n" + "\n".join("  " + line for line in steps.tail), STATUS_MACHINE)


class _Steps:
    """Shows how far a build is: on a terminal one line that changes, otherwise a line per tenth, and per ten seconds."""

    def __init__(self, terminal: Terminal, title: str, root: Path, session: int):
        self.tail: List[str] = []
        self._terminal, self._title, self._root, self._session = terminal, title, root, session
        self._started = self._spoke = time.monotonic()
        self._percent, self._announced, self._last = -1, 0, ""
        self._looked, self._now = 0.0, ""

    def line(self, text: str) -> None:
        self.tail = (self.tail + [text])[-_LOG_TAIL:]
        self._last = text.strip() or self._last
        step = _STEP.match(text)
        if step:
            self._percent = _percent(step)
            if not self._terminal.live and self._percent // 10 > self._announced:
                self._announced = self._percent // 10
                self._say(f"  {self._percent:3d} %")
        self._show()

    def tick(self) -> None:
        """Called at least every second; says what is going on when nothing was said for some seconds."""
        if self._terminal.live:
            self._show()
        elif time.monotonic() - self._spoke >= _QUIET_SECONDS:
            now = ", ".join(being_compiled(self._session, self._root)) or self._last
            done = f"{self._percent:3d} %  " if self._percent >= 0 else ""
            self._say(f"  {done}{self._clock()}  {now}".rstrip())

    def _say(self, text: str) -> None:
        self._terminal.note(text)
        self._spoke = time.monotonic()

    def _show(self) -> None:
        if not self._terminal.live:
            return
        if self._percent < 0:
            self._terminal.show_line(f"{self._title}: {self._last}")
            return
        if time.monotonic() - self._looked >= 1:  # not for each of a thousand lines
            self._now = ", ".join(os.path.basename(file) for file in being_compiled(self._session, self._root))
            self._looked = time.monotonic()
        self._terminal.show_line(f"{self._title} {bar(self._percent)} {self._percent:3d} %  {self._clock()}  {self._now}")

    def _clock(self) -> str:
        seconds = int(time.monotonic() - self._started)
        return f"{seconds // 60}:{seconds % 60:02d}"


def _follow(output: int, log: TextIO, steps: _Steps) -> None:
    """Reads until the end, line by line, and lets `steps` know that time passes while there is nothing to read."""
    rest = b""
    while True:
        if not select.select([output], [], [], 1.0)[0]:
            steps.tick()
            continue
        chunk = os.read(output, 65536)
        *lines, rest = (rest + chunk).split(b"\n")
        if not chunk and rest:
            lines.append(rest)
        for line in lines:
            text = line.decode("utf-8", "replace").rstrip()
            log.write(text + "\n")
            steps.line(text)
        if not chunk:
            return
        steps.tick()


def being_compiled(session: int, root: Path) -> List[str]:
    """The source files that compilers of this session are at, relative to the root. Ninja tells of a step when it is over."""
    files = set()
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if os.getsid(int(process.name)) != session:
                continue
            arguments = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        except OSError:  # it has ended
            continue
        # A shell's own -c is followed by a whole command.
        if os.path.basename(arguments[0]) not in ("sh", "bash", "dash") and "-c" in arguments[:-1]:
            files.add(os.path.relpath(arguments[arguments.index("-c") + 1], root))
    return sorted(file for file in files if file.endswith((".cpp", ".cc", ".c")))


def install_command(packages: List[str]) -> str:
    return ("" if os.geteuid() == 0 else "sudo ") + "apt-get install -y " + " ".join(packages)


def jobs() -> int:
    """As many compilers as there are cores, and no more than one for each GiB of memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(len(os.sched_getaffinity(0)), memory >> 30))


def bar(percent: int, width: int = 24) -> str:
    full = percent * width // 100
    return "█" * full + "░" * (width - full)


def _percent(step: "re.Match[str]") -> int:
    done, total, percent, _ = step.groups()
    return int(percent) if percent else 100 * int(done) // max(1, int(total))
