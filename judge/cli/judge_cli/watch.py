"""Judges a file again whenever it is saved. Polls: works on every file system, and a save is seen within half a second."""

import os
import time
from typing import Callable, Optional, Tuple

POLL_SECONDS = 0.2

Mark = Optional[Tuple[int, int, int]]


def mark_of(path: str) -> Mark:
    """Changes when the file is written or replaced; None while an editor has moved it away."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def wait_for_save(path: str, before: Mark, sleep: Callable[[float], None] = time.sleep) -> None:
    """Returns when the file exists, differs from `before`, and has been left alone for one poll."""
    last = before
    while True:
        sleep(POLL_SECONDS)
        now = mark_of(path)
        if now is not None and now != before and now == last:
            return
        last = now
