"""`judge.py list`: the exercises by chapter, with level, mark and best result."""

from typing import Any, Callable, Dict, List

from .attempts import best_of
from .course import Course, Exercise
from .progress import Progress
from .terminal import Terminal, cut, pad, width_of

_MARKS = {"done": "✓", "tried": "·", "new": " "}


def levels(terminal: Terminal) -> Dict[str, str]:
    tr = terminal.tr
    return {"easy": tr("easy", "简单"), "medium": tr("medium", "中等"), "hard": tr("hard", "困难"), "quiz": tr("quiz", "测验")}


def text(course: Course, progress_of: Callable[[Exercise], Progress], terminal: Terminal) -> List[str]:
    named = levels(terminal)
    level_width = max(width_of(name) for name in named.values())
    slug_width = max([12] + [width_of(e.slug) for e in course])
    lines: List[str] = []
    for chapter, exercises in course.chapters().items():
        states = {e.id: progress_of(e).state(e.folder_name) for e in exercises}
        done = sum(state == "done" for state in states.values())
        title = terminal.style(terminal.text(course.chapter_title(chapter)), "bold")
        lines.append(f"{title}  {terminal.style(f'{done}/{len(exercises)}', 'dim')}")
        for e in exercises:
            state = states[e.id]
            mark = terminal.style(_MARKS[state], "green" if state == "done" else "yellow")
            head = f"  {mark} {e.id:>3}  {pad(e.slug, slug_width)}  {pad(named.get(e.level, e.level), level_width)}  "
            lines.append(head + cut(terminal.text(e.title), terminal.width - width_of(head)))
            result = result_of(e, progress_of(e), terminal)
            if result:
                lines.append(terminal.style(" " * 9 + result, "dim"))
        lines.append("")
    return lines


def result_of(exercise: Exercise, progress: Progress, terminal: Terminal) -> str:
    """When it was accepted, and the best figures of the timed case since; how often it was tried."""
    tr, folder = terminal.tr, exercise.folder_name
    attempts = progress.attempts(folder)
    if not attempts:
        return ""
    tries = tr(f"{attempts} attempt" + ("s" if attempts != 1 else ""), f"{attempts} 次尝试")
    if progress.state(folder) != "done":
        return tries
    parts = [tr(f"accepted {progress.accepted_on(folder)}", f"{progress.accepted_on(folder)} 通过"), tries]
    best = best_of(progress.best(folder), terminal)
    if best:
        parts.append(tr(f"best: {best}", f"最好：{best}"))
    return tr(", ", "，").join(parts)


def as_json(course: Course, progress_of: Callable[[Exercise], Progress]) -> List[Dict[str, Any]]:
    told = []
    for e in course:
        progress = progress_of(e)
        told.append({"id": e.id, "slug": e.slug, "kind": e.kind, "chapter": e.chapter,
                     "chapter_title": course.chapter_title(e.chapter), "level": e.level, "title": e.title,
                     "state": progress.state(e.folder_name), "attempts": progress.attempts(e.folder_name),
                     "accepted": progress.accepted_on(e.folder_name) or None, "best": progress.best(e.folder_name),
                     "hints": len(e.hints), "hints_shown": progress.hints_shown(e.folder_name), "file": str(e.file)})
    return told
