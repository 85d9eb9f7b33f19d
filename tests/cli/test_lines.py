"""What a report says about host code and limits, with the real judge: lines of calls, of stores, and where time went."""

import json
import unittest

from course import pristine_course

KERNEL = """\
__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""


class Lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.course = pristine_course()
        cls.addClassCleanup(cls.course.close)

    def judge(self, source, *options):
        self.course.file("060_saxpy").write_text(source, encoding="utf-8")
        return self.course.run("60", *options).stdout

    def line_of(self, source, part):
        return next(k for k, line in enumerate(source.splitlines(), 1) if part in line)

    def check_line(self, source, part, verdict):
        """The report names the line that contains `part`, and shows it."""
        text = self.judge(source)
        self.assertIn(f"saxpy.cu:{self.line_of(source, part)}\n", text, text)
        self.assertIn(part, text)
        self.assertIn(verdict, text)
        return text

    def test_a_launch_that_breaks_a_limit_has_the_line_of_the_launch(self):
        source = KERNEL + """
void saxpy(float a, const float* x, float* y, int n) {
  const int blocks = (n + 2047) / 2048;
  saxpy_kernel<<<blocks, 2048>>>(a, x, y, n);
}
"""
        self.check_line(source, "<<<blocks, 2048>>>", "runtime error")

    def test_a_call_that_fails_has_its_line_also_through_a_template_of_the_headers(self):
        source = KERNEL + """
__constant__ float factor;
void saxpy(float a, const float* x, float* y, int n) {
  cudaMemcpyToSymbol(factor, &a, 4096);
  saxpy_kernel<<<(n + 255) / 256, 256>>>(a, x, y, n);
}
"""
        self.check_line(source, "cudaMemcpyToSymbol(factor", "runtime error")

    def test_an_input_changed_by_a_kernel_has_the_line_of_the_store(self):
        source = """\
__global__ void saxpy_kernel(float a, float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
  if (i < n) x[i] = 0;
}

void saxpy(float a, const float* x, float* y, int n) {
  saxpy_kernel<<<(n + 255) / 256, 256>>>(a, const_cast<float*>(x), y, n);
}
"""
        text = self.check_line(source, "x[i] = 0;", "wrong answer")
        self.assertIn("saxpy_kernel wrote to it", text)

    def test_an_input_changed_by_the_host_has_the_line_of_the_call(self):
        source = KERNEL + """
void saxpy(float a, const float* x, float* y, int n) {
  saxpy_kernel<<<(n + 255) / 256, 256>>>(a, x, y, n);
  cudaMemset(const_cast<float*>(x), 0, n * sizeof(float));
}
"""
        text = self.check_line(source, "cudaMemset(const_cast", "wrong answer")
        self.assertIn("cudaMemset wrote to it", text)

    def test_a_result_computed_on_the_host_names_the_copy(self):
        source = (self.course.root / "reference/060_saxpy/wrong/computed_on_host.cu").read_text(encoding="utf-8")
        text = self.check_line(source, "cudaMemcpyHostToDevice", "requirement not met")
        self.assertIn("computed on the host", text.replace("\n", " ").replace("   ", " "))

    def test_an_endless_kernel_meets_the_step_limit_and_says_where(self):
        source = """\
__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float sum = 0;
  for (int k = 0; k >= 0; k = (k + 1) % 1024) sum = sum + a;
  if (i < n) y[i] = a * x[i] + y[i];
}

void saxpy(float a, const float* x, float* y, int n) { saxpy_kernel<<<(n + 255) / 256, 256>>>(a, x, y, n); }
"""
        text = self.check_line(source, "sum = sum + a;", "time limit")
        self.assertIn("in saxpy_kernel", text)
        self.assertIn("250,001,000", text.replace("250,002,000", "250,001,000"))  # 1,000 steps for each of 2 elements
        self.assertEqual(self.judge(source).count("saxpy.cu:4"), text.count("saxpy.cu:4"))

    def test_the_stub_is_called_the_stub_and_cases_have_chinese_names(self):
        stub = (self.course.root / "reference/060_saxpy/stub.cu").read_text(encoding="utf-8")
        self.assertIn("untouched stub", self.judge(stub))
        self.assertTrue(json.loads(self.judge(stub, "--json"))["untouched_stub"])
        text = self.judge(stub, "--lang", "zh")
        self.assertIn("未改动的初始代码", text)
        self.assertIn("一个元素", text)
        self.assertNotIn("one element", text)
        self.assertNotIn("untouched stub", self.judge(stub + "\n"))

    def test_times_are_never_a_gpus(self):
        text = self.judge(KERNEL + "void saxpy(float a, const float* x, float* y, int n) {"
                          " saxpy_kernel<<<(n + 255) / 256, 256>>>(a, x, y, n); }\n")
        self.assertIn("accepted", text)
        self.assertIn("not of a GPU", text)

    def test_a_case_is_found_by_its_chinese_name(self):
        run = self.course.run("60", "--case", "一个元素", "--json")
        self.assertEqual([c["ran"] for c in json.loads(run.stdout)["cases"]].count(True), 1)


if __name__ == "__main__":
    unittest.main()
