"""`judge.py new SLUG`: a complete exercise that passes `check`, written from its prototype. Nothing is ever overwritten."""

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

from .course import Course
from .new_files import SIZES, TYPES, Parameter, files_of
from .terminal import Terminal, UserError

LEVELS = ("easy", "medium", "hard")
_SLUG = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_STATUS_CATALOGUE = 3


def parser(make: Any) -> argparse.ArgumentParser:
    p = make("new", "judge.py new SLUG [options]",
             "Writes a complete exercise that passes check: catalogue entry, stub, reference, CPU reference, statements in\n"
             "English and Chinese, four wrong submissions. What is not given is asked, or chosen where nobody can be asked.")
    p.add_argument("slug", metavar="SLUG", help="its short name: lower-case letters, digits, _ and -")
    p.add_argument("--id", type=int, metavar="N", help="1 to 999; otherwise the first free number after the last exercise")
    p.add_argument("--level", choices=LEVELS, help="otherwise medium")
    p.add_argument("--chapter", metavar="SLUG", help="one of the catalogue's chapters; otherwise that of the last exercise")
    p.add_argument("--title", metavar="TEXT", help="in English")
    p.add_argument("--title-zh", metavar="TEXT", help="in Chinese")
    p.add_argument("--entry", metavar="PROTOTYPE",
                   help='what students write: "void NAME(const float* x, float* y, int n)". A pointer to const is an input, '
                        "another pointer an output, an integer a size, a real number a scalar")
    return p


def run(built_in: Path, root: Path, course: Course, terminal: Terminal, options: argparse.Namespace) -> int:
    """`root`: the catalogue that is written to. `course`: every exercise whose id and name are taken."""
    tr = terminal.tr
    if not _SLUG.fullmatch(options.slug):
        raise UserError(tr(f"{options.slug!r} is no slug: lower-case letters, digits, _ and -, starting with a letter, at most 40.",
                           f"{options.slug!r} 不是合法的短名：小写字母、数字、_ 和 -，以字母开头，最多 40 个字符。"))
    ask = _Asker(terminal)
    number = options.id if options.id is not None else ask(tr("id", "编号"), str(_free_id(course)), _number)
    _refuse_taken(course, root, number, options.slug, terminal)
    chapters = _chapters_of(root)
    default_chapter = next((e.chapter for e in reversed(course.exercises) if e.root == root),
                           next(reversed(chapters), "exercises"))
    chapter = options.chapter or ask(tr("chapter", "章节"), default_chapter, str)
    if chapters and chapter not in chapters:
        raise UserError(tr(f"There is no chapter {chapter!r}; expected one of: {', '.join(chapters)}.",
                           f"没有章节 {chapter!r}；可用的章节：{', '.join(chapters)}。"))
    level = options.level or ask(tr("level", "难度"), "medium", _level)
    title = options.title or ask(tr("title", "标题"), options.slug.replace("_", " ").replace("-", " ").capitalize(), str)
    title_zh = options.title_zh or ask(tr("title in Chinese", "中文标题"), title, str)
    name = options.slug.replace("-", "_")
    entry = options.entry or ask(tr("prototype", "函数原型"), f"void {name}(const float* x, float* y, int n)", str)
    function, parameters = _parsed(entry, terminal)

    folder = f"{number:03d}_{options.slug}"
    files = files_of(number, options.slug, level, title, title_zh, chapter, entry, function, parameters)
    catalogue = root / "exercises.json"
    text = catalogue.read_text(encoding="utf-8") if catalogue.exists() else _empty_catalogue(built_in, root, chapter)
    changed = with_entry(text, number, files.entry)
    for relative, content in files.texts.items():
        path = root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(content)
    _replace(catalogue, changed)
    terminal.out(tr(f"Exercise {number} is there, and complete:", f"练习 {number} 已创建，内容完整："))
    for relative in ["exercises.json", *files.texts]:
        terminal.out(f"  {os.path.relpath(root / relative)}")
    terminal.out(tr(f"Prove it: judge.py check {number}. Then make it yours; docs/authoring.md explains every field.",
                    f"验证：judge.py check {number}。然后改成你自己的内容；docs/authoring.md 解释了每个字段。"))
    return 0


class _Asker:
    """Asks where somebody can answer, and takes the proposal otherwise."""

    def __init__(self, terminal: Terminal):
        self._terminal = terminal
        self._asks = sys.stdin.isatty()

    def __call__(self, what: str, proposal: str, convert: Callable[[str], Any]) -> Any:
        while self._asks:
            try:
                given = input(f"{what} [{proposal}]: ").strip() or proposal
            except EOFError:
                self._asks = False
                break
            try:
                return convert(given)
            except ValueError as error:
                self._terminal.out(str(error))
        return convert(proposal)


def _number(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 999:
        raise ValueError(f"{text!r} is no id: a whole number from 1 to 999")
    return int(text)


def _level(text: str) -> str:
    if text not in LEVELS:
        raise ValueError(f"{text!r} is no level: one of {', '.join(LEVELS)}")
    return text


def _free_id(course: Course) -> int:
    taken = {e.id for e in course}
    return next((n for n in range(max(taken, default=0) + 1, 1000) if n not in taken),
                next(n for n in range(1, 1000) if n not in taken))


def _refuse_taken(course: Course, root: Path, number: int, slug: str, terminal: Terminal) -> None:
    tr = terminal.tr
    if not 1 <= number <= 999:
        raise UserError(tr(f"{number} is no id: 1 to 999.", f"{number} 不是合法的编号：1 到 999。"))
    for e in course:
        if e.id == number or e.slug == slug:
            what = tr("id", "编号") if e.id == number else tr("name", "短名")
            raise UserError(tr(f"Exercise {e.id} ({e.slug}) has that {what} already. Free: {_free_id(course)}.",
                               f"练习 {e.id}（{e.slug}）已使用该{what}。可用编号：{_free_id(course)}。"))
    for place in ("practice", "reference"):
        folder = root / place / f"{number:03d}_{slug}"
        if folder.exists():
            raise UserError(tr(f"{folder} is there already, and nothing is overwritten.", f"{folder} 已存在，不会覆盖任何内容。"))


def _chapters_of(root: Path) -> Dict[str, Any]:
    """In the catalogue's order. Of a catalogue that is not there yet: none, and any will do."""
    try:
        content = json.loads((root / "exercises.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return {chapter["slug"]: chapter for chapter in content["chapters"]}


def _parsed(entry: str, terminal: Terminal) -> "tuple[str, List[Parameter]]":
    def refuse(why: str, zh: str) -> None:
        raise UserError(terminal.tr(f"--entry {entry!r}: {why}.", f"--entry {entry!r}：{zh}。"))

    match = re.fullmatch(r"\s*void\s+([A-Za-z_]\w*)\s*\((.*)\)\s*;?\s*", entry)
    if not match:
        refuse("expected void NAME(PARAMETERS)", "应为 void 函数名(参数)")
    parameters: List[Parameter] = []
    for text in match.group(2).split(","):
        one = re.fullmatch(r"\s*(const\s+)?([A-Za-z_][\w: ]*?)\s*(\*?)\s*([A-Za-z_]\w*)\s*", text)
        kind = " ".join(one.group(2).split()) if one else ""
        is_pointer = bool(one and one.group(3))
        if not one or kind not in TYPES and (is_pointer or kind not in SIZES):
            refuse(f"{text.strip()!r} is no parameter that a skeleton can be made of; types: {', '.join(TYPES)}",
                   f"无法为参数 {text.strip()!r} 生成骨架；可用类型：{'、'.join(TYPES)}")
        role = ("in" if one.group(1) else "out") if is_pointer else "size" if kind in SIZES else "scalar"
        parameters.append(Parameter(one.group(4), role, kind))
    if not any(p.role == "out" for p in parameters):
        refuse("it has no output: a pointer that is not to const", "没有输出：即不带 const 的指针")
    if not any(p.role == "size" for p in parameters):
        refuse("it has no size: an integer", "没有大小：即一个整数参数")
    return match.group(1), parameters


def _empty_catalogue(built_in: Path, root: Path, chapter: str) -> str:
    schema = os.path.relpath(built_in / "exercises.schema.json", root)
    title = chapter.replace("-", " ").replace("_", " ").capitalize()
    return (f'{{\n  "$schema": {json.dumps(schema)},\n  "version": 1,\n  "chapters": [\n'
            f'    {{"slug": {json.dumps(chapter)}, "title": {json.dumps(title)}}}\n  ],\n  "exercises": [\n  ]\n}}\n')


def _replace(file: Path, text: str) -> None:
    temporary = file.with_name(f".{file.name}.new")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, file)


# -- a new entry in the text of exercises.json, whose other lines stay as somebody wrote them


def with_entry(text: str, number: int, entry: str) -> str:
    content = json.loads(text)
    begin = _list_begin(text)
    spans = _spans(text, begin)
    before = sum(e["id"] < number for e in content["exercises"][:len(spans)])
    if any(e["id"] > number for e in content["exercises"][:before]):  # not in the order of ids: at the end
        before = len(spans)
    if not spans:
        changed = text[:begin] + "\n" + entry + text[begin:]
    elif before == 0:
        changed = text[:begin] + "\n" + entry + "," + text[begin:]
    else:
        at = spans[before - 1]
        changed = text[:at] + ",\n" + entry + text[at:]
    expected = json.loads(entry)
    if [e for e in json.loads(changed)["exercises"] if e["id"] == number] != [expected]:
        raise UserError("exercises.json could not be extended: its \"exercises\" are written in an unusual way.", _STATUS_CATALOGUE)
    return changed


def _list_begin(text: str) -> int:
    """Just after the bracket of the top level's "exercises"."""
    for at, depth in _outside_strings(text):
        if depth == 1 and text.startswith('"exercises"', at):
            return text.index("[", at + len('"exercises"')) + 1
    raise UserError("exercises.json has no \"exercises\".", _STATUS_CATALOGUE)


def _spans(text: str, begin: int) -> List[int]:
    """The ends of the objects in the list that begins there."""
    ends, depth, in_string, escaped = [], 0, False, False
    for at in range(begin, len(text)):
        c = text[at]
        if in_string:
            escaped, in_string = c == "\\" and not escaped, c != '"' or escaped
        elif c == '"':
            in_string = True
        elif c in "{[":
            depth += 1
        elif c in "}]":
            if depth == 0:
                break
            depth -= 1
            if depth == 0:
                ends.append(at + 1)
    return ends


def _outside_strings(text: str) -> "List[tuple[int, int]]":
    """Where strings begin, with the depth of brackets there."""
    found, depth, in_string, escaped = [], 0, False, False
    for at, c in enumerate(text):
        if in_string:
            escaped, in_string = c == "\\" and not escaped, c != '"' or escaped
        elif c == '"':
            found.append((at, depth))
            in_string = True
        elif c in "{[":
            depth += 1
        elif c in "}]":
            depth -= 1
    return found
