"""How long a student waits, against nvcc alone, alternating in one run.

    python3 tests/benchmarks/latency.py [repetitions]

Measures, on exercise 72's reference solution: the bare compile (nvcc -O3 -lineinfo -shared --cudart shared), judge.py on a
file that was just edited (all cases), and judge.py on a file that was not. Prints medians and their ratios to the compile.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def seconds(command, **options):
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return time.perf_counter() - start


def main():
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    source = (ROOT / "reference/072_conv1d/conv1d.cu").read_text(encoding="utf-8")
    times = {"nvcc alone": [], "judge, edited": [], "judge, not edited": []}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "conv1d.cu"
        judge = [sys.executable, str(ROOT / "practice/judge.py"), "72", str(file), "--no-color"]
        for n in range(repetitions + 1):
            file.write_text(source + f"\n// edit {time.time_ns()}\n", encoding="utf-8")
            bare = [nvcc, "-O3", "-lineinfo", "-shared", "--cudart", "shared", "-Xcompiler", "-fPIC", str(file),
                    "-o", str(Path(folder) / "bare.so")]
            sample = [seconds(bare), seconds(judge), seconds(judge)]
            if n > 0:  # the first warms caches
                for name, value in zip(times, sample):
                    times[name].append(value)
    base = statistics.median(times["nvcc alone"])
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:18} {1e3 * median:7.0f} ms  ({1e3 * min(values):.0f} to {1e3 * max(values):.0f})  {median / base:.2f} x nvcc")


if __name__ == "__main__":
    main()
