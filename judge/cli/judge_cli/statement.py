"""Markdown as the statements use it -> text for a terminal: headings, paragraphs, lists, indented and fenced code, tables, emphasis."""

import re
from typing import List

from .terminal import Terminal, pad, width_of, wrap

_ITEM = re.compile(r"^(\s*)([-*]|\d+\.)\s+(.*)$")
_INLINE = re.compile(r"`([^`]+)`|\*\*([^*\s](?:[^*]*[^*\s])?)\*\*|\*([^*\s](?:[^*]*[^*\s])?)\*")


def render(markdown: str, terminal: Terminal) -> str:
    return "\n".join(_Renderer(terminal).render(markdown.splitlines())) + "\n"


class _Renderer:
    def __init__(self, terminal: Terminal):
        self._terminal = terminal
        self._lines: List[str] = []

    def render(self, source: List[str]) -> List[str]:
        i, in_list = 0, False
        while i < len(source):
            line = source[i]
            item = _ITEM.match(line)
            if not line.strip():
                self._lines.append("")
                i += 1
            elif line.startswith("```"):
                end = i + 1
                while end < len(source) and not source[end].startswith("```"):
                    self._lines.append("    " + self._terminal.style(source[end], "cyan"))
                    end += 1
                in_list, i = False, end + 1
            elif line.startswith("#"):
                self._lines.append(self._terminal.style(line.lstrip("#").strip(), "bold", "cyan"))
                in_list = False
                i += 1
            elif line.startswith("|"):
                end = i
                while end < len(source) and source[end].startswith("|"):
                    end += 1
                self._table(source[i:end])
                in_list, i = False, end
            elif item:
                end = self._end_of_text(source, i + 1)
                text = self._join([item.group(3)] + source[i + 1 : end])
                mark = "•" if item.group(2) in "-*" else item.group(2)
                first = item.group(1) + mark + " "
                self._paragraph(text, first, " " * width_of(first))
                in_list, i = True, end
            elif line.startswith("      " if in_list else "    "):
                self._lines.append(self._terminal.style(line, "cyan"))
                i += 1
            else:
                end = self._end_of_text(source, i + 1)
                self._paragraph(self._join(source[i:end]), "", "")
                in_list, i = False, end
        return self._lines

    @staticmethod
    def _end_of_text(source: List[str], i: int) -> int:
        while i < len(source) and source[i].strip() and not source[i].startswith(("#", "|", "```")) and not _ITEM.match(source[i]):
            i += 1
        return i

    @staticmethod
    def _join(lines: List[str]) -> str:
        """A line break is a space, except between two CJK characters."""
        text = lines[0].strip()
        for line in (line.strip() for line in lines[1:]):
            both_wide = ord(text[-1]) > 0x2E80 and ord(line[0]) > 0x2E80
            text += ("" if both_wide else " ") + line
        return text

    def _inline(self, text: str) -> str:
        def replace(match: "re.Match[str]") -> str:
            code, strong, emphasis = match.groups()
            if code:  # the backticks stay where there is no colour to show it by
                return self._words(code, "cyan") if self._terminal.colour else "`" + code + "`"
            return self._words(strong, "bold") if strong else self._words(emphasis, "italic")

        return _INLINE.sub(replace, text)

    def _words(self, text: str, style: str) -> str:
        # Word by word, so that a line break inside leaves no colour running into the margin.
        return " ".join(self._terminal.style(word, style) for word in text.split(" "))

    def _paragraph(self, text: str, first: str, rest: str) -> None:
        self._lines += wrap(self._inline(text), self._terminal.width, first, rest)

    def _table(self, rows: List[str]) -> None:
        cells = [[self._inline(c.strip()) for c in row.strip().strip("|").split("|")] for row in rows]
        header, body = cells[0], [row for row in cells[1:] if not all(set(c) <= set("-: ") for c in row)]
        columns = range(len(header))
        body = [(row + [""] * len(header))[:len(header)] for row in body]
        widths = _fitted([max(width_of(row[k]) for row in [header] + body) for k in columns],
                         self._terminal.width - 2 - 3 * (len(header) - 1))
        for number, row in enumerate([header] + body):
            parts = [wrap(cell, widths[k]) for k, cell in enumerate(row)]
            for k in range(max(len(part) for part in parts)):
                cells = [part[k] if k < len(part) else "" for part in parts]
                line = "  " + "   ".join(pad(c, w) for c, w in zip(cells, widths)).rstrip()
                self._lines.append(self._terminal.style(line, "bold") if number == 0 else line)
            if number == 0:
                self._lines.append("  " + "   ".join("─" * w for w in widths))


def _fitted(widths: List[int], room: int) -> List[int]:
    """Column widths that fit: the widest one gives way first, none below what a word needs."""
    fitted = list(widths)
    while sum(fitted) > room and max(fitted) > 8:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted
