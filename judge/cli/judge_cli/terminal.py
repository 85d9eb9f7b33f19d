"""What the terminal can show: colour, language, width; and one line of progress that erases itself."""

import os
import re
import sys
import unicodedata
from typing import Dict, List, Optional

MAX_WIDTH = 100
STATUS_MACHINE = 4  # this machine lacks something; docs/cli.md

_STYLES = {"bold": "1", "dim": "2", "italic": "3", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class UserError(Exception):
    """Something the person at the keyboard can put right; main() prints it and ends with `status`."""

    def __init__(self, message: str, status: int = 2):
        super().__init__(message)
        self.status = status


def language_from_environment(environment: Dict[str, str]) -> str:
    # The order of POSIX: LC_ALL wins over LC_MESSAGES, and that over LANG.
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(name)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


class Terminal:
    def __init__(self, lang: Optional[str] = None, colour: Optional[bool] = None):
        self.lang = lang or language_from_environment(dict(os.environ))
        dumb = os.environ.get("TERM") == "dumb"
        plain = dumb or bool(os.environ.get("NO_COLOR"))  # no-color.org: set, and not empty
        self.colour = colour if colour is not None else sys.stdout.isatty() and not plain
        self._live = sys.stderr.isatty() and not dumb
        self._line_shown = False

    @property
    def width(self) -> int:
        columns = MAX_WIDTH
        if sys.stdout.isatty():
            try:
                columns = os.get_terminal_size(sys.stdout.fileno()).columns
            except OSError:
                pass
        return max(40, min(MAX_WIDTH, columns))

    def tr(self, en: str, zh: str) -> str:
        return zh if self.lang == "zh" else en

    def text(self, texts: Dict[str, str]) -> str:
        """A text of the catalogue: this language, or English where it has none."""
        return texts.get(self.lang) or texts.get("en", "")

    def style(self, text: str, *names: str) -> str:
        if not self.colour or not text:
            return text
        return "\x1b[" + ";".join(_STYLES[n] for n in names) + "m" + text + "\x1b[0m"

    def out(self, text: str = "") -> None:
        self.erase_line()
        print(text)

    def note(self, text: str) -> None:
        """For the person, never part of the result: stderr."""
        self.erase_line()
        print(text, file=sys.stderr, flush=True)

    def show_line(self, text: str) -> None:
        """Replaces the progress line; nothing where stderr is no terminal."""
        if not self._live:
            return
        sys.stderr.write("\r\x1b[K" + cut(text, self.width - 1))
        sys.stderr.flush()
        self._line_shown = True

    def paragraph(self, text: str, first: str = "", rest: str = "") -> List[str]:
        """Lines of at most the terminal's width."""
        return wrap(text, self.width, first, rest)

    def erase_line(self) -> None:
        if self._line_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._line_shown = False

    @property
    def live(self) -> bool:
        return self._live


_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def char_width(c: str) -> int:
    if unicodedata.combining(c):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def width_of(text: str) -> int:
    return sum(char_width(c) for c in _ESCAPE.sub("", text))


def cut(text: str, width: int) -> str:
    if width_of(text) <= width:
        return text
    kept, used = [], 0
    for c in text:
        used += char_width(c)
        if used > width - 1:
            break
        kept.append(c)
    return "".join(kept) + "…"


def pad(text: str, width: int) -> str:
    return text + " " * max(0, width - width_of(text))


# A piece that may not be broken: a run of Latin text, or one CJK character with the closing punctuation after it.
_PIECE = re.compile(r"\s+|(?:(?:\x1b\[[0-9;]*m)*[\u2e80-\u9fff\uff00-\uffef](?:\x1b\[[0-9;]*m)*[，。、；：！？）》”]*)"
                    r"|[^\s\u2e80-\u9fff\uff00-\uffef]+[，。、；：！？）》”]*")


def wrap(text: str, width: int, first: str = "", rest: str = "") -> List[str]:
    """Breaks text into lines of at most `width` columns; CJK text may break between any two characters."""
    lines, line, used, empty = [], first, width_of(first), True
    for piece in _PIECE.findall(text):
        if piece.isspace():
            if not empty and used < width:
                line, used = line + " ", used + 1
            continue
        columns = width_of(piece)
        if not empty and used + columns > width:
            lines.append(line.rstrip())
            line, used = rest, width_of(rest)
        line, used, empty = line + piece, used + columns, False
    lines.append(line.rstrip())
    return lines
