"""docs/programs/: each demonstration run as its page says, its output compared with the page, its table with what was counted."""

import json
import re
import shlex
import unittest

from course import REPOSITORY, pristine_course

FOLDER = REPOSITORY / "docs" / "programs"
# What a column of a program's table foretells, from 0 after the kernel's name: the counter, and what it is counted per.
FORETOLD = {
    "stride_and_offset": {0: ("global_load_sectors", "global_load_requests")},
    "bank_conflicts": {0: ("shared_load_wavefronts", "shared_load_instructions"),
                       1: ("shared_load_conflicts", "shared_load_instructions")},
    "vector_loads": {0: ("global_load_requests", None), 1: ("global_load_sectors", None),
                     2: ("global_load_sectors", "global_load_requests")},
    "structure_layouts": {1: ("global_load_sectors", "global_load_requests")},
}
TRANSFERS = {
    ("pinned_transfers", "pageable"): {"copied_to_device_bytes": 262144, "async_copy_bytes": 0, "overlapped_copy_bytes": 0},
    ("pinned_transfers", "pinned"): {"async_copy_bytes": 524288, "overlapped_copy_bytes": 524288, "unwaited_copies": 0,
                                     "clashing_copies": 0},
    ("managed_prefetch", "on_demand"): {"managed_bytes": 524288, "prefetched_bytes": 0},
    ("managed_prefetch", "prefetch"): {"managed_bytes": 524288, "prefetched_bytes": 524288},
}


def sessions():
    """(words of the command, the page's blocks after it): its standard output, then lines of the report."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for command, rest in re.findall(r"```sh\npython3 practice/judge.py (run .*?)\n```\n(.*?)(?=```sh|\Z)", page, re.DOTALL):
        yield shlex.split(command), re.findall(r"```text\n(.*?)```", rest, re.DOTALL)


class Demonstrations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.course = pristine_course()
        cls.addClassCleanup(cls.course.close)
        (cls.course.root / "docs").mkdir()
        (cls.course.root / "docs" / "programs").symlink_to(FOLDER)

    def test_the_page_is_true(self):
        shown = set()
        for words, (output, *of_report) in sessions():
            name = re.fullmatch(r"docs/programs/(\w+)\.cu", words[1]).group(1)
            with self.subTest(words=words):
                told = self.course.root / "told.json"
                at = words.index("--") if "--" in words else len(words)
                run = self.course.run(*words[:at], "--json", str(told), *words[at:])
                self.assertEqual((run.returncode, run.stdout), (0, output), run.stderr)
                lines = iter(run.stderr.splitlines())
                for line in "".join(of_report).splitlines():
                    self.assertIn(line, lines, "in this order, in\n" + run.stderr)  # what it passes on the way is used up
                report = json.loads(told.read_text(encoding="utf-8"))
                self.check_table(FORETOLD.get(name, {}), output, report["kernels"])
                wanted = TRANSFERS.get((name, words[-1]), {})
                self.assertEqual({key: report["transfers"][key] for key in wanted}, wanted)
                shown.add((name, words[-1]) if wanted else name)
        self.assertEqual(shown, set(FORETOLD) | set(TRANSFERS))
        self.assertEqual({path.stem for path in FOLDER.glob("*.cu")}, set(FORETOLD) | {name for name, _ in TRANSFERS})

    def check_table(self, foretold, output, kernels):
        counted = {kernel["kernel"]: kernel["counters"] for kernel in kernels}
        rows = [re.fullmatch(r"(\w+<.*?>)\s+(.*)", line) for line in output.splitlines()[1:]] if foretold else []
        self.assertEqual(len(rows), len(counted) if foretold else 0)
        for row in rows:
            counters = counted[row.group(1)]
            for column, (counter, per) in foretold.items():
                self.assertEqual(float(row.group(2).split()[column]), counters[counter] / (counters[per] if per else 1),
                                 f"{row.group(1)}: {counter}")

    def test_a_demonstration_says_what_argument_it_wants(self):
        run = self.course.run("run", "docs/programs/managed_prefetch.cu")
        self.assertEqual((run.returncode, run.stderr), (2, "say how the memory should get to the device: on_demand or prefetch\n"))


if __name__ == "__main__":
    unittest.main()
