"""What this machine has for building the judge and compiling CUDA, and what it lacks, each with the remedy.

Nothing here changes the machine. Programs are looked up on PATH at the moment of asking.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import List, Mapping, NamedTuple, Optional, Tuple

from .terminal import Terminal

Version = Tuple[int, ...]

CMAKE_NEEDED: Version = (3, 22)
# Our runtime library stands in for libcudart.so.13: it is built from the headers of CUDA 13, and what another major version
# compiles looks for a library of another name.
CUDA_MAJOR = 13
CUDA_DOWNLOADS = "https://developer.nvidia.com/cuda-downloads"

# Where a toolkit lies that is not on PATH. The first is used as it is; the others are only named as a remedy.
NVCC_DEFAULT = "/usr/local/cuda/bin/nvcc"
NVCC_ELSEWHERE = ("/usr/local/cuda-*/bin/nvcc", "/opt/cuda/bin/nvcc", "/opt/nvidia/cuda*/bin/nvcc")

# Debian package -> a file that proves it is there, however it was installed.
LIBRARY_PACKAGES = {
    "nlohmann-json3-dev": "nlohmann/json.hpp",
    "libvalijson-dev": "valijson/validator.hpp",
    "libfmt-dev": "fmt/format.h",
    "pybind11-dev": "pybind11/pybind11.h",
    "libseccomp-dev": "seccomp.h",
    "libzstd-dev": "zstd.h",
}
TEST_PACKAGES = {"catch2": "catch2/catch.hpp"}
INCLUDE_FOLDERS = ("/usr/include", "/usr/local/include")


class Problem(NamedTuple):
    """Something that is missing. `package`: the Debian package that brings it, "" when none does."""

    sentence: str
    package: str = ""


def version_of(program: str, pattern: str) -> Optional[Version]:
    """Runs `program --version`; None when it does not run or says no version."""
    try:
        run = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             errors="replace", timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(pattern, run.stdout + run.stderr)
    return tuple(int(n) for n in match.group(1).split(".")) if match else None


def dotted(version: Version) -> str:
    return ".".join(str(n) for n in version)


def find_nvcc(environment: Mapping[str, str], default: str = NVCC_DEFAULT) -> str:
    """The same places, in the same order, as the judge itself looks: $CUDACXX, $CUDA_HOME/bin, PATH, /usr/local/cuda."""
    candidates = [environment.get("CUDACXX", "")]
    if environment.get("CUDA_HOME"):
        candidates.append(os.path.join(environment["CUDA_HOME"], "bin", "nvcc"))
    candidates += [shutil.which("nvcc", path=environment.get("PATH", "")) or "", default]
    for candidate in candidates:
        if candidate and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    return ""


def nvcc_version(nvcc: str) -> Optional[Version]:
    return version_of(nvcc, r"release (\d+\.\d+)")


def nvcc_problem(terminal: Terminal, environment: Mapping[str, str], default: str = NVCC_DEFAULT,
                 elsewhere: Tuple[str, ...] = NVCC_ELSEWHERE) -> Optional[Problem]:
    tr, needed = terminal.tr, CUDA_MAJOR
    nvcc = find_nvcc(environment, default)
    if not nvcc:
        import glob

        hidden = sorted(path for pattern in elsewhere for path in glob.glob(pattern))
        if hidden:
            folder = os.path.dirname(hidden[-1])
            return Problem(tr(f"nvcc is at {hidden[-1]} but not on PATH: run  export PATH={folder}:$PATH",
                              f"nvcc 位于 {hidden[-1]}，但不在 PATH 中：请运行  export PATH={folder}:$PATH"))
        return Problem(tr(
            f"nvcc was not found: install the CUDA Toolkit {needed} ({CUDA_DOWNLOADS}; no GPU is needed), or set "
            "CUDA_HOME to the folder where it is installed.",
            f"没有找到 nvcc：请安装 CUDA Toolkit {needed}（{CUDA_DOWNLOADS}，不需要 GPU），"
            "或把 CUDA_HOME 设为它的安装目录。"))
    version = nvcc_version(nvcc)
    if version is None:
        return Problem(tr(f"{nvcc} does not run: `{nvcc} --version` prints no release. Install the CUDA Toolkit again "
                          f"({CUDA_DOWNLOADS}).",
                          f"{nvcc} 无法运行：`{nvcc} --version` 没有给出版本号。请重新安装 CUDA Toolkit（{CUDA_DOWNLOADS}）。"))
    if version[0] != CUDA_MAJOR:
        en, zh = ("too old", "太旧") if version[0] < CUDA_MAJOR else ("newer than this judge", "比本判题器新")
        return Problem(tr(
            f"nvcc {dotted(version)} at {nvcc} is {en}: the CUDA Toolkit {needed} is needed. Install it ({CUDA_DOWNLOADS}) and "
            "set CUDA_HOME to it.",
            f"{nvcc} 的版本 {dotted(version)} {zh}：需要 CUDA Toolkit {needed}。请安装它（{CUDA_DOWNLOADS}），"
            "并把 CUDA_HOME 指向它。"))
    return None


def _which(name: str, environment: Mapping[str, str]) -> Optional[str]:
    return shutil.which(name, path=environment.get("PATH", ""))


def find_compiler(environment: Mapping[str, str]) -> str:
    return _which(environment.get("CXX") or "g++", environment) or ""


def python_headers_present() -> bool:
    return os.path.isfile(os.path.join(sysconfig.get_path("include"), "Python.h"))


def python_problem(terminal: Terminal, executable: Optional[str] = None, present: Optional[bool] = None) -> Optional[Problem]:
    """The module is compiled against the headers of the interpreter that runs this."""
    if python_headers_present() if present is None else present:
        return None
    executable = executable or os.path.realpath(sys.executable)
    if executable.startswith("/usr/bin/"):
        return Problem(terminal.tr(f"{executable} has no headers (Python.h): install the package python3-dev.",
                                   f"{executable} 没有头文件（Python.h）：请安装软件包 python3-dev。"), "python3-dev")
    return Problem(terminal.tr(
        f"{executable} has no headers (Python.h): run judge.py with another Python, for example /usr/bin/python3 with the "
        "package python3-dev.",
        f"{executable} 没有头文件（Python.h）：请换用其他 Python 运行 judge.py，例如装有 python3-dev 的 /usr/bin/python3。"))


def build_problems(terminal: Terminal, environment: Mapping[str, str], tests: bool = False,
                   include_folders: Tuple[str, ...] = INCLUDE_FOLDERS) -> List[Problem]:
    """Everything between this machine and a build, nvcc apart."""
    tr, problems = terminal.tr, []
    if not find_compiler(environment):
        problems.append(Problem(tr("There is no C++ compiler: install the package g++.",
                                   "没有 C++ 编译器：请安装软件包 g++。"), "g++"))
    cmake = _which("cmake", environment)
    if not cmake:
        problems.append(Problem(tr("CMake was not found: install the package cmake.",
                                   "没有找到 CMake：请安装软件包 cmake。"), "cmake"))
    else:
        version = version_of(cmake, r"version (\d+\.\d+)")
        if version is None or version < CMAKE_NEEDED:
            found, needed = dotted(version) if version else "?", dotted(CMAKE_NEEDED)
            problems.append(Problem(tr(
                f"CMake {found} at {cmake} is too old: {needed} or newer is needed (https://cmake.org/download).",
                f"{cmake} 的版本 {found} 太旧：需要 CMake {needed} 或更新版本（https://cmake.org/download）。")))
    if not _which("ninja", environment) and not _which("make", environment):
        problems.append(Problem(tr("Neither ninja nor make was found: install the package ninja-build.",
                                   "ninja 和 make 都没有找到：请安装软件包 ninja-build。"), "ninja-build"))
    if not _which("pkg-config", environment):
        problems.append(Problem(tr("pkg-config was not found: install the package pkg-config.",
                                   "没有找到 pkg-config：请安装软件包 pkg-config。"), "pkg-config"))
    packages = {**LIBRARY_PACKAGES, **(TEST_PACKAGES if tests else {})}
    for package, header in packages.items():
        # Catch2 3 has no catch.hpp; any of its headers will do.
        names = (header, "catch2/catch_all.hpp") if package == "catch2" else (header,)
        if not any((Path(folder) / name).is_file() for folder in include_folders for name in names):
            problems.append(Problem(tr(f"The library header <{header}> was not found: install the package {package}.",
                                       f"没有找到库头文件 <{header}>：请安装软件包 {package}。"), package))
    python = python_problem(terminal)
    if python:
        problems.append(python)
    return problems
