"""A stand-in for the judge's module, so that the command line is tested alone: the real exercises.json, invented verdicts.

A submission gets the verdict that its text asks for with `fake: <verdict>`, and wrong_answer otherwise.
"""

import json
import os
import re
import time
from pathlib import Path
from types import SimpleNamespace

GPUS = ("t4", "a100", "h100", "h200", "rtx4090")
STATUS = {"accepted": 0, "judge_error": 3, "compile_error": 10, "runtime_error": 11, "race": 15, "wrong_answer": 18}


class CatalogueError(ValueError):
    pass


class _Catalogue:
    def __init__(self, exercises):
        self.exercises = exercises

    def find(self, name):
        for e in self.exercises:
            if name == e.slug or str(name).isdigit() and int(name) == e.id:
                return e
        return None

    def __len__(self):
        return len(self.exercises)

    def __iter__(self):
        return iter(self.exercises)


def load_catalogue(root, schema=None):
    root = Path(root)
    try:
        content = json.loads((root / "exercises.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise CatalogueError(f"exercises.json: {error}") from error
    exercises = []
    for e in content["exercises"]:
        folder = f"{e['id']:03d}_{e['slug']}"
        place = root / "practice" / folder
        exercises.append(SimpleNamespace(
            id=e["id"], slug=e["slug"], chapter=e["chapter"], level=e["level"], title=e["title"], folder_name=folder,
            hints=e["hints"], entry=e["entry"], entry_name=e["entry"].split("(")[0].split()[-1], root=str(root),
            reference=str(root / "reference" / folder / (e["slug"] + ".cu")),
            cpu_reference=str(root / "reference" / folder / (e["slug"] + "_cpu.cpp")), stub=str(place / (e["slug"] + ".cu")), cases=[SimpleNamespace(
                name=c["name"]["en"], title=c["name"], hidden=c.get("hidden", False), timed=c.get("timed", False))
                for c in e["cases"]],
            statements={"en": str(place / "statement.md"), "zh": str(place / "statement.zh.md")}))
    return _Catalogue(exercises)


class _Report:
    def __init__(self, exercise, verdict, source_path, seed, device):
        self.exercise, self.verdict, self.source_path, self.seed, self.device = exercise, verdict, source_path, seed, device
        self.exit_status = STATUS[verdict]

    def to_dict(self):
        return {"exercise_id": self.exercise.id, "verdict": self.verdict, "source_path": self.source_path,
                "seed": self.seed, "device": self.device}

    def to_json(self, indent=2):
        return json.dumps(self.to_dict(), indent=indent)

    def to_text(self, colour=False, width=100, lang="en"):
        return f"verdict: {self.verdict} lang={lang} colour={colour}\n"


def judge(exercise, source, *, source_path="", device="auto", gpu="t4", case=None, seed=None, progress=None, **_):
    if device == "gpu":
        raise ValueError("this version has no GPU backend")
    if gpu not in GPUS:
        raise ValueError(f"there is no GPU {gpu!r}: known are {', '.join(GPUS)}")
    if case is not None and case not in [c.name for c in exercise.cases]:
        raise ValueError(f"no case {case!r}")
    if progress:
        progress("compile", 0, 1)
        progress("case", 0, 2)
    if b"fake: slow" in source:
        Path(os.environ["FAKE_STARTED"]).touch()
        time.sleep(30)
    asked = re.search(rb"fake: (\w+)", source)
    return _Report(exercise, asked.group(1).decode() if asked else "wrong_answer", source_path, seed or 1, device)


_WRONG = "wrong_answer"


def check_items(exercise):
    """A stub, a reference and four wrong submissions; none of the files is looked at."""
    def item(kind, name, expected):
        return SimpleNamespace(kind=kind, path=f"/nowhere/{name}.cu", expected=expected, verdict="", ok=False, note="", wall_ms=1)

    return [item("stub", "stub", "not accepted"), item("reference", "reference", "accepted"),
            *(item("wrong", f"wrong_{k}", _WRONG) for k in range(4))]


def check_item(exercise, item, *, seed=None, **_):
    if os.environ.get("FAKE_SLOW_CHECK"):
        Path(os.environ["FAKE_STARTED"]).touch()
        for _ in range(600):
            if _cancelled:
                raise KeyboardInterrupt
            time.sleep(0.05)
    unsound = exercise.id == int(os.environ.get("FAKE_UNSOUND", "0"))
    item.verdict = "accepted" if item.kind == "reference" or unsound else _WRONG
    item.ok = item.verdict == ("accepted" if item.kind == "reference" else _WRONG)
    cases = [SimpleNamespace(name=c.name, title=c.title, hidden=c.hidden, timed=c.timed, ran=True, sizes={"n": 1},
                             verdict=item.verdict) for c in exercise.cases]
    item.report = SimpleNamespace(cases=cases, requirements=[], requirement_case="", build=SimpleNamespace(ok=True))
    return item


_cancelled = []


def cancel_all():
    _cancelled.append(True)


def cache_dir(root):
    return Path(os.environ.get("CUDA_JUDGE_CACHE") or Path(root) / "build" / "cache")


def doctor(program_dir=None):
    return SimpleNamespace(
        version="0.1.0", instruction_set="avx2", gpus=[], emulated_gpus=list(GPUS), programs={"judge-device": True, "judge-host": False},
        layers=[SimpleNamespace(name="landlock", available=True, detail="ABI 4"),
                SimpleNamespace(name="seccomp", available=False, detail="the kernel lacks it")])
