"""The table of `judge.py check`: submissions × cases, with the verdict of each that failed; never wider than the terminal."""

import os
from typing import Any, Dict, List

from .terminal import Terminal, cut, pad, width_of

# Two letters in a cell; those that occur are explained under the table.
LETTERS = {
    "judge_error": "JE", "compile_error": "CE", "runtime_error": "RE", "time_limit": "TL", "memory_limit": "ML",
    "output_limit": "OL", "race": "RC", "barrier_error": "BE", "uninitialized_read": "UR", "wrong_answer": "WA",
    "requirement_not_met": "RQ", "inconclusive": "IN", "accepted": "ok"}
_CELL = 3
_NAME = 30


def failed_in(item: Any) -> Dict[str, str]:
    """By case: the verdict there, of the cases that ran. A budget is missed in the case that it is measured in."""
    verdicts = {case.name: case.verdict for case in item.report.cases if case.ran}
    if item.verdict == "requirement_not_met" and item.report.requirement_case in verdicts:
        verdicts[item.report.requirement_case] = item.verdict
    return verdicts


def table_of(exercise: Any, items: List[Any], terminal: Terminal) -> List[str]:
    tr = terminal.tr
    head = 4 + 10 + _NAME + 1 + 20
    per_part = max(1, (terminal.width - head) // _CELL)
    names = [case.name for case in exercise.cases]
    lines: List[str] = []
    used = set()
    for begin in range(0, len(names), per_part):
        part = names[begin:begin + per_part]
        numbers = "".join(f"{begin + k + 1:>{_CELL}}" for k in range(len(part)))
        title = pad(pad(tr("    submission", "    提交"), 4 + 10 + _NAME + 1) + tr("verdict", "判定"), head)
        lines.append(terminal.style((title + numbers).rstrip(), "dim"))
        for item in items:
            lines.append(_row(item, part, terminal, used))
        lines.append(_caught(items, part, head, terminal))
        lines.append("")
    lines += terminal.paragraph(tr("cases: ", "用例：") + ", ".join(
        f"{k + 1} {terminal.text(case.title)}" for k, case in enumerate(exercise.cases)), "  ", "  ")
    known = [f"{LETTERS[v]} {v}" for v in LETTERS if v in used]
    if known:
        lines += terminal.paragraph(", ".join(known) + tr(", – not run", "，– 未运行"), "  ", "  ")
    return lines


def _row(item: Any, part: List[str], terminal: Terminal, used: set) -> str:
    mark = terminal.style("✓", "green") if item.ok else terminal.style("✗", "red")
    name = pad(cut(os.path.basename(item.path), _NAME), _NAME)
    verdict = item.verdict or "–"
    verdicts, cells = failed_in(item), ""
    for case in part:
        found = verdicts.get(case)
        cell = "–" if found is None else "·" if found == "accepted" else LETTERS.get(found, "??")
        if found and found != "accepted":
            used.add(found)
        style = "dim" if found in (None, "accepted") else "yellow"
        cells += " " * (_CELL - width_of(cell)) + terminal.style(cell, style)
    return f"  {mark} {pad(item.kind, 9)} {name} {pad(verdict, 20)}{cells}"


def _caught(items: List[Any], part: List[str], head: int, terminal: Terminal) -> str:
    caught = [sum(failed_in(i).get(case, "accepted") != "accepted" for i in items if i.kind == "wrong") for case in part]
    words = terminal.tr("    wrong submissions caught here", "    在此被发现的错误提交")
    return terminal.style(pad(words, head) + "".join(f"{n:>{_CELL}}" for n in caught), "dim")
