"""The first run on machines that lack things, faked through PATH; and when the judge is built again."""

import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from course import REPOSITORY, Course, wait_until

from judge_cli import toolchain
from judge_cli.bootstrap import Bootstrap, source_digest
from judge_cli.terminal import Terminal



def is_running(pid):
    """False also for a zombie that nobody has waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


ENGLISH = Terminal("en", colour=False)
CHINESE = Terminal("zh", colour=False)


class Machine:
    """A PATH folder with chosen programs, and a log of those that are fakes."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="judge-path-")
        self.path = Path(self._folder.name)
        os.chmod(self.path, 0o755)
        self.log = self.path / "log"
        self.log.touch()
        os.chmod(self.log, 0o666)

    def real(self, *names):
        for name in names:
            (self.path / name).symlink_to(shutil.which(name))

    def fake(self, name, body):
        """A shell script that logs its arguments, then does `body`."""
        file = self.path / name
        file.write_text(f'#!/bin/sh\necho {name} "$@" >> "{self.log}"\n{body}\n')
        file.chmod(file.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        return str(file)

    def environment(self, **more):
        return {"PATH": str(self.path), **more}

    def close(self):
        self._folder.cleanup()


class MachineTest(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.close)

    def sentences(self, terminal=ENGLISH):
        return [p.sentence for p in toolchain.build_problems(terminal, self.machine.environment())]


class MissingTools(MachineTest):
    def test_nothing_missing(self):
        self.machine.real("g++", "cmake", "make", "pkg-config")
        self.assertEqual(self.sentences(), [])

    def test_each_missing_tool_is_one_sentence_with_its_package(self):
        tools = {"g++": "There is no C++ compiler: install the package g++.",
                 "cmake": "CMake was not found: install the package cmake.",
                 "make": "Neither ninja nor make was found: install the package ninja-build.",
                 "pkg-config": "pkg-config was not found: install the package pkg-config."}
        for missing, sentence in tools.items():
            machine = Machine()
            self.addCleanup(machine.close)
            machine.real(*(tool for tool in tools if tool != missing))
            problems = toolchain.build_problems(ENGLISH, machine.environment())
            self.assertEqual([p.sentence for p in problems], [sentence])
            self.assertTrue(problems[0].package)
            self.assertNotEqual(toolchain.build_problems(CHINESE, machine.environment())[0].sentence, sentence)

    def test_cmake_version_boundary(self):
        self.machine.real("g++", "make", "pkg-config")
        self.machine.fake("cmake", "echo cmake version 3.21.7")
        self.assertIn("3.22 or newer", self.sentences()[0])
        self.machine.fake("cmake", "echo cmake version 3.22.0")
        self.assertEqual(self.sentences(), [])
        self.machine.fake("cmake", "exit 1")
        self.assertIn("CMake ?", self.sentences()[0])

    def test_missing_library_names_its_package(self):
        self.machine.real("g++", "cmake", "make", "pkg-config")
        with tempfile.TemporaryDirectory() as empty:
            problems = toolchain.build_problems(ENGLISH, self.machine.environment(), True, (empty,))
            packages = {p.package for p in problems}
            self.assertEqual(packages, {"nlohmann-json3-dev", "libvalijson-dev", "libfmt-dev", "pybind11-dev",
                                        "libseccomp-dev", "libzstd-dev", "catch2"})
            (Path(empty) / "catch2").mkdir()
            (Path(empty) / "catch2" / "catch_all.hpp").touch()  # Catch2 3
            problems = toolchain.build_problems(ENGLISH, self.machine.environment(), True, (empty,))
            self.assertNotIn("catch2", {p.package for p in problems})

    def test_python_without_headers(self):
        debian = toolchain.python_problem(ENGLISH, "/usr/bin/python3.11", present=False)
        self.assertEqual(debian.package, "python3-dev")
        other = toolchain.python_problem(ENGLISH, "/opt/python/bin/python3", present=False)
        self.assertEqual(other.package, "")
        self.assertIn("another Python", other.sentence)
        self.assertIsNone(toolchain.python_problem(ENGLISH, "/opt/python/bin/python3", present=True))


class MissingNvcc(MachineTest):
    def problem(self, elsewhere=(), default="/nowhere/nvcc", **environment):
        problem = toolchain.nvcc_problem(ENGLISH, self.machine.environment(**environment), default, elsewhere)
        return problem.sentence if problem else None

    def test_none_at_all(self):
        self.assertIn("install the CUDA Toolkit 13 (", self.problem())

    def test_present_but_not_on_path(self):
        with tempfile.TemporaryDirectory() as folder:
            nvcc = Path(folder) / "cuda-13.0" / "bin" / "nvcc"
            nvcc.parent.mkdir(parents=True)
            nvcc.touch()
            self.assertIn(f"export PATH={nvcc.parent}:$PATH", self.problem((folder + "/cuda-*/bin/nvcc",)))

    def test_version_boundary(self):
        for release, wrong in (("11.8", "too old"), ("12.9", "too old"), ("13.0", ""), ("13.9", ""), ("14.0", "newer than")):
            self.machine.fake("nvcc", f"echo Cuda compilation tools, release {release}, V{release}.1")
            problem = self.problem()
            self.assertEqual(problem is None, not wrong, release)
            if problem:
                self.assertIn(f"nvcc {release} at {self.machine.path}/nvcc is {wrong}", problem)
                self.assertIn("the CUDA Toolkit 13 is needed", problem)

    def test_broken(self):
        self.machine.fake("nvcc", "exit 1")
        self.assertIn("does not run", self.problem())

    def test_order_of_search(self):
        with tempfile.TemporaryDirectory() as home:
            in_home = Path(home) / "bin" / "nvcc"
            in_home.parent.mkdir()
            on_path = self.machine.fake("nvcc", "")
            shutil.copy(on_path, in_home)
            find = toolchain.find_nvcc
            self.assertEqual(find(self.machine.environment(), "/nowhere"), on_path)
            self.assertEqual(find(self.machine.environment(CUDA_HOME=home), "/nowhere"), str(in_home))
            self.assertEqual(find(self.machine.environment(CUDA_HOME=home, CUDACXX=on_path), "/nowhere"), on_path)
            self.assertEqual(find({"PATH": home}, on_path), on_path)


class FirstRun(MachineTest):
    def setUp(self):
        super().setUp()
        self.course = Course(module=None)
        self.addCleanup(self.course.close)
        self.machine.fake("nvcc", "echo release 13.0")
        self.machine.real("sh", "ln", "cp", "mkdir", "make", "pkg-config")

    def run_judge(self, *arguments, **options):
        return self.course.run(*arguments, PATH=str(self.machine.path), CUDACXX=str(self.machine.path / "nvcc"), **options)

    def fake_build(self):
        """A cmake that "builds" the stand-in module."""
        programs = self.course.root / "build" / "bin"
        module = REPOSITORY / "tests" / "cli" / "fake" / "_judge.py"
        self.machine.fake("cmake", f"""case "$1" in
  --version) echo cmake version 3.25.1 ;;
  --build) echo "[1/2] Building"; mkdir -p {programs}; cp {module} {programs}; echo "[2/2] Linking" ;;
esac""")

    def log(self):
        return self.machine.log.read_text()

    def test_without_root_the_one_command_is_printed_and_nothing_is_installed(self):
        self.machine.fake("apt-get", "")
        python, user = sys.executable, None
        if os.geteuid() == 0:  # Debian's own: the one that runs this may lie in a folder only root enters
            python, user = "/usr/bin/python3", 65534
        os.chmod(self.course.root / "build", 0o777)
        run = self.run_judge("72", python=python, user=user, PYTHONDONTWRITEBYTECODE="1")
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertRegex(run.stderr, r"\n    sudo apt-get install -y g\+\+ cmake")
        self.assertEqual(run.stderr.count("sudo"), 1)
        self.assertNotIn("Traceback", run.stderr)
        self.assertNotIn("apt-get", self.log())

    @unittest.skipUnless(os.geteuid() == 0, "only root may install packages")
    def test_as_root_installs_builds_and_judges_and_then_starts_at_once(self):
        self.fake_build()
        compiler = shutil.which("g++")
        self.machine.fake("apt-get", f'[ "$1" = install ] && ln -s {compiler} {self.machine.path}/g++; exit 0')
        run = self.run_judge("72")
        self.assertEqual(run.returncode, 18, run.stderr)
        self.assertIn("verdict: wrong_answer", run.stdout)
        self.assertIn("100 %", run.stderr)
        log = self.log()
        self.assertIn("apt-get update", log)
        self.assertRegex(log, r"apt-get install -y -q --no-install-recommends g\+\+\n")
        self.assertIn("cmake --preset release -DPython_EXECUTABLE=" + sys.executable, log)

        self.machine.log.write_text("")
        self.assertEqual(self.run_judge("72").returncode, 18)
        self.assertEqual(self.log(), "")  # neither cmake nor nvcc ran

        source = self.course.root / "judge" / "new.cpp"
        source.touch()
        self.assertEqual(self.run_judge("72").returncode, 18)
        self.assertIn("cmake --build", self.log())

    def test_a_failed_build_shows_the_end_of_its_output(self):
        self.machine.real("g++")
        self.machine.fake("cmake", 'case "$1" in --version) echo cmake version 3.25.1;; --build) echo boom; exit 1;; esac')
        run = self.run_judge("72")
        self.assertEqual(run.returncode, 4)
        self.assertIn("  boom", run.stderr)
        self.assertIn("bootstrap.log", run.stderr)
        self.assertFalse((self.course.root / "build" / "judge.stamp").exists())

    def test_an_interrupted_build_leaves_no_process(self):
        self.machine.real("g++", "sleep")
        child = self.course.root / "child"
        # "exec" would hide that the shell's own children must end too.
        self.machine.fake("cmake", f"""case "$1" in
  --version) echo cmake version 3.25.1 ;;
  --build) sleep 60 & echo $! > {child}.new; mv {child}.new {child}; wait ;;
esac""")
        self.machine.real("mv")
        process = subprocess.Popen(self.course.command("72"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.course.environment(PATH=str(self.machine.path),
                                                               CUDACXX=str(self.machine.path / "nvcc")))
        self.addCleanup(process.kill)
        wait_until(child.exists)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertNotIn("Traceback", errors)
        wait_until(lambda: not is_running(int(child.read_text())))

    def test_a_slow_step_names_what_is_compiled_at_least_every_ten_seconds(self):
        """Once, 79 seconds passed without a word while two large files were compiled."""
        self.fake_build()
        self.machine.real("g++", "sleep")
        slow = self.machine.fake("slow", "")
        shutil.copy(shutil.which("sh"), slow)  # its command line is as a compiler's: -c FILE
        (self.course.root / "judge" / "large.cpp").write_text("sleep 12\n")
        programs, module = self.course.root / "build" / "bin", REPOSITORY / "tests" / "cli" / "fake" / "_judge.py"
        self.machine.fake("cmake", f"""case "$1" in
  --version) echo cmake version 3.25.1 ;;
  --build) echo "[1/4] Building"; {slow} -e {self.course.root}/judge/large.cpp -c {self.course.root}/judge/large.cpp
    mkdir -p {programs}; cp {module} {programs}; echo "[4/4] Linking" ;;
esac""")
        run = self.run_judge("72")
        self.assertEqual(run.returncode, 18, run.stderr)
        self.assertRegex(run.stderr, r"  25 %\n   25 %  0:1[0-2]  judge/large.cpp\n")

    @unittest.skipUnless(os.geteuid() == 0, "needs a second user")
    def test_a_checkout_of_another_user_that_was_never_built(self):
        self.machine.real("g++")
        self.fake_build()
        os.chmod(self.course.root / "build", 0o755)
        run = self.run_judge("72", python="/usr/bin/python3", user=65534, PYTHONDONTWRITEBYTECODE="1")
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertRegex(run.stderr, "The judge must be built, and .*bootstrap.lock cannot be written: Permission denied")
        self.assertIn(f"cp -r {self.course.root} ~/", run.stderr)
        self.assertNotIn("Traceback", run.stderr)

    def test_list_show_and_hint_need_neither_tools_nor_a_build(self):
        for arguments in (["list"], ["list", "--json"], ["show", "72"], ["hint", "72"], ["reset", "72"]):
            run = self.run_judge(*arguments)
            self.assertEqual((run.returncode, run.stderr), (0, ""), arguments)
        self.assertEqual(self.log(), "")
        self.assertEqual(list((self.course.root / "build").iterdir()), [])

    def test_a_vanished_nvcc_is_noticed_after_the_first_time(self):
        self.fake_build()
        self.machine.real("g++")
        self.assertEqual(self.run_judge("72").returncode, 18)
        self.machine.fake("nvcc", "echo release 11.8")
        run = self.run_judge("72")
        self.assertEqual(run.returncode, 4)
        self.assertIn("nvcc 11.8", run.stderr)

    def test_doctor_works_before_anything_is_there(self):
        run = self.run_judge("doctor")
        self.assertEqual(run.returncode, 4)
        self.assertIn("✗ cmake", run.stdout)
        self.assertIn("apt-get install -y g++ cmake", run.stdout)
        self.assertIn("not built yet", run.stdout)


class Stamp(unittest.TestCase):
    def setUp(self):
        self.course = Course()
        self.addCleanup(self.course.close)

    def test_digest_follows_the_sources_and_nothing_else(self):
        root = self.course.root
        before = source_digest(root)
        (root / "judge" / "README.md").touch()
        (root / "practice" / "notes.cpp").touch()
        self.assertEqual(source_digest(root), before)
        (root / "judge" / "a.cpp").touch()
        added = source_digest(root)
        self.assertNotEqual(added, before)
        (root / "judge" / "a.cpp").write_text("x")
        self.assertNotEqual(source_digest(root), added)

    def test_a_damaged_stamp_counts_as_none(self):
        stamp = self.course.root / "build" / "judge.stamp"
        for content in ("", "[]", "{"):
            stamp.write_text(content)
            self.assertEqual(Bootstrap(self.course.root, ENGLISH).read_stamp(), {})

    def test_start_takes_little_work(self):
        """Processor time, which a busy machine does not stretch as it does the clock's."""
        self.course.run("list")  # byte-compiles
        spent = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.course.run("list")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        self.assertLess(min(spent), 0.5)


if __name__ == "__main__":
    unittest.main()
