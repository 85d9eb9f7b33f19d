"""Quizzes with the real judge: what the emulator counts against answers worked out by hand, and the ways of answering."""

import json
import unittest

from course import pristine_course

from judge_cli.quiz import number_of
from judge_cli.quiz_kernels import Access

# By hand, from the rules in the statements (and DESIGN.md, section 6); the judge itself keeps no such list.
SECTORS = "4 5 8 32 1 4 8 16 16 4 3 1".split()
BANKS = "1 1 0 32 1 0 7 0 4 1 4 0 4".split()
CHOICES = "2 2 1 3 2 3 2 1 2 2 2".split()


class Quizzes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.course = pristine_course()
        cls.addClassCleanup(cls.course.close)

    def answers(self, words):
        file = self.course.root / "answers.txt"
        file.write_text("# my answers\n\n" + "\n".join(words) + "\n")
        return str(file)

    def test_the_emulator_counts_what_was_worked_out_by_hand(self):
        for quiz, words in (("61", SECTORS), ("65", BANKS), ("84", CHOICES)):
            run = self.course.run(quiz, "--answers", self.answers(words), "--json")
            told = json.loads(run.stdout)
            self.assertEqual([a["expected"] for a in told["answers"]], words, quiz)
            self.assertEqual((run.returncode, told["right"], told["questions"]), (0, len(words), len(words)))
        self.assertRegex(self.course.run("list").stdout, r"✓\s+61  count_sectors\s+quiz")

    def test_a_wrong_answer_is_explained_lane_by_lane(self):
        wrong = ["999"] + SECTORS[1:]
        run = self.course.run("count_sectors", "--answers", self.answers(wrong))
        self.assertEqual(run.returncode, 18, run.stdout)
        for text in ("Question 1 of 12", "const float value = in[threadIdx.x];  // <--", "answer: 999", "✗ it is 4",
                     "sector", "4 sectors of 32 bytes", "✓ right", "11 of 12 right."):
            self.assertIn(text, run.stdout)
        self.assertLessEqual(max(map(len, run.stdout.splitlines())), 100)
        chinese = self.course.run("65", "--answers", self.answers(BANKS), "--lang", "zh")
        self.assertEqual(chinese.returncode, 0)
        self.assertIn("存储体", chinese.stdout)
        self.assertIn("13 题中答对 13 题", chinese.stdout)

    def test_answers_from_stdin_one_at_a_time(self):
        run = self.course.run("84", stdin="\n".join(["nonsense", "9", *CHOICES]) + "\n")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(run.stdout.count("A number, please"), 2)
        self.assertIn("the constant cache is made for", run.stdout)
        half = self.course.run("84", stdin="2\n1\n")
        self.assertEqual(half.returncode, 18)
        self.assertIn("1 of 11 right.", half.stdout)

    def test_wrong_usage(self):
        for arguments, status, word in (
                (("61", "--json"), 2, "--answers"), (("61", "x.cu"), 2, "no file to judge"), (("60", "--answers", "x"), 2, "no quiz"),
                (("61", "--answers", "/nowhere"), 2, "/nowhere"), (("61", "--answers", self.answers(["1"] * 13)), 2, "13 answers"),
                (("reset", "61"), 2, "quiz")):
            run = self.course.run(*arguments)
            self.assertEqual((run.returncode, run.stdout), (status, ""), arguments)
            self.assertIn(word, run.stderr)

    def test_check_proves_a_quiz(self):
        run = self.course.run("check", "65", "84")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("down_a_column: shared_load_wavefronts = 32", run.stdout)
        file = self.course.root / "practice" / "065_find_conflicts" / "questions.cu"
        text = file.read_text()
        try:
            file.write_text(text.replace("tile[threadIdx.x];  // <--", "1;  // <--", 1))
            run = self.course.run("check", "65")
            self.assertEqual(run.returncode, 1)
            self.assertIn("makes no access", run.stdout)
            file.write_text(text.replace("fill(tile);", "fill(tile)"))
            run = self.course.run("check", "65")
            self.assertEqual(run.returncode, 1)
            self.assertIn("does not run", run.stdout)
            self.assertIn("expected a \";\"", run.stdout)
        finally:
            file.write_text(text)


class Pictures(unittest.TestCase):
    def shared(self, bytes_each, addresses):
        return Access({"space": "shared", "bytes": bytes_each, "addresses": addresses + [None] * (32 - len(addresses))})

    def test_groups_merge_once(self):
        same_pairs = self.shared(8, [8 * (lane // 2) for lane in range(32)])
        self.assertEqual([len(g) for g in same_pairs.groups()], [32])
        all_the_same = self.shared(16, [0] * 32)  # of four groups two remain: they merge once
        self.assertEqual([len(g) for g in all_the_same.groups()], [16, 16])
        odd = self.shared(8, [8 * (lane // 2) for lane in range(31)])  # lane 30 has no partner
        self.assertEqual([len(g) for g in odd.groups()], [16, 15])

    def test_sectors_that_an_element_straddles(self):
        access = Access({"space": "global", "bytes": 16, "addresses": [24] + [None] * 31})
        self.assertEqual((access.sectors_of(0), access.sectors()), ([0, 1], 2))

    def test_numbers(self):
        for text, value in (("16", 16), ("1,024", 1024), (" 1/4 ", 0.25), ("25 %", 0.25), ("0.5", 0.5)):
            self.assertEqual(float(number_of(text)), value)
        for text in ("", "x", "1/0", "--1", "1 2"):
            self.assertIsNone(number_of(text), text)


if __name__ == "__main__":
    unittest.main()
