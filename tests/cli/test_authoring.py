"""Catalogues of one's own, new exercises, the list with results, and what changed between attempts."""

import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from course import Course

from judge_cli import attempts
from judge_cli.new_exercise import with_entry
from judge_cli.terminal import Terminal


class OwnCatalogue(unittest.TestCase):
    def setUp(self):
        self.course = Course()
        self.addCleanup(self.course.close)
        folder = tempfile.TemporaryDirectory(prefix="own-catalogue-")
        self.addCleanup(folder.cleanup)
        self.own = Path(folder.name)

    def new(self, *arguments, **environment):
        return self.course.run("new", *arguments, "--catalogue", str(self.own), **environment)

    def test_new_writes_a_whole_exercise_into_a_catalogue_that_is_not_there_yet(self):
        run = self.new("sum_up", "--id", "201", "--chapter", "mine", "--level", "hard")
        self.assertEqual(run.returncode, 0, run.stderr)
        written = sorted(str(f.relative_to(self.own)) for f in self.own.rglob("*") if f.is_file())
        self.assertEqual(len([name for name in written if "/wrong/" in name]), 4)
        for name in ("exercises.json", "practice/201_sum_up/sum_up.cu", "practice/201_sum_up/statement.zh.md",
                     "reference/201_sum_up/sum_up_cpu.cpp", "reference/201_sum_up/stub.cu"):
            self.assertIn(name, written)
            self.assertIn(name, run.stdout)
        listed = self.course.run("list", "--catalogue", str(self.own))
        self.assertIn("201  sum_up", listed.stdout)
        self.assertIn("72  conv1d", listed.stdout)
        alone = self.course.run("list", "--no-built-in", CUDA_JUDGE_CATALOGUE=str(self.own))
        self.assertIn("201  sum_up", alone.stdout)
        self.assertNotIn("conv1d", alone.stdout)
        self.assertEqual(self.course.run("show", "sum_up", "--catalogue", str(self.own)).returncode, 0)
        self.assertIn("Hint 1 of 2", self.course.run("hint", "201", "--catalogue", str(self.own)).stdout)
        self.assertTrue((self.own / "practice" / ".progress.json").exists())

    def test_new_never_overwrites(self):
        self.assertEqual(self.new("sum_up", "--id", "201").returncode, 0)
        before = {f: f.read_bytes() for f in self.own.rglob("*") if f.is_file()}
        for arguments, word in ((("sum_up", "--id", "202"), "that name already"), (("other", "--id", "201"), "that id already"),
                                (("conv1d", "--id", "203"), "that name already"), (("x", "--id", "72"), "that id already"),
                                (("Bad",), "no slug"), (("x", "--id", "0"), "no id"), (("x", "--chapter", "y"), "no chapter"),
                                (("x", "--entry", "int f()"), "void NAME"), (("x", "--entry", "void f(const float* x, int n)"), "no output"),
                                (("x", "--entry", "void f(float* x)"), "no size"), (("x", "--entry", "void f(half* x, int n)"), "half")):
            run = self.new(*arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertIn(word, run.stderr)
        (self.own / "practice" / "204_there").mkdir()
        self.assertIn("nothing is overwritten", self.new("there", "--id", "204").stderr)
        self.assertEqual({f: f.read_bytes() for f in self.own.rglob("*") if f.is_file()}, before)

    def test_new_into_the_built_in_catalogue_changes_no_other_line(self):
        file = self.course.root / "exercises.json"
        before = file.read_text(encoding="utf-8")
        run = self.course.run("new", "between", "--id", "65", "--chapter", "memory-hierarchy")
        self.assertEqual(run.returncode, 0, run.stderr)
        after = file.read_text(encoding="utf-8")
        self.assertEqual([e["id"] for e in json.loads(after)["exercises"]], [60, 65, 72])
        begin = next(k for k, (a, b) in enumerate(zip(before, after)) if a != b)
        self.assertEqual(after[begin + len(after) - len(before):], before[begin:])

    def test_entries_of_a_list_in_any_state(self):
        entry = '    {"id": 5}'
        for text, ids in (('{"exercises": []}', [5]), ('{"exercises": [{"id": 1}, {"id": 9, "a": "}]\\"{"}]}', [1, 5, 9]),
                          ('{"x": "\\"exercises\\": [", "exercises": [{"id": 9}]}', [5, 9]),
                          ('{"exercises": [{"id": 9}, {"id": 1}]}', [9, 1, 5])):
            self.assertEqual([e["id"] for e in json.loads(with_entry(text, 5, entry))["exercises"]], ids, text)

    def test_ids_and_names_may_not_clash(self):
        shutil.copytree(self.course.root, self.own / "copy", symlinks=True)
        clash = self.course.run("list", "--catalogue", str(self.own / "copy"))
        self.assertEqual(clash.returncode, 3)
        self.assertIn("exercise 60 (saxpy) has the id of saxpy in", clash.stderr)
        nothing = self.course.run("list", "--catalogue", str(self.own))
        self.assertEqual(nothing.returncode, 3)
        self.assertIn("exercises.json cannot be read", nothing.stderr)


class Attempts(unittest.TestCase):
    def report(self, verdict, sectors=0, conflicts=0, right=2, n=4096):
        counters = {"global_load_sectors": sectors, "shared_load_conflicts": conflicts}
        cases = [{"name": f"c{k}", "ran": True, "verdict": "accepted" if k < right else verdict, "timed": k == 1, "hidden": False,
                  "sizes": {"n": n}, "record": {"launches": [{"counters": counters}]}} for k in range(2)]
        return attempts.attempt_of({"verdict": verdict, "cases": cases})

    def test_what_changed(self):
        terminal = Terminal("en", colour=False)
        first, second = self.report("requirement_not_met", 4096, 31), self.report("accepted", 512, 0)
        self.assertEqual(attempts.changes(first, second, terminal),
                         ["requirement not met → accepted", "sectors 4,096 → 512", "bank conflicts 31 → 0"])
        self.assertEqual(attempts.changes(None, first, terminal), [])
        self.assertEqual(attempts.changes(second, second, terminal), [])
        self.assertEqual(attempts.changes(self.report("race", 99, right=1), second, terminal),
                         ["race → accepted", "cases right 1 → 2 of 2"])  # figures of another case are not compared
        other_size = self.report("accepted", 7, n=5)
        self.assertEqual(attempts.changes(other_size, second, terminal), [])
        self.assertEqual(attempts.changes({"verdict": "accepted"}, second, Terminal("zh", colour=False))[0][:5], "正确的用例")

    def test_the_best_attempt(self):
        self.assertTrue(attempts.better(self.report("accepted", 512, 9), None))
        self.assertTrue(attempts.better(self.report("accepted", 511, 9), self.report("accepted", 512, 0)))
        self.assertFalse(attempts.better(self.report("accepted", 512, 9), self.report("accepted", 512, 9)))
        self.assertEqual(attempts.best_of(self.report("accepted", 1512, 9), Terminal("en", colour=False)),
                         "1,512 sectors, 9 bank conflicts")


class Listing(unittest.TestCase):
    def setUp(self):
        self.course = Course()
        self.addCleanup(self.course.close)

    def test_accepted_offers_the_next_and_the_list_tells_when(self):
        saxpy = self.course.file("060_saxpy")
        saxpy.write_text("// fake: wrong_answer\n")
        self.assertNotIn("then ", self.course.run("60").stdout)
        self.assertRegex(self.course.run("list").stdout, r"· +60 .*\n +1 attempt\n")
        saxpy.write_text("// fake: accepted\n")
        accepted = self.course.run("60").stdout
        self.assertIn("changed   wrong answer → accepted", accepted)
        self.assertIn("judge.py show 72", accepted)
        self.assertNotIn("show 72", self.course.run("60", "--json").stdout)
        listed = self.course.run("list").stdout
        self.assertRegex(listed, r"✓ +60 .*\n +accepted \d{4}-\d\d-\d\d, 3 attempts\n")
        self.assertIn("First kernels  1/1", listed)
        self.course.file("072_conv1d").write_text("// fake: accepted\n")
        self.assertIn("every exercise is done", self.course.run("72").stdout)
        told = json.loads(self.course.run("list", "--json").stdout)
        self.assertEqual([(e["kind"], e["attempts"], bool(re.match(r"\d{4}", e["accepted"]))) for e in told],
                         [("exercise", 3, True), ("exercise", 1, True)])


if __name__ == "__main__":
    unittest.main()
