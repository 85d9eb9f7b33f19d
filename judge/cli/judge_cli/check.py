"""`judge.py check`: proves that exercises are sound and says what is missing. Submissions of all exercises are judged side
by side, each exercise is told as soon as it and those before it are through."""

import json
import queue
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional

from .check_findings import Finding, findings_of
from .check_table import table_of
from .terminal import Terminal


class Proof:
    """One exercise and what became of its submissions, in the order of check_items()."""

    def __init__(self, exercise: Any, items: List[Any]):
        self.exercise = exercise
        self.items: List[Any] = items
        self.left = len(items)
        self.wall_s = 0.0

    def findings(self) -> List[Finding]:
        return findings_of(self.exercise, self.items)


class Check:
    def __init__(self, judge: Any, terminal: Terminal, cache_dir: str, seed: Optional[int], jobs: int):
        self._judge, self._terminal, self._cache_dir, self._seed, self._jobs = judge, terminal, cache_dir, seed, jobs
        self._tasks: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        self._through: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        self._done = self._total = 0

    def run(self, exercises: List[Any], each: Callable[[Proof], None]) -> None:
        """Calls each(proof) in the order of the exercises. Ctrl-C ends what runs."""
        proofs = [Proof(exercise, list(self._judge.check_items(exercise))) for exercise in exercises]
        for proof in proofs:
            for number in range(len(proof.items)):
                self._tasks.put((proof, number))
        self._total = sum(len(proof.items) for proof in proofs)
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(min(self._jobs, self._total))]
        started = time.monotonic()
        for worker in workers:
            worker.start()
        try:
            told = 0
            while told < len(proofs):
                self._show_count()
                self._take_one(started)
                while told < len(proofs) and proofs[told].left == 0:
                    self._terminal.erase_line()
                    each(proofs[told])
                    sys.stdout.flush()
                    told += 1
        except BaseException:
            self._judge.cancel_all()
            for worker in workers:
                worker.join(timeout=2)
            raise
        finally:
            self._terminal.erase_line()

    def _take_one(self, started: float) -> None:
        while True:
            try:
                proof, number, outcome = self._through.get(timeout=0.2)  # without a timeout Ctrl-C would wait as well
                break
            except queue.Empty:
                continue
        if isinstance(outcome, BaseException):
            raise outcome
        proof.items[number] = outcome
        proof.left -= 1
        proof.wall_s = time.monotonic() - started
        self._done += 1

    def _work(self) -> None:
        while True:
            try:
                proof, number = self._tasks.get_nowait()
            except queue.Empty:
                return
            try:
                outcome = self._judge.check_item(proof.exercise, proof.items[number], seed=self._seed,
                                                 cache_dir=self._cache_dir)
            except BaseException as error:  # for the thread that waits
                outcome = error
            self._through.put((proof, number, outcome))
            if isinstance(outcome, BaseException):
                return

    def _show_count(self) -> None:
        word = self._terminal.tr("submission", "提交")
        self._terminal.show_line(f"{word} {min(self._done + 1, self._total)}/{self._total} …")


def text_of(proof: Proof, findings: List[Finding], terminal: Terminal) -> str:
    tr, exercise = terminal.tr, proof.exercise
    errors = sum(finding.is_error for finding in findings)
    head = f"{exercise.id} {exercise.slug}: {terminal.text(exercise.title)}"
    lines = [terminal.style(head, "bold"), ""]
    lines += table_of(exercise, proof.items, terminal)
    lines.append("")
    for finding in findings:
        mark = terminal.style("✗", "red") if finding.is_error else terminal.style("!", "yellow")
        lines += terminal.paragraph(terminal.text(finding.message), f"  {mark} ", "    ")
    if findings:
        lines.append("")
    as_expected = sum(item.ok for item in proof.items)
    lines.append(tr(
        f"{as_expected} of {len(proof.items)} submissions as expected, {_count(errors, 'error')}, "
        f"{_count(len(findings) - errors, 'warning')}",
        f"{len(proof.items)} 份提交中 {as_expected} 份符合预期，{errors} 个错误，{len(findings) - errors} 个警告"))
    return "\n".join(lines) + "\n"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def as_json(proof: Proof, findings: List[Finding]) -> Dict[str, Any]:
    return {
        "id": proof.exercise.id, "slug": proof.exercise.slug, "ok": not any(f.is_error for f in findings),
        "submissions": [
            {"kind": item.kind, "file": item.path, "expected": item.expected, "verdict": item.verdict, "ok": item.ok,
             "note": item.note, "wall_ms": round(item.wall_ms),
             "cases": {case.name: case.verdict or None for case in item.report.cases}}
            for item in proof.items],
        "findings": [{"severity": "error" if f.is_error else "warning", "kind": f.kind, "message": f.message}
                     for f in findings]}


def run(judge: Any, exercises: List[Any], terminal: Terminal, cache_dir: str, seed: Optional[int], jobs: int,
        as_json_wanted: bool) -> "tuple[bool, List[Dict[str, Any]]]":
    """Whether all are sound; and, when wanted, what --json prints instead of the text."""
    sound, told = True, []

    def each(proof: Proof) -> None:
        nonlocal sound
        findings = proof.findings()
        sound = sound and not any(f.is_error for f in findings)
        if as_json_wanted:
            told.append(as_json(proof, findings))
        else:
            terminal.out(text_of(proof, findings, terminal))

    Check(judge, terminal, cache_dir, seed, jobs).run(exercises, each)
    return sound, told


def dump(told: List[Dict[str, Any]]) -> str:
    return json.dumps(told, indent=2, ensure_ascii=False)
