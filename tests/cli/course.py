"""A copy of the course in a temporary folder, and judge.py run in it from outside."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "judge" / "cli"))

from judge_cli.bootstrap import Bootstrap, source_digest  # noqa: E402
from judge_cli.terminal import Terminal  # noqa: E402


class Course:
    """`module`: what stands in build/bin as `_judge`; None leaves the judge unbuilt. `programs`: a built judge's bin."""

    def __init__(self, module=REPOSITORY / "tests" / "cli" / "fake" / "_judge.py", programs=None):
        self._folder = tempfile.TemporaryDirectory(prefix="judge-cli-")
        self.root = Path(self._folder.name)
        os.chmod(self.root, 0o755)
        for name in ("practice", "reference"):
            shutil.copytree(REPOSITORY / name, self.root / name, ignore=shutil.ignore_patterns(".progress*", "*.bak.cu"))
        for stub in self.root.glob("reference/*/stub.cu"):
            shutil.copy(stub, self.file(stub.parent.name))
        for name in REPOSITORY.glob("exercises*.json"):
            shutil.copy(name, self.root)
        if not programs:
            self._keep_exercises(60, 72)
        shutil.copy(REPOSITORY / "CMakePresets.json", self.root)
        (self.root / "judge").mkdir()
        (self.root / "judge" / "cli").symlink_to(REPOSITORY / "judge" / "cli")
        (self.root / "build").mkdir()
        if programs:
            (self.root / "build" / "bin").symlink_to(programs)
            (self.root / "build" / "cache").mkdir()
        elif module:
            (self.root / "build" / "bin").mkdir()
            shutil.copy(module, self.root / "build" / "bin")
        if programs or module:
            Bootstrap(self.root, Terminal()).write_stamp(source_digest(self.root))

    def _keep_exercises(self, *ids):
        """The tests of the commands count exercises; the course that they run in does not grow with the real one."""
        file = self.root / "exercises.json"
        catalogue = json.loads(file.read_text(encoding="utf-8"))
        catalogue["exercises"] = [exercise for exercise in catalogue["exercises"] if exercise["id"] in ids]
        catalogue.pop("quizzes", None)
        file.write_text(json.dumps(catalogue, ensure_ascii=False, indent=2), encoding="utf-8")

    def file(self, folder):
        return self.root / "practice" / folder / (folder[4:] + ".cu")

    def command(self, *arguments, python=sys.executable):
        return [python, str(self.root / "practice" / "judge.py"), *arguments]

    def environment(self, **changes):
        environment = {k: v for k, v in os.environ.items() if k not in ("LANG", "LC_ALL", "LC_MESSAGES", "NO_COLOR")}
        environment.update({"LANG": "C.UTF-8", **changes})
        return environment

    def run(self, *arguments, python=sys.executable, user=None, timeout=120, stdin="", **environment):
        return subprocess.run(self.command(*arguments, python=python), cwd=self.root, env=self.environment(**environment),
                              input=stdin, capture_output=True, text=True, encoding="utf-8", timeout=timeout,
                              user=user)

    def close(self):
        self._folder.cleanup()


def pristine_course():
    """The course with the judge that stands in build/bin."""
    return Course(programs=os.environ.get("JUDGE_PROGRAMS") or REPOSITORY / "build" / "bin")


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("waited in vain")
        time.sleep(0.02)
