"""Runs `judge.py check` on a pristine copy of the course, so that a student's edits under practice/ do not matter."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))

from course import pristine_course  # noqa: E402

course = pristine_course()
try:
    run = course.run("check", *sys.argv[1:], timeout=900)
    print(run.stdout, run.stderr, sep="\n")
    sys.exit(run.returncode)
finally:
    course.close()
