#!/usr/bin/env python3
"""Judges the exercises of this course: python3 practice/judge.py 72. Everything it does is in judge/cli."""

import sys

if sys.version_info < (3, 9):
    sys.exit("judge.py needs Python 3.9 or newer; this is %d.%d. Run it with a newer python3." % sys.version_info[:2])

from pathlib import Path  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "judge" / "cli"))

from judge_cli.main import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(ROOT, sys.argv[1:]))
