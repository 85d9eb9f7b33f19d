"""Runs complete CUDA programs through `judge.py run` and compares what came out with what their first lines say.

    python3 tests/programs/run.py [FILE.cu …]      all of them without a file

README.md beside this describes the lines.
"""

import os
import re
import shlex
import sys
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
        exits = [re.fullmatch(r"exit (\d+)", value) for value in self.lines["expect"]]
        if len(exits) != 1 or not exits[0]:
            raise AssertionError(f"{file.name}: the file must begin with one `// expect: exit N`")
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
    files = [Path(name) for name in names] or sorted(HERE.glob("*.cu"))
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        sys.exit("no such program: " + ", ".join(missing))
    suite = unittest.TestSuite(Program(file.resolve()) for file in files)
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
