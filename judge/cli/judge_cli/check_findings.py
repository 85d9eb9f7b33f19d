"""What `judge.py check` has to say about an exercise beside the verdicts themselves. docs/authoring.md, "What check says",
lists every kind: an error fails the check, a warning is advice."""

import os
import re
from typing import Any, Dict, List, Optional

from .check_table import failed_in

FEWEST_WRONG = 4  # mistakes that students make are of more kinds than one
FEWEST_HINTS = 2
SPARE = 0.05  # of a budget, for right solutions that are not the reference
# A submission declares these rather than being measured: a budget of exactly as much as is needed means what it says.
DECLARED = ("static_shared_bytes", "dynamic_shared_bytes", "block_threads", "launches", "spill_bytes", "local_bytes")
WARP = 32


class Finding:
    def __init__(self, kind: str, en: str, zh: str, is_error: bool = True):
        self.kind, self.is_error = kind, is_error
        self.message = {"en": en, "zh": zh}


def findings_of(exercise: Any, items: List[Any]) -> List[Finding]:
    reference = next((item for item in items if item.kind == "reference"), None)
    found = [finding for item in items for finding in _of_submission(item)]
    found += _of_wrong_ones(items)
    if reference is not None and reference.ok:
        found += _tight_budgets(reference.report)
        found += _missing_cases(exercise, reference.report)
    found += _unneeded_cases(exercise, items)
    found += _missing_texts(exercise)
    found += _unused_arguments(exercise)
    return found


def _of_submission(item: Any) -> List[Finding]:
    if item.ok:
        return []
    name = os.path.basename(item.path)
    if item.kind == "wrong" and not item.expected:
        return [Finding("no_expectation", f"{name}: {item.note}",
                        f"{name}：第一行必须是 \"// expect: <判定>\"，其中的判定必须存在")]
    if item.kind == "wrong" and item.verdict == "accepted":
        return [Finding("not_caught", f"{name}: no case catches it: it is accepted, expected {item.expected}",
                        f"{name}：没有用例能发现它的错误：它被接受了，预期为 {item.expected}")]
    if item.kind == "stub":
        if not item.report.build.ok:
            return [Finding("stub", "the stub does not compile", "初始代码不能编译")]
        if item.verdict == "accepted":
            return [Finding("stub", "the stub is accepted as shipped", "初始代码未经修改就被接受")]
    return [Finding(item.kind, f"{name} ({item.kind}): {item.note or 'could not be judged'}",
                    f"{name}（{item.kind}）：预期 {item.expected}，得到 {item.verdict or '无'}")]


def _of_wrong_ones(items: List[Any]) -> List[Finding]:
    count = sum(item.kind == "wrong" for item in items)
    if count >= FEWEST_WRONG:
        return []
    return [Finding("few_wrong", f"{count} wrong submissions; at least {FEWEST_WRONG}, with different mistakes, prove the cases",
                    f"只有 {count} 份错误提交；至少需要 {FEWEST_WRONG} 份、错误各不相同，才能证明用例有效")]


def _tight_budgets(report: Any) -> List[Finding]:
    found = []
    for r in report.requirements:
        if r.metric in DECLARED or r.min == r.max or r.metric.endswith("_efficiency") and r.value == 1:
            continue
        for word, bound, spare in (("max", r.max, None if not r.max else (r.max - r.value) / r.max),
                                   ("min", r.min, None if not r.min else (r.value - r.min) / r.min)):
            if spare is not None and 0 <= spare < SPARE - 1e-9:
                found.append(Finding(
                    "tight_budget",
                    f"{r.metric}: the reference has {_figure(r.value)}, {word} is {_figure(bound)}: {100 * spare:.1f} % to "
                    f"spare, and other right solutions may need 5 %",
                    f"{r.metric}：参考解为 {_figure(r.value)}，{word} 为 {_figure(bound)}：余量仅 {100 * spare:.1f} %，"
                    f"其他正确解法可能需要 5 %", is_error=False))
    return found


def _figure(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:,.4g}"


def _missing_cases(exercise: Any, report: Any) -> List[Finding]:
    found = []
    if not any(case.timed for case in report.cases):
        found.append(Finding("no_timed_case", "no case is timed: budgets and times need one of fixed, large size",
                             "没有计时用例：预算和计时需要一个大小固定的大用例"))
    if not any(case.hidden for case in report.cases):
        found.append(Finding("no_hidden_case", "no case is hidden: solutions can be made to measure",
                             "没有隐藏用例：解答可以只针对已知大小"))
    has_sizes = any(case.sizes for case in report.cases)
    at_an_edge = any(not case.hidden and not case.timed and _is_edge(case.sizes) for case in report.cases)
    if has_sizes and not at_an_edge:
        found.append(Finding("no_edge_case",
                             f"no visible case has a size of less than a warp, or one that is no multiple of {WARP}",
                             f"没有边界用例：至少一个可见用例的大小应小于一个 warp，或不是 {WARP} 的倍数"))
    return found


def _is_edge(sizes: Dict[str, int]) -> bool:
    return any(size < WARP or size % WARP != 0 for size in sizes.values())


def _unneeded_cases(exercise: Any, items: List[Any]) -> List[Finding]:
    wrong = [failed_in(item) for item in items if item.kind == "wrong" and item.ok]
    found = []
    for number, case in enumerate(exercise.cases, 1):
        if wrong and all(verdicts.get(case.name, "accepted") == "accepted" for verdicts in wrong):
            chinese = case.title.get("zh", case.name)
            found.append(Finding("unneeded_case", f"case {number}, \"{case.name}\", catches no wrong submission: what is it for?",
                                 f"用例 {number}“{chinese}”没有发现任何错误提交：它有什么用？", is_error=False))
    return found


def _missing_texts(exercise: Any) -> List[Finding]:
    found = []
    languages = sorted(set(exercise.title))  # who translates the title promises the rest
    for language in languages:
        if language not in exercise.statements:
            found.append(Finding("missing_language", f"statement.{language}.md is missing: the title has \"{language}\"",
                                 f"缺少 statement.{language}.md：标题有“{language}”版本"))
        texts = [(f"hint {k + 1}", f"提示 {k + 1}", hint) for k, hint in enumerate(exercise.hints)]
        texts += [(f"the name of case {k + 1}", f"用例 {k + 1} 的名称", c.title) for k, c in enumerate(exercise.cases)]
        for en, zh, text in texts:
            if language not in text:
                found.append(Finding("missing_language", f"{en} has no \"{language}\": the title has it",
                                     f"{zh}缺少“{language}”版本，而标题有"))
    if len(exercise.hints) < FEWEST_HINTS:
        found.append(Finding("few_hints", f"{len(exercise.hints)} hints; at least {FEWEST_HINTS}, the gentlest first",
                             f"只有 {len(exercise.hints)} 条提示；至少需要 {FEWEST_HINTS} 条，从最含蓄的开始"))
    return found


# -- arguments that nothing looks at


def _unused_arguments(exercise: Any) -> List[Finding]:
    names = parameters_of(exercise.entry, exercise.entry_name)
    cpu = unused_in(_read(exercise.cpu_reference), exercise.entry_name + "_cpu")
    gpu = unused_in(_read(exercise.reference), exercise.entry_name)
    if names is None or cpu is None or gpu is None or not len(names) == len(cpu) == len(gpu):
        return []  # written in a way that this does not understand: nothing is claimed
    found = []
    for name, by_cpu, by_gpu in zip(names, cpu, gpu):
        if by_cpu and by_gpu:
            found.append(Finding("unused_argument", f"argument \"{name}\" is used by neither reference",
                                 f"参数“{name}”在两份参考代码中都没有用到"))
        elif by_gpu:
            found.append(Finding("unused_argument", f"argument \"{name}\" is not used by the reference kernel's entry",
                                 f"参考解的入口函数没有用到参数“{name}”", is_error=False))
    return found


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


_NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def _code(source: str) -> str:
    return _NOT_CODE.sub(" ", source)


def _closing(text: str, at: int) -> int:
    """The place of the bracket that closes the one at `at`; -1 where there is none."""
    pairs, depth = {"(": ")", "{": "}"}, 0
    opening, closing = text[at], pairs[text[at]]
    for k in range(at, len(text)):
        depth += (text[k] == opening) - (text[k] == closing)
        if depth == 0:
            return k
    return -1


def _names(parameters: str) -> List[str]:
    """The names in a list of parameters; "" for one without a name."""
    names = []
    for parameter in filter(None, (p.strip() for p in parameters.split(","))):
        words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", parameter))
        named = re.search(r"[*&\s][ ]*([A-Za-z_]\w*)\s*(?:\[[^\]]*\])?$", parameter)
        names.append(named.group(1) if named and len(words) > 1 and named.group(1) not in ("const", "int") else "")
    return names


def parameters_of(prototype: str, function: str) -> Optional[List[str]]:
    at = re.search(rf"\b{function}\s*(\()", prototype)
    if not at:
        return None
    end = _closing(prototype, at.start(1))
    return _names(prototype[at.start(1) + 1:end]) if end > 0 else None


def unused_in(source: str, function: str) -> Optional[List[bool]]:
    """For each parameter of the function's definition, whether its body leaves it alone. None: no definition is found."""
    code = _code(source)
    for match in re.finditer(rf"\b{function}\s*(\()", code):
        end = _closing(code, match.start(1))
        body = re.match(r"\s*(?:noexcept\s*)?(\{)", code[end + 1:]) if end > 0 else None
        if not body:
            continue
        begin = end + 1 + body.start(1)
        text = re.sub(r"\(\s*void\s*\)\s*\w+\s*;", "", code[begin:_closing(code, begin)])
        return [not name or not re.search(rf"\b{name}\b", text) for name in _names(code[match.start(1) + 1:end])]
    return None
