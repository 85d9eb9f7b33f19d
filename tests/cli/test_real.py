"""The real judge through the command line: one submission that fails, one that passes, and how fast it starts."""

import json
import time
import unittest

from course import pristine_course


class Real(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.course = pristine_course()
        cls.addClassCleanup(cls.course.close)

    def test_stub_to_accepted(self):
        stub = self.course.run("60", "--json", "--seed", "7")
        report = json.loads(stub.stdout)
        self.assertEqual((stub.returncode, report["verdict"], report["seed"]), (18, "wrong_answer", 7))

        solution = self.course.root / "reference" / "060_saxpy" / "saxpy.cu"
        self.course.file("060_saxpy").write_bytes(solution.read_bytes())
        accepted = self.course.run("60")
        self.assertEqual(accepted.returncode, 0, accepted.stdout + accepted.stderr)
        self.assertLessEqual(max(map(len, accepted.stdout.splitlines())), 100)
        self.assertIn("✓  60  saxpy", self.course.run("list").stdout)

        again = self.course.run("60", "--lang", "zh")
        self.assertEqual(again.returncode, 0)
        self.assertIn("网格", again.stdout)  # of the title

    def test_a_case_that_does_not_exist_lists_those_that_do(self):
        run = self.course.run("60", "--case", "nosuch")
        self.assertEqual(run.returncode, 2)
        self.assertIn("ragged", run.stderr)

    def test_starts_in_well_under_half_a_second(self):
        self.course.run("list")
        times = []
        for _ in range(5):
            started = time.monotonic()
            self.assertEqual(self.course.run("list").returncode, 0)
            times.append(time.monotonic() - started)
        self.assertLess(min(times), 0.4)

    def test_doctor_reports_the_built_judge(self):
        run = self.course.run("doctor")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for word in ("Landlock", "seccomp", "emulator"):
            self.assertIn(word, run.stdout)


if __name__ == "__main__":
    unittest.main()
