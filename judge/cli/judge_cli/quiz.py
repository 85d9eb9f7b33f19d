"""A quiz: one question at a time. Numeric answers are compared with what the emulator counts when it runs the very snippet;
then it is shown lane by lane what the request touched."""

import json
import re
import sys
from fractions import Fraction
from typing import Any, Dict, Iterator, List, Optional

from .course import Quiz
from .quiz_kernels import Measured, QuizError, QuizKernels
from .quiz_lanes import lanes_of
from .terminal import Terminal, UserError

STATUS_RIGHT, STATUS_CATALOGUE, STATUS_WRONG = 0, 3, 18  # as accepted, judge_error and wrong_answer: docs/cli.md


class Answer:
    def __init__(self, number: int, given: str, expected: str, right: bool):
        self.number, self.given, self.expected, self.right = number, given, expected, right

    def as_json(self) -> Dict[str, Any]:
        return {"question": self.number, "given": self.given, "expected": self.expected, "right": self.right}


def number_of(text: str) -> Optional[Fraction]:
    """16, 1,024, 0.25, 1/4 and 25 % are numbers."""
    plain = text.strip().replace(",", "").replace("，", "").replace("％", "%")
    match = re.fullmatch(r"(-?\d+(?:\.\d+)?)(?:\s*/\s*(\d+))?\s*(%?)", plain)
    if not match or match.group(2) and int(match.group(2)) == 0:
        return None
    return Fraction(match.group(1)) / Fraction(match.group(2) or 1) / (100 if match.group(3) else 1)


def shown(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.4g}"


class Asking:
    def __init__(self, quiz: Quiz, measured: Dict[int, Measured], kernels: Optional[QuizKernels], terminal: Terminal):
        self._quiz, self._measured, self._kernels, self._terminal = quiz, measured, kernels, terminal

    def ask(self, index: int) -> None:
        """The question itself; the answer is read by whoever calls."""
        terminal, question = self._terminal, self._quiz.questions[index]
        head = terminal.tr(f"Question {index + 1} of {len(self._quiz.questions)}",
                           f"第 {index + 1} 题，共 {len(self._quiz.questions)} 题")
        terminal.out(terminal.style(head, "bold"))
        if "kernel" in question:
            terminal.out()
            for line in self._kernels.snippet(question["kernel"]):
                terminal.out("    " + terminal.style(line, "cyan"))
        terminal.out()
        for line in terminal.paragraph(terminal.text(_text(question["ask"]))):
            terminal.out(line)
        for k, choice in enumerate(question.get("choices", []), 1):
            for line in terminal.paragraph(terminal.text(_text(choice)), f"  {k}  ", "     "):
                terminal.out(line)

    def grade(self, index: int, given: str) -> Answer:
        question = self._quiz.questions[index]
        if "choices" in question:
            expected = str(question["answer"])
            return Answer(index + 1, given, expected, given.strip() == expected)
        value = self._measured[index].value
        number = number_of(given)
        right = number is not None and abs(float(number) - value) <= 5e-4 * max(1.0, abs(value))
        return Answer(index + 1, given, shown(value), right)

    def acceptable(self, index: int, given: str) -> bool:
        """Whether it is an answer at all, so that a slip of the finger is asked again."""
        choices = self._quiz.questions[index].get("choices")
        if choices is not None:
            return given.strip() in [str(k) for k in range(1, len(choices) + 1)]
        return number_of(given) is not None

    def explain(self, index: int, answer: Answer) -> None:
        terminal, question = self._terminal, self._quiz.questions[index]
        if answer.right:
            terminal.out(terminal.style(terminal.tr("✓ right", "✓ 正确"), "green"))
        else:
            expected = answer.expected
            if "choices" in question:
                expected += "  " + terminal.text(_text(question["choices"][question["answer"] - 1]))
            told = terminal.tr(f"✗ it is {expected}", f"✗ 正确答案是 {expected}")
            for line in terminal.paragraph(told, "", "  "):
                terminal.out(terminal.style(line, "red"))
        for access in self._measured[index].accesses[:1] if index in self._measured else []:
            for line in lanes_of(access, terminal):
                terminal.out(line)
        for line in terminal.paragraph(terminal.text(_text(question["explain"]))):
            terminal.out(line)
        terminal.out()


def _text(value: Any) -> Dict[str, str]:
    return {"en": value} if isinstance(value, str) else value


def answers_in(path: str) -> List[str]:
    """One answer a line, in the order of the questions; `#` begins a comment, empty lines do not count, - is no answer."""
    try:
        text = sys.stdin.read() if path == "-" else open(path, encoding="utf-8").read()
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    return [line for line in (line.split("#", 1)[0].strip() for line in text.splitlines()) if line]


def _typed(asking: Asking, count: int, terminal: Terminal) -> Iterator[str]:
    for index in range(count):
        asking.ask(index)
        while True:
            try:
                given = input(terminal.tr("your answer: ", "你的答案："))
            except EOFError:
                terminal.out()
                return
            if not sys.stdin.isatty():
                terminal.out(given)  # what a terminal would have shown
            if asking.acceptable(index, given):
                break
            terminal.out(terminal.tr("A number, please: 16, 0.25, 1/4, 25 %.", "请输入数字：16、0.25、1/4、25 %。"))
        yield given


def run(judge: Any, quiz: Quiz, terminal: Terminal, cache_dir: str, answers: Optional[str],
        as_json: bool) -> "tuple[int, Optional[str]]":
    """The exit status, and for the progress the verdict; None when not every question was answered."""
    count = len(quiz.questions)
    given = answers_in(answers) if answers is not None else None
    if given is not None and len(given) > count:
        raise UserError(terminal.tr(f"{answers} has {len(given)} answers; the quiz has {count} questions.",
                                    f"{answers} 中有 {len(given)} 个答案，而测验只有 {count} 题。"))
    kernels, measured = measure(judge, quiz, terminal, cache_dir)
    asking = Asking(quiz, measured, kernels, terminal)
    if not as_json:
        terminal.out(terminal.style(f"{quiz.id} · {terminal.text(quiz.title)}", "bold"))
        terminal.out()
    graded: List[Answer] = []
    for index, word in enumerate(given if given is not None else _typed(asking, count, terminal)):
        if given is not None and not as_json:
            asking.ask(index)
            terminal.out(terminal.tr("answer: ", "答案：") + word)
        graded.append(asking.grade(index, word))
        if not as_json:
            asking.explain(index, graded[-1])
    right = sum(answer.right for answer in graded)
    if as_json:
        terminal.out(json.dumps({"id": quiz.id, "slug": quiz.slug, "questions": count, "answered": len(graded),
                                 "right": right, "answers": [answer.as_json() for answer in graded]},
                                indent=2, ensure_ascii=False))
    else:
        terminal.out(terminal.tr(f"{right} of {count} right.", f"{count} 题中答对 {right} 题。"))
    complete = len(graded) == count
    status = STATUS_RIGHT if right == count else STATUS_WRONG
    return status, ("accepted" if status == STATUS_RIGHT else "wrong_answer") if complete else None


def measure(judge: Any, quiz: Quiz, terminal: Terminal, cache_dir: str) -> "tuple[Optional[QuizKernels], Dict[int, Measured]]":
    if not any("metric" in question for question in quiz.questions):
        return None, {}
    terminal.show_line(terminal.tr("compiling …", "正在编译 …"))
    try:
        kernels = QuizKernels(quiz.file)
        return kernels, kernels.run(judge, quiz.questions, quiz.root, cache_dir)
    except QuizError as error:
        raise UserError(str(error), STATUS_CATALOGUE) from error
    finally:
        terminal.erase_line()


# -- check


def problems_of(judge: Any, quiz: Quiz, terminal: Terminal, cache_dir: str) -> "tuple[List[str], List[str]]":
    """What is wrong with a quiz, and a line for each question with its answer."""
    problems, lines = [], []
    for text, what in [(quiz.title, "title")] + [
            (_text(q[field]), f"questions[{k}].{field}") for k, q in enumerate(quiz.questions) for field in ("ask", "explain")] + [
            (_text(c), f"questions[{k}].choices[{n}]") for k, q in enumerate(quiz.questions)
            for n, c in enumerate(q.get("choices", []))]:
        problems += [f"{what} has no \"{lang}\": the title has it" for lang in quiz.title if lang not in text]
    problems += [f"statement.{lang}.md is missing: the title has \"{lang}\"" for lang in quiz.title
                 if lang != "en" and not (quiz.folder / f"statement.{lang}.md").is_file()]
    try:
        _, measured = measure(judge, quiz, terminal, cache_dir)
    except UserError as error:
        return problems + [str(error)], lines
    for k, question in enumerate(quiz.questions):
        if "choices" in question:
            lines.append(f"{k + 1:>3}  {question['answer']} of {len(question['choices'])} choices")
            continue
        found = measured[k]
        lines.append(f"{k + 1:>3}  {question['kernel']}: {question['metric']} = {shown(found.value)}")
        problems += _disagreements(k, question["metric"], found)
    return problems, lines


def _disagreements(k: int, metric: str, found: Measured) -> List[str]:
    """The picture of the lanes is worked out here, the figure by the emulator: they must tell the same."""
    if not found.accesses:
        return [f"question {k + 1}: its marked line makes no access that {metric} counts"]
    pictured = {"global_load_sectors": sum(a.sectors() for a in found.accesses),
                "global_store_sectors": sum(a.sectors() for a in found.accesses),
                "shared_load_wavefronts": sum(a.wavefronts() for a in found.accesses),
                "shared_store_wavefronts": sum(a.wavefronts() for a in found.accesses)}
    if metric in pictured and pictured[metric] != found.value:
        return [f"question {k + 1}: the emulator counts {shown(found.value)}, the picture of the lanes shows {pictured[metric]}"]
    return []
