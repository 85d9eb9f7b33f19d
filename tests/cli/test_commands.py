"""The commands, from outside, with a stand-in for the judge."""

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import time
import unittest
from pathlib import Path

from course import REPOSITORY, Course, wait_until

STUB = (REPOSITORY / "reference" / "072_conv1d" / "stub.cu").read_bytes()


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.course = Course()
        self.addCleanup(self.course.close)
        self.conv1d = self.course.file("072_conv1d")

    def submit(self, verdict):
        self.conv1d.write_text(f"// fake: {verdict}\n")


class Usage(CommandTest):
    def test_help_names_every_command_and_stays_narrow(self):
        for arguments in ([], ["--help"], ["-h"], ["help"]):
            run = self.course.run(*arguments)
            self.assertEqual(run.returncode, 0)
            for command in ("list", "show", "hint", "reset", "check", "doctor", "selftest", "--watch", "--seed",
                            "--schedules", "--schedule"):
                self.assertIn(command, run.stdout)
            self.assertLessEqual(max(map(len, run.stdout.splitlines())), 100)

    def test_every_command_has_help(self):
        for command in ("list", "show", "hint", "reset", "check", "doctor", "selftest", "72"):
            run = self.course.run(command, "--help")
            self.assertEqual(run.returncode, 0, command)
            self.assertIn("usage: judge.py", run.stdout)

    def test_unknown_exercise_suggests_the_nearest(self):
        for name in ("conv2d", "convd", "73"):
            run = self.course.run(name)
            self.assertEqual(run.returncode, 2)
            self.assertIn("72 (conv1d)", run.stderr)
        self.assertNotIn("Did you mean", self.course.run("qqqq").stderr)

    def test_usage_errors_end_with_2(self):
        for arguments in (["72", "--seed", "x"], ["72", "--seed", str(2**64)], ["72", "--device", "tpu"], ["--json", "list"],
                          ["72", "absent.cu"], ["72", "--case", "nosuch"], ["72", "--device", "gpu"], ["72", "--gpu", "abacus"], ["show"],
                          ["72", "--schedules", "-1"], ["72", "--schedules", "many"], ["72", "--schedule", "-1"]):
            run = self.course.run(*arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertNotIn("Traceback", run.stderr)
        self.assertIn("No such file", self.course.run("72", "absent.cu").stderr)

    def test_broken_catalogue_is_not_the_students_fault(self):
        (self.course.root / "exercises.json").write_text("{")
        run = self.course.run("list")
        self.assertEqual(run.returncode, 3)
        self.assertIn("exercises.json", run.stderr)
        self.assertNotIn("Traceback", run.stderr)

    def test_oversized_file_is_refused(self):
        self.conv1d.write_bytes(b"/" * (1 << 20))
        self.assertEqual(self.course.run("72").returncode, 18)
        self.conv1d.write_bytes(b"/" * ((1 << 20) + 1))
        run = self.course.run("72")
        self.assertEqual(run.returncode, 2)
        self.assertIn("1 MiB", run.stderr)

    def test_what_is_no_file_is_named_at_once(self):
        pipe, socket_path = self.course.root / "pipe.cu", self.course.root / "socket.cu"
        os.mkfifo(pipe)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(socket_path))
            for path, kind in ((pipe, "named pipe"), (socket_path, "socket"), ("/dev/zero", "device"), ("/tmp", "folder")):
                run = self.course.run("72", str(path), timeout=20)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn(kind, run.stderr)


class Judging(CommandTest):
    def test_exit_status_is_the_verdicts(self):
        for verdict, status in (("accepted", 0), ("compile_error", 10), ("race", 15), ("wrong_answer", 18)):
            self.submit(verdict)
            for name in ("72", "072", "conv1d"):
                self.assertEqual(self.course.run(name).returncode, status)

    def test_json_is_all_of_stdout(self):
        self.submit("race")
        run = self.course.run("72", "--json", "--seed", "0x10", "--device", "emulator")
        report = json.loads(run.stdout)
        self.assertEqual((report["verdict"], report["seed"], report["device"]), ("race", 16, "emulator"))
        self.assertEqual(report["source_path"], str(self.conv1d))

    def test_another_file(self):
        other = self.course.root / "mine.cu"
        other.write_text("// fake: accepted\n")
        self.assertEqual(self.course.run("72", str(other)).returncode, 0)

    def test_language(self):
        self.assertIn("lang=en", self.course.run("72").stdout)
        self.assertIn("lang=zh", self.course.run("72", "--lang", "zh").stdout)
        self.assertIn("lang=zh", self.course.run("72", LANG="zh_CN.UTF-8").stdout)
        self.assertIn("lang=en", self.course.run("72", LANG="zh_CN.UTF-8", LC_ALL="C").stdout)
        self.assertIn("没有练习", self.course.run("nosuch", "--lang", "zh").stderr)

    def test_a_c_locale_can_print_chinese(self):
        run = self.course.run("show", "72", "--lang", "zh", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        self.assertEqual(run.returncode, 0)
        self.assertIn("一维卷积", run.stdout)

    def test_colour_only_on_a_terminal(self):
        self.assertIn("colour=False", self.course.run("72").stdout)
        self.assertIn("colour=True", self.on_terminal("72"))
        self.assertIn("colour=False", self.on_terminal("72", "--no-color"))
        self.assertIn("colour=False", self.on_terminal("72", NO_COLOR="1"))

    def on_terminal(self, *arguments, **environment):
        leader, follower = pty.openpty()
        process = subprocess.Popen(self.course.command(*arguments), env=self.course.environment(TERM="xterm", **environment),
                                   stdin=follower, stdout=follower, stderr=follower)
        os.close(follower)
        output = b""
        while select.select([leader], [], [], 60)[0]:
            try:
                chunk = os.read(leader, 65536)
            except OSError:  # EIO: the other end has closed
                break
            if not chunk:
                break
            output += chunk
        os.close(leader)
        process.wait(60)
        return output.decode()

    def test_interrupt_ends_cleanly_with_130(self):
        self.submit("slow")
        started = self.course.root / "started"
        process = subprocess.Popen(self.course.command("72"), env=self.course.environment(FAKE_STARTED=str(started)),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        wait_until(started.exists)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(errors, "Interrupted.\n")

    def test_interrupt_at_any_moment_is_one_line(self):
        """Also while Python reads the program: a traceback of an import is none of a student's business."""
        program = (REPOSITORY / "practice" / "judge.py").read_text(encoding="utf-8").splitlines()
        first_guarded = 1 + program.index("    try:")
        for moment in (0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15):
            for command in (["72"], ["list"], ["doctor"]):
                python, *arguments = self.course.command(*command)
                # -S: no code of whatever else is installed runs before the program.
                process = subprocess.Popen([python, "-S", *arguments], env=self.course.environment(),
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.addCleanup(process.kill)
                wait_until(lambda: b"judge.py" in Path(f"/proc/{process.pid}/cmdline").read_bytes())
                time.sleep(moment)
                process.send_signal(signal.SIGINT)
                _, errors = process.communicate(timeout=60)
                reached = [int(n) for n in re.findall(r'judge\.py", line (\d+)', errors)]
                if "judge_cli" not in errors and max(reached, default=0) < first_guarded and process.returncode in (
                        1, -signal.SIGINT):
                    continue  # Python itself was still starting, or had not come to the first guarded line
                self.assertNotIn("Traceback", errors)
                self.assertLessEqual(errors.count("\n"), 1, errors)

    def test_watch_judges_again_on_save(self):
        self.submit("race")
        process = subprocess.Popen(self.course.command("72", "--watch", "--json"), env=self.course.environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(json.loads(process.stdout.readline())["verdict"], "race")
        replacement = self.conv1d.with_suffix(".tmp")  # as editors save: write beside, rename over
        replacement.write_text("// fake: accepted\n")
        replacement.replace(self.conv1d)
        self.assertEqual(json.loads(process.stdout.readline())["verdict"], "accepted")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)


class CourseCommands(CommandTest):
    def test_list_groups_by_chapter_and_marks_progress(self):
        first = self.course.run("list").stdout
        self.assertLess(first.index("First kernels"), first.index("saxpy"))
        self.assertLess(first.index("The memory hierarchy"), first.index("conv1d"))
        self.assertIn("0 of 2 done", first)
        self.submit("race")
        self.course.run("72")
        self.assertRegex(self.course.run("list").stdout, r"·\s+72  conv1d\s+medium")
        self.submit("accepted")
        self.course.run("72")
        self.submit("race")
        self.course.run("72")
        marked = self.course.run("list").stdout
        self.assertRegex(marked, r"✓\s+72  conv1d")
        self.assertIn("1 of 2 done", marked)

    def test_one_case_or_the_courses_own_solution_earns_no_mark(self):
        self.submit("accepted")
        self.course.run("72", "--case", "ragged")
        reference = self.course.root / "reference" / "072_conv1d" / "conv1d.cu"
        reference.write_text("// fake: accepted\n")
        self.course.run("72", str(reference))
        self.assertIn("0 of 2 done", self.course.run("list").stdout)

    def test_another_file_earns_no_mark(self):
        other = self.course.root / "mine.cu"
        other.write_text("// fake: accepted\n")
        self.assertEqual(self.course.run("72", str(other)).returncode, 0)
        self.assertIn("0 of 2 done", self.course.run("list").stdout)
        self.assertNotRegex(self.course.run("list").stdout, r"·\s+72")
        self.submit("accepted")
        self.course.run("72", os.path.relpath(self.conv1d, self.course.root))  # its own file, by another name
        self.assertIn("1 of 2 done", self.course.run("list").stdout)

    def test_list_as_json(self):
        self.submit("accepted")
        self.course.run("72")
        self.course.run("hint", "60")
        saxpy, conv1d = json.loads(self.course.run("list", "--json").stdout)
        self.assertEqual((saxpy["id"], saxpy["slug"], saxpy["state"], saxpy["hints_shown"]), (60, "saxpy", "new", 1))
        self.assertEqual((conv1d["id"], conv1d["level"], conv1d["state"], conv1d["hints"]), (72, "medium", "done", 4))
        self.assertEqual(conv1d["chapter_title"]["en"], "The memory hierarchy")
        self.assertEqual(conv1d["file"], str(self.conv1d))

    def test_exercises_json_that_misses_a_part_is_a_sentence(self):
        catalogue = self.course.root / "exercises.json"
        content = json.loads(catalogue.read_text())
        del content["exercises"][1]["title"]
        for text, words in ((json.dumps(content), "'title' is missing"), ("[]", "exercises.json: "), ("{}", "'exercises' is missing")):
            catalogue.write_text(text)
            run = self.course.run("list")
            self.assertEqual(run.returncode, 3, text)
            self.assertIn(words, run.stderr)
            self.assertNotIn("Traceback", run.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "needs a second user")
    def test_a_checkout_of_another_user(self):
        """hint and reset ended in tracebacks there."""
        other = {"python": "/usr/bin/python3", "user": 65534, "PYTHONDONTWRITEBYTECODE": "1"}
        self.submit("race")
        for arguments, status in ((["list"], 0), (["show", "72"], 0), (["hint", "72"], 0), (["reset", "72"], 4)):
            run = self.course.run(*arguments, **other)
            self.assertEqual(run.returncode, status, run.stderr)
            self.assertNotIn("Traceback", run.stderr)
        self.assertIn("conv1d.cu could not be put back: Permission denied", run.stderr)
        self.assertIn(f"cp -r {self.course.root} ~/", run.stderr)
        self.assertEqual(self.conv1d.read_text(), "// fake: race\n")
        hint = self.course.run("hint", "72", **other)
        self.assertTrue(hint.stdout.startswith("Hint 1 of 4:"))
        self.assertIn("Your progress could not be saved: Permission denied.", hint.stderr)
        progress = self.course.root / "practice" / ".progress.json"
        self.course.run("hint", "72")
        progress.chmod(0o600)
        unreadable = self.course.run("list", **other)
        self.assertEqual(unreadable.returncode, 0)
        self.assertIn("cannot be read", unreadable.stderr)
        self.assertTrue(progress.exists())

    def test_damaged_progress_is_set_aside(self):
        progress = self.course.root / "practice" / ".progress.json"
        contents = ("{", "[]", '{"version": 1, "exercises": {"072_conv1d": 3}}', '{"version": 9, "exercises": {}}')
        for number, content in enumerate(contents, 1):
            progress.write_text(content)
            run = self.course.run("list")
            self.assertEqual(run.returncode, 0, content)
            self.assertIn("damaged", run.stderr)
            kept = ".progress.json.damaged" + (f".{number}" if number > 1 else "")  # none replaces an earlier one
            self.assertEqual((progress.parent / kept).read_text(), content)

    def test_hints_come_one_by_one_and_are_remembered(self):
        for number in (1, 2, 3, 4):
            run = self.course.run("hint", "72")
            self.assertTrue(run.stdout.startswith(f"Hint {number} of 4:"), run.stdout)
            self.assertEqual(run.stdout.count("Hint "), 1)
        last = self.course.run("hint", "72").stdout
        self.assertEqual(last.count("Hint "), 4)
        self.assertIn("all there is", last)
        self.assertTrue(self.course.run("hint", "60").stdout.startswith("Hint 1 of 3:"))
        self.assertTrue(self.course.run("hint", "60", "--lang", "zh").stdout.startswith("提示 2/3："))

    def test_show_renders_both_languages_within_the_width(self):
        for language, word in (("en", "convolution"), ("zh", "卷积")):
            for exercise in ("60", "72"):
                text = self.course.run("show", exercise, "--lang", language).stdout
                self.assertNotIn("**", text)
                self.assertNotIn("\x1b", text)
                self.assertLessEqual(max(display_width(line) for line in text.splitlines()), 100)
            self.assertIn(word, text)

    def test_reset_keeps_every_version(self):
        for number, content in ((1, b"my first attempt"), (2, b"my second attempt")):
            self.conv1d.write_bytes(content)
            run = self.course.run("reset", "72")
            self.assertEqual(run.returncode, 0)
            self.assertIn(f"conv1d.{number}.bak.cu", run.stdout)
            self.assertEqual(self.conv1d.read_bytes(), STUB)
            self.assertEqual(self.conv1d.with_name(f"conv1d.{number}.bak.cu").read_bytes(), content)
        self.assertEqual(self.conv1d.with_name("conv1d.1.bak.cu").read_bytes(), b"my first attempt")
        self.assertIn("already", self.course.run("reset", "72").stdout)
        self.assertFalse(self.conv1d.with_name("conv1d.3.bak.cu").exists())
        self.conv1d.unlink()
        self.assertEqual(self.course.run("reset", "72").returncode, 0)
        self.assertEqual(self.conv1d.read_bytes(), STUB)

    def test_check_fails_when_one_exercise_does(self):
        run = self.course.run("check")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertLess(run.stdout.index("60 saxpy"), run.stdout.index("72 conv1d"))
        self.assertEqual(run.stdout.count("6 of 6 submissions as expected, 0 errors, 0 warnings"), 2)
        run = self.course.run("check", "--jobs", "3", FAKE_UNSOUND="60")
        self.assertEqual(run.returncode, 1)
        self.assertIn("1 of 6 submissions as expected, 5 errors", run.stdout)
        self.assertIn("✗ the stub is accepted as shipped", run.stdout)
        self.assertIn("✗ wrong_0.cu: no case catches it: it is accepted, expected wrong_answer", run.stdout)
        self.assertEqual(self.course.run("check", "72", FAKE_UNSOUND="60").returncode, 0)

    def test_check_as_json(self):
        run = self.course.run("check", "--json", FAKE_UNSOUND="60")
        saxpy, conv1d = json.loads(run.stdout)
        self.assertEqual((run.returncode, saxpy["ok"], conv1d["ok"]), (1, False, True))
        self.assertEqual([s["kind"] for s in conv1d["submissions"]], ["stub", "reference"] + 4 * ["wrong"])
        self.assertEqual(conv1d["submissions"][2]["cases"]["ragged"], "wrong_answer")
        self.assertIn({"not_caught", "stub"}, [{f["kind"] for f in saxpy["findings"]}])

    def test_control_c_ends_a_check(self):
        started = self.course.root / "started"
        process = subprocess.Popen(self.course.command("check"), cwd=self.course.root, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE,
                                   env=self.course.environment(FAKE_SLOW_CHECK="1", FAKE_STARTED=str(started)))
        wait_until(started.exists)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        self.assertEqual((process.returncode, told), (130, "Interrupted.\n"))

    def test_doctor_tells_what_each_thing_means(self):
        run = self.course.run("doctor")
        self.assertEqual(run.returncode, 4, run.stdout)  # the stand-in says that judge-host is missing
        for line in (r"✓ nvcc\s+\d+\.\d+", r"✓ landlock\s+ABI 4", r"· seccomp\s+the kernel lacks it: judging works",
                     r"avx2, \d+ cores?: runs every kernel", r"✗ judge .*missing: judge-host"):
            self.assertRegex(run.stdout, line)

    def test_a_closed_pipe_is_no_error(self):
        process = subprocess.Popen(self.course.command("show", "72"), env=self.course.environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.close()
        self.assertNotIn("Traceback", process.stderr.read())
        process.stderr.close()
        process.wait(60)


class Stubs(unittest.TestCase):
    def test_every_exercise_has_its_pristine_stub(self):
        for folder in sorted((REPOSITORY / "practice").glob("[0-9]*_*")):
            if not (folder / f"{folder.name[4:]}.cu").exists():
                continue  # a quiz
            committed = subprocess.run(["git", "show", f"HEAD:practice/{folder.name}/{folder.name[4:]}.cu"], cwd=REPOSITORY,
                                       capture_output=True)
            # Outside git the student's file may have been edited; then it is enough that the copy exists.
            pristine = (REPOSITORY / "reference" / folder.name / "stub.cu").read_bytes()
            self.assertTrue(pristine)
            if committed.returncode == 0:
                self.assertEqual(pristine, committed.stdout, folder.name)


def display_width(line):
    import unicodedata

    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in re.sub(r"\x1b\[[0-9;]*m", "", line))


if __name__ == "__main__":
    unittest.main()
