#!/usr/bin/env python3
"""Judges the exercises of this course: python3 practice/judge.py 72. Everything it does is in judge/cli."""

import sys

if sys.version_info < (3, 9):
    sys.exit("judge.py needs Python 3.9 or newer; this is %d.%d. Run it with a newer python3." % sys.version_info[:2])

if __name__ == "__main__":
    try:
        import signal
        from pathlib import Path

        root = Path(__file__).resolve().parent.parent
        sys.path.insert(0, str(root / "judge" / "cli"))
        from judge_cli.main import main

        status = main(root, sys.argv[1:])
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # there is nothing left to interrupt, only Python's own end
    except KeyboardInterrupt:  # while Python still reads the program, or a moment after it has ended
        sys.stderr.write("Interrupted.\n")
        status = 130
    sys.exit(status)
