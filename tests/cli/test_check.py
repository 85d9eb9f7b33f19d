"""What check says of exercises that are wanting, one fault at a time; and its table."""

import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import course  # noqa: F401  (puts judge_cli on the path)

from judge_cli.check_findings import findings_of, parameters_of, unused_in
from judge_cli.check_table import table_of
from judge_cli.terminal import Terminal, width_of

BOTH = {"en": "text", "zh": "文本"}
CPU = "void f_cpu(const float* x, float* y, int n) {\n  for (int i = 0; i < n; ++i) y[i] = x[i];\n}\n"
SOLUTION = "void f(const float* x, float* y, int n) { kernel<<<n, 1>>>(x, y); }\n"


def case(name, verdict="accepted", ran=True, hidden=False, timed=False, n=256):
    return SimpleNamespace(name=name, title={"en": name, "zh": name}, hidden=hidden, timed=timed, ran=ran, sizes={"n": n},
                           verdict=verdict if ran else "")


def cases(*verdicts):
    small, hidden, large = (list(verdicts) + ["accepted"] * 3)[:3]
    return [case("one", small, n=1), case("hidden", hidden, hidden=True, n=777), case("large", large, timed=True, n=4096)]


def item(kind, name, verdict, expected=None, ran=None, requirements=(), compiles=True, **more):
    expected = expected or verdict
    ok = verdict == expected or kind == "stub" and verdict != "accepted" and compiles
    report = SimpleNamespace(cases=ran if ran is not None else cases(), requirements=list(requirements),
                             requirement_case="large", build=SimpleNamespace(ok=compiles))
    return SimpleNamespace(**{"kind": kind, "path": f"/x/{name}.cu", "verdict": verdict, "expected": expected, "ok": ok,
                              "note": "" if ok else f"expected {expected}, got {verdict}", "report": report, **more})


def budget(metric, value, low=None, high=None):
    return SimpleNamespace(metric=metric, value=value, min=low, max=high, met=True)


class Findings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write(CPU, SOLUTION)
        self.exercise = SimpleNamespace(
            id=7, slug="f", title=BOTH, hints=[BOTH, BOTH], cases=cases(), statements={"en": "a", "zh": "b"},
            entry="void f(const float* x, float* y, int n)", entry_name="f",
            reference=str(self.folder / "f.cu"), cpu_reference=str(self.folder / "f_cpu.cpp"))
        self.items = [item("stub", "stub", "wrong_answer", "not accepted"), item("reference", "f", "accepted")] + [
            item("wrong", f"wrong_{k}", "race", ran=cases("race", "race", "race")) for k in range(4)]

    def write(self, cpu, solution):
        (self.folder / "f_cpu.cpp").write_text(cpu)
        (self.folder / "f.cu").write_text(solution)

    def kinds(self, severity=None):
        return [f.kind for f in findings_of(self.exercise, self.items) if severity in (None, f.is_error)]

    def test_a_sound_exercise_has_none(self):
        self.assertEqual(self.kinds(), [])

    def test_submissions(self):
        self.items[0] = item("stub", "stub", "accepted", "not accepted", ok=False)
        self.assertEqual(self.kinds(True), ["stub"])
        self.items[0] = item("stub", "stub", "compile_error", "not accepted", compiles=False)
        self.assertEqual(self.kinds(True), ["stub"])
        self.setUp()
        self.items[1] = item("reference", "f", "race", "accepted")
        self.assertEqual(self.kinds(True), ["reference"])
        self.setUp()
        self.items.append(item("right", "other", "wrong_answer", "accepted"))
        self.items.append(item("wrong", "caught", "wrong_answer", "race", ran=cases("wrong_answer")))
        self.items.append(item("wrong", "through", "accepted", "race"))
        self.items.append(item("wrong", "silent", "", ok=False, note="the first line must be …"))
        self.assertEqual(self.kinds(True), ["right", "wrong", "not_caught", "no_expectation"])

    def test_three_wrong_submissions_are_too_few(self):
        del self.items[-1]
        self.assertEqual(self.kinds(True), ["few_wrong"])

    def test_a_case_that_catches_nothing(self):
        self.items[2:] = [item("wrong", f"w{k}", "race", ran=cases("accepted", "race", "race")) for k in range(4)]
        found = findings_of(self.exercise, self.items)
        self.assertEqual([(f.kind, f.is_error) for f in found], [("unneeded_case", False)])
        self.assertIn("\"one\"", found[0].message["en"])

    def test_a_budget_is_caught_where_it_is_measured(self):
        self.items[2:] = [item("wrong", f"w{k}", "requirement_not_met") for k in range(4)]
        self.assertEqual(self.kinds(), ["unneeded_case", "unneeded_case"])  # not of "large"

    def test_budgets_at_the_limit_of_five_percent(self):
        for metric, value, low, high, tight in (
                ("global_load_sectors", 951, None, 1000, True), ("global_load_sectors", 950, None, 1000, False),
                ("global_load_efficiency", 0.94, 0.9, None, True), ("global_load_efficiency", 0.945, 0.9, None, False),
                ("shared_bank_conflicts", 0, None, 0, False), ("dynamic_shared_bytes", 4096, None, 4096, False),
                ("barriers", 8, 8, 8, False)):
            self.items[1] = item("reference", "f", "accepted", requirements=[budget(metric, value, low, high)])
            self.assertEqual(self.kinds(False), ["tight_budget"] * tight, (metric, value))
            self.assertEqual(self.kinds(True), [])

    def test_cases_of_every_kind(self):
        for without, kind in ((0, "no_edge_case"), (1, "no_hidden_case"), (2, "no_timed_case")):
            self.setUp()
            kept = [c for k, c in enumerate(cases()) if k != without]
            self.items[1] = item("reference", "f", "accepted", ran=kept)
            self.assertEqual(self.kinds(True), [kind])

    def test_texts(self):
        self.exercise.statements = {"en": "a"}
        self.assertEqual(self.kinds(True), ["missing_language"])
        self.setUp()
        self.exercise.hints = [BOTH, {"en": "only"}]
        self.assertEqual(self.kinds(True), ["missing_language"])
        self.exercise.title = {"en": "only"}  # an exercise in English alone is whole
        self.assertEqual(self.kinds(True), [])
        self.exercise.hints = [BOTH]
        self.assertEqual(self.kinds(True), ["few_hints"])

    def test_arguments_that_nobody_uses(self):
        self.write(CPU.replace("i < n", "i < 5 /* n */"), SOLUTION.replace("<<<n", "<<<5"))
        self.assertEqual(self.kinds(True), ["unused_argument"])
        self.write(CPU, SOLUTION.replace("<<<n", "<<<5"))
        self.assertEqual((self.kinds(True), self.kinds(False)), ([], ["unused_argument"]))
        self.write("// nothing that looks like a function", SOLUTION)
        self.assertEqual(self.kinds(), [])

    def test_parameters(self):
        self.assertEqual(parameters_of("void f(const float* x, unsigned int n)", "f"), ["x", "n"])
        self.assertEqual(unused_in("void g(int a, int* b, int) { (void)a; b[0] = 1; }", "g"), [True, False, True])
        self.assertEqual(unused_in("void g(int a);\nvoid g(int a) { if (a) { } }", "g"), [False])
        self.assertIsNone(unused_in("void g(int a);", "g"))


class Table(unittest.TestCase):
    def test_no_line_is_wider_than_the_terminal_however_many_cases(self):
        many = [case(f"case {k} with a name of some length", "race" if k % 3 else "accepted") for k in range(64)]
        exercise = SimpleNamespace(cases=many)
        items = [item("wrong", "a" * 80, "race", ran=many), item("reference", "f", "accepted", ran=many)]
        lines = table_of(exercise, items, Terminal("en", colour=False))
        self.assertLessEqual(max(map(width_of, lines)), 100)
        self.assertEqual(sum(line.count("RC") for line in lines), 2 * 42 + 1)  # and once in the legend

    def test_cells(self):
        items = [item("wrong", "w", "requirement_not_met"), item("wrong", "v", "race", ran=cases("race")[:1] + [
            case("hidden", ran=False), case("large", ran=False)])]
        lines = table_of(SimpleNamespace(cases=cases()), items, Terminal("zh", colour=False))
        self.assertTrue(lines[1].endswith("·  · RQ"), lines[1])
        self.assertTrue(lines[2].endswith("RC  –  –"), lines[2])
        self.assertTrue(lines[3].endswith("1  0  1"), lines[3])


if __name__ == "__main__":
    unittest.main()
