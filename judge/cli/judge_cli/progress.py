"""practice/.progress.json: which exercises were tried, accepted, with which figures, and how many
hints were shown.

Written to a temporary file that then takes the old one's name, so that a crash leaves either the old or the new one. A
damaged file is set aside, never an error: nothing in it is worth stopping a student.
"""

import contextlib
import errno
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, Optional

from . import attempts

VERSION = 1


class Progress:
    def __init__(self, path: Path):
        self._path = path
        self.damaged = ""  # where a damaged file was put
        self.unreadable = ""  # why the file could not be read
        self._exercises: Dict[str, Dict[str, Any]] = self._read()

    def _read(self) -> Dict[str, Dict[str, Any]]:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            exercises = content["exercises"]
            if content["version"] != VERSION or not all(isinstance(v, dict) for v in exercises.values()):
                raise ValueError
            return exercises
        except FileNotFoundError:
            return {}
        except OSError as error:  # another user's, say: nothing is wrong with what is in it
            self.unreadable = f"{self._path}: {error.strerror}"
            return {}
        except (ValueError, KeyError, TypeError, AttributeError):
            self._set_aside()
            return {}

    def _set_aside(self) -> None:
        """Under the first name that is free: an earlier damaged file is kept too."""
        number = 1
        while True:
            aside = self._path.with_name(f"{self._path.name}.damaged" + (f".{number}" if number > 1 else ""))
            try:
                os.link(self._path, aside)
                os.unlink(self._path)
                self.damaged = str(aside)
                return
            except FileExistsError:
                number += 1
            except OSError:
                return

    def _write(self) -> None:
        if self.unreadable:  # it would replace what could not be read
            raise PermissionError(errno.EACCES, self.unreadable)
        content = json.dumps({"version": VERSION, "exercises": self._exercises}, indent=1, sort_keys=True) + "\n"
        descriptor, name = tempfile.mkstemp(prefix=".progress.", dir=self._path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(content)
                umask = os.umask(0)
                os.umask(umask)
                os.fchmod(file.fileno(), 0o666 & ~umask)  # mkstemp's 0600 would keep a copy of the course from being made
            os.replace(name, self._path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
            raise

    def _count(self, folder: str, key: str) -> int:
        value = self._exercises.get(folder, {}).get(key, 0)
        return value if isinstance(value, int) and value > 0 else 0

    def state(self, folder: str) -> str:
        """"done", "tried" or "new"."""
        entry = self._exercises.get(folder, {})
        return "done" if entry.get("accepted") else "tried" if self._count(folder, "attempts") else "new"

    def hints_shown(self, folder: str) -> int:
        return self._count(folder, "hints")

    def attempts(self, folder: str) -> int:
        return self._count(folder, "attempts")

    def accepted_on(self, folder: str) -> str:
        """The day of the first acceptance, 2026-11-30; "" before that."""
        when = self._exercises.get(folder, {}).get("accepted", "")
        return when[:10] if isinstance(when, str) else ""

    def last_attempt(self, folder: str) -> Optional[Dict[str, Any]]:
        return self._kept(folder, "attempt")

    def best(self, folder: str) -> Optional[Dict[str, Any]]:
        """The accepted attempt with the best figures, as attempts.py keeps them."""
        return self._kept(folder, "best")

    def _kept(self, folder: str, key: str) -> Optional[Dict[str, Any]]:
        value = self._exercises.get(folder, {}).get(key)
        return value if isinstance(value, dict) and isinstance(value.get("figures", {}), dict) else None

    def record_verdict(self, folder: str, verdict: str, attempt: Optional[Dict[str, Any]] = None) -> None:
        entry = self._exercises.setdefault(folder, {})
        entry["attempts"] = self._count(folder, "attempts") + 1
        entry["last"] = verdict
        if verdict == "accepted" and not entry.get("accepted"):
            entry["accepted"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        if attempt is not None:
            entry["attempt"] = attempt
            if verdict == "accepted" and attempts.better(attempt, self.best(folder)):
                entry["best"] = attempt
        self._write()

    def record_hints(self, folder: str, count: int) -> None:
        self._exercises.setdefault(folder, {})["hints"] = count
        self._write()
