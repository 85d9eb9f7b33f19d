"""The commands, apart from `doctor`: judging and its proofs, which need the judge, and those that need the course only."""

import argparse
import functools
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Union

from .bootstrap import STATUS_MACHINE, Bootstrap, jobs
from .course import Course, CourseError, Exercise, Quiz, catalogue_roots
from .progress import Progress
from .terminal import Terminal, UserError

STATUS_CATALOGUE = 3  # as judge_error: exercises.json is broken, which is no student's fault
STATUS_CHECK_FAILED = 1
SOURCE_CAP = 1 << 20  # bytes; nobody writes a megabyte of CUDA by hand


def run(command: str, root: Path, terminal: Terminal, options: argparse.Namespace) -> int:
    return Commands(root, terminal).run(command, options)


class Commands:
    def __init__(self, root: Path, terminal: Terminal):
        self._root = root
        self._terminal = terminal
        self._bootstrap = Bootstrap(root, terminal)
        self._progress_by_root: Dict[Path, Progress] = {}

    def run(self, command: str, options: argparse.Namespace) -> int:
        self._roots = catalogue_roots(self._root, options.catalogue, not options.no_built_in)
        handlers = {"judge": self._judge_command, "list": self._list, "show": self._show, "hint": self._hint,
                    "reset": self._reset, "check": self._check, "new": self._new, "run": self._run, "selftest": self._selftest}
        return handlers[command](options)

    # -- what exercises.json holds: enough for list, show, hint and reset, which therefore never build anything

    @functools.cached_property
    def _course(self) -> Course:
        try:
            return Course(self._roots)
        except CourseError as error:
            raise UserError(str(error), STATUS_CATALOGUE) from error

    def _progress_of(self, exercise: Any) -> Progress:
        """Each catalogue keeps what was done of its exercises beside them."""
        root = Path(exercise.root)
        if root not in self._progress_by_root:
            self._progress_by_root[root] = self._read_progress(root / "practice" / ".progress.json")
        return self._progress_by_root[root]

    def _read_progress(self, file: Path) -> Progress:
        progress = Progress(file)
        tr = self._terminal.tr
        if progress.damaged:
            self._terminal.note(tr(
                f"The record of your progress was damaged; it starts afresh (the old file: {progress.damaged}).",
                f"进度记录已损坏，将重新开始（旧文件：{progress.damaged}）。"))
        if progress.unreadable:
            self._terminal.note(tr(f"Your progress cannot be read ({progress.unreadable}), so no marks are shown.",
                                   f"无法读取进度记录（{progress.unreadable}），因此不显示标记。"))
        return progress

    def _load_judge(self) -> None:
        self._judge = self._bootstrap.load()
        self._cache_dir = str(self._judge.cache_dir(str(self._root)))
        self._catalogues = {}
        for root in self._roots:
            schema = str(self._root / "exercises.schema.json")
            try:
                self._catalogues[root] = self._judge.load_catalogue(str(root), schema)
            except self._judge.CatalogueError as error:
                where = "" if root == self._root else f"{root}:\n"
                raise UserError(where + str(error), STATUS_CATALOGUE) from error

    def _judged(self, exercise: Exercise) -> Any:
        """The judge's own view of an exercise."""
        return self._catalogues[exercise.root].find(exercise.id)

    def _find(self, name: str) -> Any:
        course = self._course
        exercise = course.find(name)
        if exercise is not None:
            return exercise
        import difflib

        tr = self._terminal.tr
        names = {**{str(e.id): e for e in course}, **{e.slug: e for e in course}}
        near = difflib.get_close_matches(name.lstrip("0"), list(names), n=1, cutoff=0.4)
        message = tr(f"There is no exercise {name!r}.", f"没有练习 {name!r}。")
        if near:
            e = names[near[0]]
            message += tr(f" Did you mean {e.id} ({e.slug})?", f"你是想找 {e.id}（{e.slug}）吗？")
        raise UserError(message + tr(" All of them: judge.py list", " 查看全部练习：judge.py list"))

    # -- judging

    def _judge_command(self, options: argparse.Namespace) -> int:
        found = self._find(options.id)  # a name that is not there needs no build to be told, nor does a file
        if isinstance(found, Quiz):
            return self._ask(found, options)
        if options.answers is not None:
            raise UserError(self._terminal.tr(f"{found.id} is no quiz: --answers is for quizzes.",
                                              f"{found.id} 不是测验：--answers 只用于测验。"))
        if options.file:
            self._read_source(options.file)
        self._load_judge()
        exercise = self._judged(found)
        path = options.file or exercise.stub
        if not options.watch:
            return self._judge_once(exercise, path, options)
        from . import watch

        while True:
            before = watch.mark_of(path)
            self._judge_once(exercise, path, options)
            self._terminal.note(self._terminal.tr(f"Watching {self._shown(path)} (Ctrl-C ends)",
                                                  f"正在监视 {self._shown(path)}（按 Ctrl-C 结束）"))
            watch.wait_for_save(path, before)
            self._terminal.note(self._terminal.style(f"── {time.strftime('%H:%M:%S')} ──", "dim"))

    def _ask(self, quiz: Quiz, options: argparse.Namespace) -> int:
        from . import quiz as quizzes

        if options.file is not None:
            raise UserError(self._terminal.tr(f"{quiz.id} is a quiz: there is no file to judge. Answers in a file: --answers FILE",
                                              f"{quiz.id} 是测验，没有要判的文件。答案文件请用 --answers FILE"))
        if options.json and options.answers is None:
            raise UserError(self._terminal.tr("--json of a quiz needs --answers FILE.", "测验的 --json 需要 --answers FILE。"))
        self._load_judge()
        status, verdict = quizzes.run(self._judge, quiz, self._terminal, self._cache_dir, options.answers, options.json)
        if verdict is not None:
            self._record(quiz, verdict)
            if verdict == "accepted" and not options.json:
                self._offer_next(quiz)
        return status

    def _judge_once(self, exercise: Any, path: str, options: argparse.Namespace) -> int:
        source = self._read_source(path)
        try:
            report = self._judge.judge(exercise, source, source_path=str(path), device=options.device, gpu=options.gpu,
                                       case=options.case, seed=options.seed, schedules=options.schedules,
                                       schedule=options.schedule, cache_dir=self._cache_dir, progress=self._show_progress)
        except ValueError as error:  # a case, device or GPU that does not exist
            raise UserError(str(error)) from error
        finally:
            self._terminal.erase_line()
        changed = self._remember(exercise, report, options)
        if options.json:
            text = json.dumps(report.to_dict(), ensure_ascii=False) if options.watch else report.to_json()
            self._terminal.out(text.rstrip("\n"))
        else:
            text = report.to_text(colour=self._terminal.colour, width=self._terminal.width, lang=self._terminal.lang)
            self._terminal.out(text.rstrip("\n"))
            if changed:
                head = self._terminal.tr("changed   ", "变化      ")
                for line in self._terminal.paragraph(", ".join(changed), head, " " * 10):
                    self._terminal.out(line)
            if report.verdict == "accepted" and options.case is None:
                self._offer_next(exercise)
        sys.stdout.flush()
        return report.exit_status

    def _offer_next(self, done: Any) -> None:
        """The first exercise after this one that is not done; of those before it when there is none."""
        later = [e for e in self._course if e.id > done.id] + [e for e in self._course if e.id < done.id]
        following = next((e for e in later if self._progress_of(e).state(e.folder_name) != "done"), None)
        tr = self._terminal.tr
        if following is None:
            self._terminal.out(tr("That was the last one: every exercise is done.", "这是最后一题：所有练习都已完成。"))
            return
        title = self._terminal.text(following.title)
        self._terminal.out(tr(f"then      judge.py show {following.id}   {title}",
                              f"下一题    judge.py show {following.id}   {title}"))

    def _read_source(self, path: str) -> bytes:
        tr = self._terminal.tr
        kind = _kind_of(path, tr)  # before it is opened: that may wait, fail, or move a device
        if kind:
            raise UserError(self._no_file(path, kind))
        try:
            # Without O_NONBLOCK a named pipe that came meanwhile would wait for a writer.
            file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        except (OSError, ValueError) as error:
            if isinstance(error, ValueError):  # a NUL in the name
                raise UserError(tr(f"{path!r} is no file name.", f"{path!r} 不是文件名。")) from error
            raise UserError(tr(f"Cannot read {path}: {error.strerror}.", f"无法读取 {path}：{error.strerror}。")) from error
        try:
            kind = _kind_of(file, tr)
            if kind:
                raise UserError(self._no_file(path, kind))
            if os.fstat(file).st_size > SOURCE_CAP:
                raise UserError(tr(f"{path} is larger than 1 MiB: is it the right file?",
                                   f"{path} 超过 1 MiB：文件选对了吗？"))
            with os.fdopen(os.dup(file), "rb") as stream:
                source = stream.read(SOURCE_CAP + 1)
        except OSError as error:
            raise UserError(tr(f"Cannot read {path}: {error.strerror}.", f"无法读取 {path}：{error.strerror}。")) from error
        finally:
            os.close(file)
        if len(source) > SOURCE_CAP:
            raise UserError(tr(f"{path} is larger than 1 MiB: is it the right file?", f"{path} 超过 1 MiB：文件选对了吗？"))
        return source

    def _no_file(self, path: str, kind: str) -> str:
        return self._terminal.tr(f"{path} is {kind}, not a file. Give the .cu file to judge.",
                                 f"{path} 是{kind}，不是普通文件。请给出要判的 .cu 文件。")

    def _remember(self, exercise: Any, report: Any, options: argparse.Namespace) -> List[str]:
        """Only the exercise's own file is the student's answer to it. Another file may be an experiment or somebody else's;
        a single case proves nothing, and neither does a failure of the judge. What changed since the attempt before."""
        from . import attempts

        own = options.file is None or _same_file(options.file, exercise.stub)
        if not own or options.case is not None or report.verdict == "judge_error":
            return []
        before = self._progress_of(exercise).last_attempt(exercise.folder_name)
        attempt = attempts.attempt_of(report.to_dict())
        self._record(exercise, report.verdict, attempt)
        return attempts.changes(before, attempt, self._terminal)

    def _record(self, exercise: Any, verdict: str, attempt: Optional[Dict[str, Any]] = None) -> None:
        try:
            self._progress_of(exercise).record_verdict(exercise.folder_name, verdict, attempt)
        except OSError as error:
            self._note_unsaved(error)

    def _note_unsaved(self, error: OSError) -> None:
        tr = self._terminal.tr
        message = tr(f"Your progress could not be saved: {error.strerror}.", f"无法保存进度：{error.strerror}。")
        self._terminal.note(message + self._whose_checkout(self._root / "practice"))

    def _whose_checkout(self, folder: Path) -> str:
        """What to do where the course lies in a folder that this user may not write to; "" when that is not the reason."""
        if os.access(folder, os.W_OK):
            return ""
        copy = "~/" + (self._root.name or "course")
        return self._terminal.tr(
            f" {folder} is not yours to write to: work in a copy of your own, for example  cp -r {self._root} {copy}",
            f" 你没有写入 {folder} 的权限：请在自己的副本中练习，例如  cp -r {self._root} {copy}")

    def _show_progress(self, stage: str, done: int, total: int) -> None:
        words = {"compile": self._terminal.tr("compiling", "正在编译"), "case": self._terminal.tr("case", "用例"),
                 "check": self._terminal.tr("submission", "提交")}
        count = f" {min(done + 1, total)}/{total}" if total > 1 else ""
        self._terminal.show_line(f"{words.get(stage, stage)}{count} …")

    def _shown(self, path: str) -> str:
        return os.path.relpath(path)

    # -- the course

    def _list(self, options: argparse.Namespace) -> int:
        from . import listing

        if options.json:
            told = listing.as_json(self._course, self._progress_of)
            self._terminal.out(json.dumps(told, indent=2, ensure_ascii=False))
            return 0
        terminal = self._terminal
        for line in listing.text(self._course, self._progress_of, terminal):
            terminal.out(line)
        done = sum(self._progress_of(e).state(e.folder_name) == "done" for e in self._course)
        terminal.out(terminal.tr(f"{done} of {len(self._course)} done.  judge.py show ID tells the task.",
                                 f"已完成 {done} / {len(self._course)}。judge.py show ID 查看题目。"))
        return 0

    def _show(self, options: argparse.Namespace) -> int:
        from .statement import render

        path = self._find(options.id).statement(self._terminal.lang)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise UserError(self._terminal.tr(f"The task cannot be read: {path}: {error.strerror}.",
                                              f"无法读取题目：{path}：{error.strerror}。"), STATUS_CATALOGUE) from error
        self._terminal.out(render(text, self._terminal).rstrip("\n"))
        return 0

    def _hint(self, options: argparse.Namespace) -> int:
        from .terminal import wrap

        exercise, terminal = self._find(options.id), self._terminal
        progress = self._progress_of(exercise)
        hints, seen = exercise.hints, progress.hints_shown(exercise.folder_name)
        if not hints:
            terminal.out(terminal.tr("This exercise has no hints.", "本练习没有提示。"))
            return 0
        fresh = seen < len(hints)
        for number in [seen] if fresh else range(len(hints)):
            head = terminal.tr(f"Hint {number + 1} of {len(hints)}: ", f"提示 {number + 1}/{len(hints)}：")
            for line in wrap(head + terminal.text(hints[number]), terminal.width):
                terminal.out(line)
        if not fresh:
            terminal.out(terminal.tr("That was all there is.", "提示已经全部给出。"))
            return 0
        try:
            progress.record_hints(exercise.folder_name, seen + 1)
        except OSError as error:
            self._note_unsaved(error)
        return 0

    def _reset(self, options: argparse.Namespace) -> int:
        exercise, tr = self._find(options.id), self._terminal.tr
        if exercise.kind == "quiz":
            raise UserError(tr(f"{exercise.id} is a quiz: there is nothing to reset.", f"{exercise.id} 是测验，没有可恢复的代码。"))
        file, pristine = exercise.file, exercise.pristine
        try:
            stub = pristine.read_bytes()
        except OSError as error:
            raise UserError(tr(f"The stub is missing: {pristine}.", f"缺少初始代码：{pristine}。"), STATUS_CATALOGUE) from error
        try:
            if file.exists() and file.read_bytes() == stub:
                self._terminal.out(tr(f"{self._shown(str(file))} is the stub already.",
                                      f"{self._shown(str(file))} 已是初始代码。"))
                return 0
            kept = _keep(file) if file.exists() else None
            temporary = file.with_name(f".{file.name}.new")
            temporary.write_bytes(stub)
            os.replace(temporary, file)
        except OSError as error:
            raise UserError(tr(f"{self._shown(str(file))} could not be put back: {error.strerror}.",
                               f"无法恢复 {self._shown(str(file))}：{error.strerror}。")
                            + self._whose_checkout(file.parent), STATUS_MACHINE) from error
        self._terminal.out(tr(f"{self._shown(str(file))} is the stub again.", f"{self._shown(str(file))} 已恢复为初始代码。"))
        if kept:
            self._terminal.out(tr(f"Your version is kept in {self._shown(str(kept))}.",
                                  f"你的版本保存在 {self._shown(str(kept))}。"))
        return 0

    def _new(self, options: argparse.Namespace) -> int:
        from . import new_exercise

        target = self._roots[-1]  # the catalogue named last; a new one begins with this exercise
        if not (target / "exercises.json").exists():
            if not target.is_dir():
                raise UserError(self._terminal.tr(f"There is no folder {target}.", f"没有文件夹 {target}。"))
            self._roots = self._roots[:-1]
        return new_exercise.run(self._root, target, self._course, self._terminal, options)

    # -- any program

    def _run(self, options: argparse.Namespace) -> int:
        from . import run_command

        return run_command.run(self._bootstrap.load(), self._root, self._terminal, options)

    # -- proofs

    def _check(self, options: argparse.Namespace) -> int:
        from . import check, quiz

        named = [self._find(name) for name in options.ids] or list(self._course)
        self._load_judge()
        exercises = [self._judged(e) for e in named if e.kind == "exercise"]
        sound, told = check.run(self._judge, exercises, self._terminal, self._cache_dir, options.seed,
                                options.jobs or jobs(), options.json)
        for e in named:
            if isinstance(e, Quiz):
                problems, lines = quiz.problems_of(self._judge, e, self._terminal, self._cache_dir)
                sound = sound and not problems
                told.append({"id": e.id, "slug": e.slug, "ok": not problems, "questions": len(e.questions),
                             "answers": lines, "problems": problems})
                if not options.json:
                    self._tell_quiz(e, problems, lines)
        if options.json:
            self._terminal.out(check.dump(told))
        return 0 if sound else STATUS_CHECK_FAILED

    def _tell_quiz(self, quiz: Quiz, problems: List[str], lines: List[str]) -> None:
        terminal = self._terminal
        terminal.out(terminal.style(f"{quiz.id} {quiz.slug}: {terminal.text(quiz.title)}", "bold"))
        terminal.out()
        for line in lines:
            terminal.out("  " + line)
        for problem in problems:
            terminal.out(f"  {terminal.style('✗', 'red')} {problem}")
        terminal.out()

    def _selftest(self, options: argparse.Namespace) -> int:
        self._bootstrap.make(tests=True)
        status = self._ctest(self._bootstrap.build)
        if status or options.quick:
            return status
        sanitized = self._bootstrap.make_sanitized()
        return self._ctest(sanitized)

    def _ctest(self, build: Path) -> int:
        command = ["ctest", "--test-dir", str(build), "--output-on-failure", "--parallel", str(jobs())]
        try:
            status = subprocess.run(command, check=False).returncode
        except OSError as error:
            raise UserError(f"ctest: {error.strerror}", STATUS_MACHINE) from error
        return STATUS_CHECK_FAILED if status else 0


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them has gone meanwhile
        return os.path.realpath(one) == os.path.realpath(other)


def _kind_of(file: Union[str, int], tr: Callable[[str, str], str]) -> str:
    """What it is when it is no regular file; empty when it is one, or is not there."""
    try:
        mode = os.stat(file).st_mode
    except (OSError, ValueError):
        return ""
    kinds = ((stat.S_ISDIR, "a folder", "文件夹"), (stat.S_ISFIFO, "a named pipe", "命名管道"),
             (stat.S_ISSOCK, "a socket", "套接字"), (stat.S_ISCHR, "a device", "设备"), (stat.S_ISBLK, "a device", "设备"))
    return next((tr(english, chinese) for test, english, chinese in kinds if test(mode)), "")


def _keep(file: Path) -> Path:
    """A copy under the first free number; never overwrites an earlier one."""
    number = 1
    while True:
        kept = file.with_name(f"{file.stem}.{number}.bak{file.suffix}")
        try:
            with open(kept, "xb") as copy:
                copy.write(file.read_bytes())
            return kept
        except FileExistsError:
            number += 1
