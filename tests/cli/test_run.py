"""`judge.py run` with the real judge: what is passed through, what the box allows, how a run ends."""

import json
import os
import signal
import subprocess
import unittest

from course import pristine_course

HOST = "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n"


class RunTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.course = pristine_course()
        cls.addClassCleanup(cls.course.close)

    def write(self, name, text):
        path = self.course.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return str(path)

    def run_program(self, text, *arguments, **options):
        return self.course.run("run", self.write("program.cu", text), *arguments, **options)


class PassedThrough(RunTest):
    def test_streams_status_environment_and_arguments(self):
        run = self.run_program(HOST + r'''
int main(int argc, char** argv) {
  char line[64];
  while (std::fgets(line, sizeof line, stdin)) std::printf("in: %s", line);
  std::fprintf(stderr, "to stderr: %s %s\n", std::getenv("COLOUR_OF_THE_DAY"), argv[argc - 1]);
  return 42;
}''', "--", "--json", "-x", stdin="a\nb\n", COLOUR_OF_THE_DAY="green")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (42, "in: a\nin: b\n", "to stderr: green -x\n"))

    def test_a_signal_is_told_as_shells_do(self):
        run = self.run_program(HOST + "int main() { std::abort(); }")
        self.assertEqual(run.returncode, 128 + signal.SIGABRT)
        self.assertIn("SIGABRT", run.stderr)

    def test_static_objects_and_exit_handlers_run(self):
        run = self.run_program(HOST + r'''
struct Speaker { Speaker() { std::puts("first"); } ~Speaker() { std::puts("last"); } } speaker;
int main() { std::atexit([] { std::puts("at exit"); }); std::puts("main"); }''')
        self.assertEqual((run.returncode, run.stdout), (0, "first\nmain\nat exit\nlast\n"))


class Compilation(RunTest):
    def test_errors_have_the_users_lines_and_status_10(self):
        run = self.run_program("int main() {\n  return nonsense;\n}\n")
        self.assertEqual(run.returncode, 10)
        self.assertIn("program.cu:2", run.stderr)
        self.assertIn("nonsense", run.stderr)

    def test_no_main(self):
        run = self.run_program("__global__ void k() {}\n")
        self.assertEqual(run.returncode, 10, run.stderr)
        self.assertIn("no main()", run.stderr)

    def test_several_sources_headers_and_flags(self):
        (self.course.root / "parts" / "include").mkdir(parents=True)
        self.write("parts/include/answer.h", "#define ANSWER 41\n")
        self.write("parts/own.h", "int helper(int);\n")
        first = self.write("parts/first.cu", '#include "own.h"\n#include <answer.h>\n'
                                             "static_assert(__cplusplus >= 202002L);\nint main() { return helper(ANSWER + MORE); }\n")
        second = self.write("parts/second.cpp", '#include "own.h"\nint helper(int x) { return x; }\n')
        run = self.course.run("run", first, second, "-I", "parts/include", "-D", "MORE=1", "-std=c++20", "--nvcc-flags", "-O1")
        self.assertEqual(run.returncode, 42, run.stderr)

    def test_what_nvcc_makes_is_not_the_users_to_say(self):
        run = self.run_program("int main() {}\n", "--nvcc-flags", "-o program")
        self.assertEqual(run.returncode, 10)
        self.assertIn("`-o`", run.stderr)


class Box(RunTest):
    WRITER = HOST + r'''
int main(int, char** argv) {
  FILE* f = std::fopen(argv[1], "w");
  if (!f) { std::perror(argv[1]); return 5; }
  std::fputs("written", f);
  return std::fclose(f) == 0 ? 0 : 6;
}'''

    def test_files_in_this_folder_are_the_callers_and_the_folder_stays_whose_it_was(self):
        """As root, the box once gave folders that may be written to a user of its own."""
        before = os.stat(self.course.root)
        run = self.run_program(self.WRITER, "--", "output.txt")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.course.root / "output.txt").read_text(), "written")
        after = os.stat(self.course.root)
        self.assertEqual((after.st_uid, after.st_gid, after.st_mode), (before.st_uid, before.st_gid, before.st_mode))
        self.assertEqual(os.stat(self.course.root / "output.txt").st_uid, os.geteuid())

    def test_nowhere_else_and_not_at_all_with_no_write(self):
        outside = "/var/tmp/judge-run-test-outside"
        self.assertEqual(self.run_program(self.WRITER, "--", outside).returncode, 5)
        self.assertFalse(os.path.exists(outside))
        self.assertEqual(self.run_program(self.WRITER, "--no-write", "--", "refused.txt").returncode, 5)
        self.assertFalse((self.course.root / "refused.txt").exists())

    def test_tmp_is_private(self):
        name = f"/tmp/judge-run-test-{os.getpid()}"
        run = self.run_program(self.WRITER, "--", name)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertFalse(os.path.exists(name))


class Ends(RunTest):
    KERNEL = "__global__ void k(int* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"

    def test_a_finding_changes_a_status_of_0_unless_told_not_to(self):
        text = self.KERNEL + "int main() { int* x; cudaMalloc(&x, 40); k<<<1, 32>>>(x, 11); cudaDeviceSynchronize(); }\n"
        run = self.run_program(text)
        self.assertEqual(run.returncode, 11, run.stderr)
        self.assertIn("thread (10, 0, 0)", run.stderr)
        self.assertEqual(self.run_program(text, "--no-fail-on-findings").returncode, 0)
        self.assertEqual(self.run_program(text.replace("cudaDeviceSynchronize();", "return 3;")).returncode, 3)

    def test_time_limit_on_both_sides(self):
        run = self.run_program("int main() { for (volatile int i = 0;; i = i + 1) {} }\n", "--time-limit", "1")
        self.assertEqual(run.returncode, 12, run.stderr)
        endless = "__global__ void k(volatile int* x) { while (*x == 0) {} }\n"
        run = self.run_program(endless + "int main() { int* x; cudaMalloc(&x, 4); cudaMemset(x, 0, 4); k<<<1, 1>>>(x);\n"
                                         "cudaDeviceSynchronize(); }\n", "--time-limit", "1")
        self.assertEqual(run.returncode, 12, run.stderr)

    def test_ctrl_c_is_one_line(self):
        source = self.write("slow.cu", HOST + 'int main() { std::puts("started"); std::fflush(stdout); sleep(60); }\n')
        process = subprocess.Popen(self.course.command("run", source), env=self.course.environment(), cwd=self.course.root,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "started\n")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (130, "Interrupted.\n"))

    def test_report_and_json(self):
        text = self.KERNEL + "int main() { int* x; cudaMalloc(&x, 40); k<<<1, 32>>>(x, 10); k<<<1, 32>>>(x, 5); cudaDeviceSynchronize(); }\n"
        run = self.run_program(text, "--report", "--json", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, r"grid \(1, 1, 1\), block \(32, 1, 1\), 0 bytes of dynamic shared memory, 2 launches")
        self.assertRegex(run.stderr, r"theoretical occupancy 50 % \(16 of 32 warps, 16 blocks\), limited by blocks")
        self.assertLessEqual(max(map(len, run.stderr.splitlines())), 100)
        report = json.loads(run.stdout)
        kernel, = report["kernels"]
        self.assertEqual((kernel["kernel"], kernel["launches"]), ("k", 2))
        counters = kernel["counters"]
        # 10 * 4 bytes from an aligned address are two sectors, 5 * 4 bytes are one.
        self.assertEqual((counters["global_store_requests"], counters["global_store_sectors"]), (2, 3))
        self.assertEqual(kernel["lines"][0]["where"]["line"], 1)

    def test_usage_errors(self):
        source = self.write("program.cu", "int main() {}\n")
        for arguments in ([], ["absent.cu"], [source, "--time-limit", "0"], [source, "--gpu", "gtx1"], [source, "--device", "gpu"],
                          [source, "--nvcc-flags", "'"]):
            run = self.course.run("run", *arguments)
            self.assertEqual(run.returncode, 2, (arguments, run.stderr))
            self.assertNotIn("Traceback", run.stderr)


if __name__ == "__main__":
    unittest.main()
