"""Wrapping, widths and Markdown, against lines worked out by hand."""

import unittest

import course  # noqa: F401  (puts judge_cli on the path)

from judge_cli.statement import render
from judge_cli.terminal import Terminal, cut, language_from_environment, pad, width_of, wrap


class Text(unittest.TestCase):
    def test_widths(self):
        self.assertEqual(width_of("abc"), 3)
        self.assertEqual(width_of("卷积"), 4)
        self.assertEqual(width_of("\x1b[1mab\x1b[0m"), 2)
        self.assertEqual(pad("卷", 4), "卷  ")
        self.assertEqual(cut("abcdef", 6), "abcdef")
        self.assertEqual(cut("abcdefg", 6), "abcde…")
        self.assertEqual(cut("卷积卷积", 6), "卷积…")

    def test_wrap(self):
        self.assertEqual(wrap("aa bb cc", 5), ["aa bb", "cc"])
        self.assertEqual(wrap("aa bb cc", 6, "- ", "  "), ["- aa", "  bb", "  cc"])
        self.assertEqual(wrap("toolongword b", 4), ["toolongword", "b"])
        self.assertEqual(wrap("卷积卷积", 4), ["卷积", "卷积"])
        self.assertEqual(wrap("卷积，卷", 4), ["卷", "积，", "卷"])  # a comma never opens a line
        self.assertEqual(wrap("", 4), [""])

    def test_language(self):
        self.assertEqual(language_from_environment({}), "en")
        self.assertEqual(language_from_environment({"LANG": "zh_CN.UTF-8"}), "zh")
        self.assertEqual(language_from_environment({"LANG": "zh_CN", "LC_ALL": "en_US"}), "en")
        self.assertEqual(language_from_environment({"LANG": "en_US", "LC_MESSAGES": "zh_TW"}), "zh")

    def test_markdown(self):
        source = ("# Title\n\nOne **strong** word\nand `code x`.\n\n- item\n  more\n1. first\n\n    x * y * z\n\n"
                  "| a | bb |\n| --- | --- |\n| 卷积 | 1 |\n")
        # Indented by four below a list item is that item's text in Markdown; code there is indented by six.
        expected = ("Title\n\nOne strong word and `code x`.\n\n• item more\n1. first\n\nx * y * z\n\n"
                    "  a      bb\n  ────   ──\n  卷积   1\n")
        self.assertEqual(render(source, Terminal("en", colour=False)), expected)
        self.assertEqual(render("    x * y * z\n", Terminal("en", colour=False)), "    x * y * z\n")
        self.assertEqual(render("中文\n换行\n", Terminal("zh", colour=False)), "中文换行\n")
        coloured = render("a **b c** d\n", Terminal("en", colour=True))
        self.assertEqual(coloured, "a \x1b[1mb\x1b[0m \x1b[1mc\x1b[0m d\n")


if __name__ == "__main__":
    unittest.main()
