"""The module against its interface _judge.pyi, and what only Python can show: the GIL, callbacks, Ctrl-C."""

import ast
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import _judge

ROOT = pathlib.Path(os.environ["JUDGE_SOURCE_DIR"])
HAS_NVCC = bool(_judge.doctor().nvcc)


def stub():
    return ast.parse((ROOT / "judge/python/_judge.pyi").read_text(encoding="utf-8"))


class Interface(unittest.TestCase):
    def test_the_stub_and_the_module_have_the_same_classes_and_functions(self):
        declared = set()
        for node in stub().body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                declared.add(node.name)
            elif isinstance(node, ast.AnnAssign):
                declared.add(node.target.id)
        actual = {n for n in dir(_judge) if not n.startswith("__")} | {"__version__"}
        self.assertEqual(declared, actual)

    def test_every_class_has_what_the_stub_says_and_nothing_more(self):
        for node in stub().body:
            if not isinstance(node, ast.ClassDef) or node.name == "CatalogueError":
                continue
            declared = set()
            for member in node.body:
                if isinstance(member, ast.AnnAssign):
                    declared.add(member.target.id)
                elif isinstance(member, ast.FunctionDef):
                    declared.add(member.name)
            actual = {n for n in vars(getattr(_judge, node.name)) if not n.startswith("_")}
            with self.subTest(node.name):
                self.assertEqual({n for n in declared if not n.startswith("_")}, actual)
                for special in (n for n in declared if n.startswith("_")):
                    self.assertTrue(hasattr(getattr(_judge, node.name), special))
                self.assertTrue(getattr(_judge, node.name).__doc__)

    def test_keyword_arguments_of_the_stub_are_in_the_signatures(self):
        for node in stub().body:
            if isinstance(node, ast.FunctionDef):
                text = getattr(_judge, node.name).__doc__.splitlines()[0]
                for argument in node.args.args + node.args.kwonlyargs:
                    self.assertIn(argument.arg + ":", text, node.name)

    def test_verdicts_worst_first(self):
        self.assertEqual(len(_judge.VERDICTS), 13)
        self.assertEqual(_judge.VERDICTS[0], "judge_error")
        self.assertEqual(_judge.VERDICTS[-1], "accepted")


class Catalogue(unittest.TestCase):
    def test_find_by_number_text_and_slug(self):
        catalogue = _judge.load_catalogue(ROOT)
        for key in (72, "72", "072", "conv1d"):
            self.assertEqual(catalogue.find(key).folder_name, "072_conv1d", key)
        for key in (7, "", "0x48", "conv", "99999999999999999999"):
            self.assertIsNone(catalogue.find(key), key)
        self.assertEqual(len(catalogue), len(list(catalogue)))
        self.assertEqual(catalogue.find(72).root, str(ROOT))

    def test_exercises_outlive_their_catalogue(self):
        exercise = _judge.load_catalogue(str(ROOT)).find(72)
        self.assertEqual(exercise.entry_name, "conv1d")

    def test_a_broken_catalogue_is_a_value_error_with_the_place(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(ROOT / "exercises.schema.json", folder)
            (pathlib.Path(folder) / "exercises.json").write_text('{"version": 1,\n "exercises": 3}')
            with self.assertRaises(_judge.CatalogueError) as caught:
                _judge.load_catalogue(folder)
            self.assertIsInstance(caught.exception, ValueError)
            self.assertIn("exercises.json:", str(caught.exception))


class Refusals(unittest.TestCase):
    def setUp(self):
        self.exercise = _judge.load_catalogue(ROOT).find(72)

    def test_a_gpu_and_unknown_cases_are_value_errors(self):
        with self.assertRaisesRegex(ValueError, "emulator"):
            _judge.judge(self.exercise, "", device="gpu")
        with self.assertRaisesRegex(ValueError, "one element"):
            _judge.judge(self.exercise, "", case="nine")

    def test_an_exception_in_the_callback_comes_back(self):
        def callback(stage, done, total):
            raise LookupError(stage)

        with self.assertRaisesRegex(LookupError, "compile"):
            _judge.judge(self.exercise, "", progress=callback)


@unittest.skipUnless(HAS_NVCC, "no nvcc on this machine")
class Judging(unittest.TestCase):
    def setUp(self):
        self.exercise = _judge.load_catalogue(ROOT).find(72)
        self.folder = pathlib.Path(self.exercise.reference).parent

    def judge(self, path, **arguments):
        return _judge.judge(self.exercise, path.read_bytes(), source_path=path, **arguments)

    def test_the_reference_is_accepted_with_progress_while_other_threads_run(self):
        seen, ticks, stop = [], [], threading.Event()

        def tick():
            while not stop.wait(0.005):
                ticks.append(1)

        other = threading.Thread(target=tick)
        other.start()
        report = self.judge(pathlib.Path(self.exercise.reference), seed=5, progress=lambda *e: seen.append(e))
        stop.set()
        other.join()
        self.assertEqual(report.verdict, "accepted", report.to_text())
        self.assertEqual((report.exit_status, report.accepted, report.partial, report.seed), (0, True, False, 5))
        self.assertGreater(len(ticks), 5)
        cases = len(self.exercise.cases)
        self.assertEqual(seen[:2], [("compile", 0, 1), ("compile", 1, 1)])
        self.assertEqual(seen[2:], [("case", i, cases) for i in range(cases + 1)])
        self.assertTrue(all(r.met for r in report.requirements))
        self.assertEqual(report.to_dict(), json.loads(report.to_json(indent=0)))

    def test_one_case_and_the_same_seed_give_the_same_sizes(self):
        path = self.folder / "wrong" / "left_halo_missing.cu"
        reports = [self.judge(path, case="hidden", seed=11) for _ in range(2)]
        sizes = [next(c.sizes for c in r.cases if c.ran) for r in reports]
        self.assertEqual(sizes[0], sizes[1])
        self.assertTrue(reports[0].partial)
        self.assertEqual([c.ran for c in reports[0].cases].count(True), 1)
        self.assertEqual(reports[0].verdict, "wrong_answer")

    def test_locations_name_the_file_as_the_student_does(self):
        report = self.judge(self.folder / "wrong" / "no_syncthreads.cu").to_dict()
        fault = next(c for c in report["cases"] if c["ran"])["record"]["launches"][0]["faults"][0]
        self.assertEqual(fault["where"]["file"], "no_syncthreads.cu")
        self.assertIn("tile", fault["where"]["text"])

    def test_control_c_ends_an_endless_submission_at_once(self):
        program = (
            "import _judge, sys\n"
            "exercise = _judge.load_catalogue(sys.argv[1]).find(72)\n"
            "try:\n"
            "    _judge.judge(exercise, open(sys.argv[2], 'rb').read(), progress=lambda *e: print(*e, flush=True))\n"
            "except KeyboardInterrupt:\n"
            "    sys.exit(130)\n"
        )
        path = self.folder / "wrong" / "endless_host_loop.cu"
        with subprocess.Popen([sys.executable, "-c", program, str(ROOT), str(path)], stdout=subprocess.PIPE,
                              text=True) as child:
            for line in child.stdout:
                if line.startswith("case 0"):
                    break
            time.sleep(0.2)
            begin = time.monotonic()
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(timeout=10), 130)
            self.assertLess(time.monotonic() - begin, 3)


if __name__ == "__main__":
    unittest.main()
