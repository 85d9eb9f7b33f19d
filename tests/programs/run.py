"""Runs complete CUDA programs through `judge.py run` and compares what came out with what their first lines say.

    python3 tests/programs/run.py [FILE.cu …]      all of them without a file

README.md beside this describes the lines.
"""

import json
import os
import re
import shlex
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

from course import REPOSITORY, Course  # noqa: E402

PROGRAMS = Path(os.environ.get("JUDGE_PROGRAMS") or REPOSITORY / "build" / "bin")
TIME_LIMIT = 120  # seconds; nothing here takes a tenth of it once it is compiled
KEYS = ("expect", "args", "stdin", "options", "stdout", "stderr", "no-stderr")


class Expectation:
    def __init__(self, file):
        self.lines = {key: [] for key in KEYS}
        for line in file.read_text(encoding="utf-8").splitlines():
            match = re.match(r"//\s*([a-z-]+):\s?(.*)$", line)
            if not match:
                break
            key, value = match.groups()
            if key not in KEYS:
                raise AssertionError(f"{file.name}: `// {key}:` is none of " + ", ".join(KEYS))
            self.lines[key].append(value)
        source = file.read_text(encoding="utf-8").splitlines()
        self.fault_lines = {n for n, line in enumerate(source, 1) if line.rstrip().endswith("// fault")}
        self.other_lines = {n for n, line in enumerate(source, 1) if line.rstrip().endswith("// other")}
        self.finding = None
        if len(self.lines["expect"]) == 1 and re.fullmatch(r"[a-z_]+", self.lines["expect"][0]):
            self.finding = "accepted" if self.lines["expect"][0] == "nothing" else self.lines["expect"][0]
            return
        exits = [re.fullmatch(r"exit (\d+)", value) for value in self.lines["expect"]]
        if len(exits) != 1 or not exits[0]:
            raise AssertionError(f"{file.name}: the file must begin with one `// expect: exit N` or `// expect: FINDING`")
        self.status = int(exits[0].group(1))

    def words(self, key):
        return [word for line in self.lines[key] for word in shlex.split(line)]


class Program(unittest.TestCase):
    course = None

    def __init__(self, file):
        super().__init__("check")
        self.file = file

    def __str__(self):
        return self.file.name

    @classmethod
    def setUpClass(cls):
        cls.course = Course(programs=PROGRAMS)
        cls.addClassCleanup(cls.course.close)

    def check(self):
        expected = Expectation(self.file)
        if expected.finding:
            self.check_finding(expected)
        else:
            self.check_run(expected)

    def check_finding(self, expected):
        """The finding, at the marked line, with the other party at its marked line; or nothing at all."""
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder) / "run.json"
            run = self.course.run("run", str(self.file), "--time-limit", str(TIME_LIMIT), "--json", str(told), timeout=10 * TIME_LIMIT,
                                  CUDA_JUDGE_CACHE=os.environ.get("CUDA_JUDGE_CACHE") or str(REPOSITORY / "build" / "cache"))
            self.assertTrue(told.is_file(), run.stdout + run.stderr)
            report = json.loads(told.read_text(encoding="utf-8"))
        self.assertEqual(report["finding"], expected.finding, run.stderr)
        if expected.finding == "accepted":
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            return
        self.assertNotEqual(run.returncode, 0)
        self.assertTrue(expected.fault_lines, "no line is marked // fault")
        found = [(fault["where"]["line"], (fault.get("other") or {}).get("where", {}).get("line")) for fault in report["faults"]]
        # Which side of a race comes second, and so reports it, is the schedule's.
        self.assertTrue(any(a in expected.fault_lines and (not expected.other_lines or b in expected.other_lines)
                            for pair in found for a, b in (pair, pair[::-1])), f"found at {found}\n{run.stderr}")

    def check_run(self, expected):
        arguments = ["run", str(self.file), "--time-limit", str(TIME_LIMIT), *expected.words("options"), "--",
                     *expected.words("args")]
        environment = {"CUDA_JUDGE_CACHE": os.environ.get("CUDA_JUDGE_CACHE") or str(REPOSITORY / "build" / "cache")}
        run = self.course.run(*arguments, stdin="".join(line + "\n" for line in expected.lines["stdin"]),
                              timeout=10 * TIME_LIMIT, **environment)
        told = f"\n-- stdout\n{run.stdout[-4000:]}\n-- stderr\n{run.stderr[-4000:]}"
        self.assertEqual(run.returncode, expected.status, told)
        if expected.lines["stdout"]:
            self.assertEqual(run.stdout.splitlines(), expected.lines["stdout"], told)
        for pattern in expected.lines["stderr"]:
            self.assertRegex(run.stderr, pattern, told)
        for pattern in expected.lines["no-stderr"]:
            self.assertNotRegex(run.stderr, pattern, told)
        if expected.status == 0 and not expected.lines["stderr"]:
            self.assertEqual(run.stderr, "", told)  # no false alarm


def main(names):
    files = [Path(name) for name in names] or sorted(HERE.glob("**/*.cu"))
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        sys.exit("no such program: " + ", ".join(missing))
    suite = unittest.TestSuite(Program(file.resolve()) for file in files)
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
