"""The worked example of docs/authoring.md, done as it says there: its commands run, its files written, its exercise proved."""

import json
import re
import unittest

from course import REPOSITORY, pristine_course

PAGE = REPOSITORY / "docs" / "authoring.md"


def steps():
    """("sh" | "file" | "requirement", …) in the order of the page's first section."""
    section = PAGE.read_text(encoding="utf-8").split("\n## ")[1]
    assert section.startswith("An exercise in a quarter of an hour")
    for before, language, text in re.findall(r"((?:[^\n]+\n)+)\n```(\w+)\n(.*?)```", section, re.DOTALL):
        if language == "sh":
            yield "sh", text.replace("\\\n", " ").splitlines(), None
        elif language == "json":
            yield "requirement", json.loads(text), None
        else:
            yield "file", re.findall(r"`(my-course/[^`]+)`", before)[-1], text


class WorkedExample(unittest.TestCase):
    def test_from_nothing_to_a_sound_exercise(self):
        import shlex

        course = pristine_course()
        self.addCleanup(course.close)
        kinds, last = [], None
        for kind, what, text in steps():
            kinds.append(kind)
            if kind == "sh":
                for line in what:
                    words = shlex.split(line)
                    if words[0] == "mkdir":
                        (course.root / words[1]).mkdir()
                        continue
                    self.assertEqual(words[:2], ["python3", "practice/judge.py"])
                    last = course.run(*words[2:])
                    self.assertEqual(last.returncode, 0, line + "\n" + last.stdout + last.stderr)
            elif kind == "file":
                (course.root / what).write_text(text, encoding="utf-8")
            else:
                catalogue = course.root / "my-course" / "exercises.json"
                content = json.loads(catalogue.read_text(encoding="utf-8"))
                content["exercises"][0]["require"].append(what)
                catalogue.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        self.assertEqual(kinds, ["sh", "file", "file", "file", "file", "requirement", "sh"])
        self.assertIn("7 of 7 submissions as expected, 0 errors, 0 warnings", last.stdout)
        self.assertIn("y_scaled_too.cu", last.stdout)


if __name__ == "__main__":
    unittest.main()
