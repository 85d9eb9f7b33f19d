// Each build costs most of a second of nvcc, so a case asserts everything that one build can show.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catch.h"
#include "judge/sandbox/sandbox.h"
#include "workshop.h"

using namespace judge::build;
using Catch::Matchers::Contains;

namespace {

bool exports(const std::filesystem::path& library, const std::string& name) {
  judge::sandbox::BoxOptions options;
  options.argv = {"/usr/bin/nm", "--dynamic", "--defined-only", library.string()};
  options.readable = {library};
  const auto listed = judge::sandbox::run(options, std::chrono::steady_clock::now() + std::chrono::seconds(10));
  REQUIRE(listed.exit.status == 0);
  return listed.out.find(" " + name + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE(
    "a right submission: library, line info, resources, local include; then from the cache until the include changes") {
  Workshop shop;
  shop.write("factor.cuh", "__device__ inline float factor() { return 2; }\n");
  const std::string source =
      "#include \"factor.cuh\"\n"
      "__constant__ float c[4];\n"
      "__global__ void scale_kernel(const float* x, float* y, int n) {\n"
      "  __shared__ float s[64];\n"
      "  s[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
      "  if (threadIdx.x < n) y[threadIdx.x] = s[63 - threadIdx.x] * factor() * c[0];\n"
      "}\n"
      "static void helper() {}\n"
      "void scale(const float* x, float* y, int n) { helper(); scale_kernel<<<1, 64>>>(x, y, n); }\n"
      "extern \"C\" void visible_by_mistake() {}\n";
  const Request request = shop.request(source);
  const Result first = build(request, toolchain());
  INFO(text_of(first));
  REQUIRE(first.ok);
  CHECK(!first.cached);
  CHECK(first.diagnostics.empty());
  REQUIRE(first.kernels.size() == 1);
  CHECK(first.kernels[0].kernel == "scale_kernel");
  CHECK(first.kernels[0].registers > 0);
  CHECK(first.kernels[0].shared_bytes == 256);
  CHECK_THAT(first.command, Contains("nvcc -O3 -lineinfo") && Contains("scale.cu"));
  CHECK(exports(first.library, "judge_entry"));
  CHECK(!exports(first.library, "visible_by_mistake"));
  CHECK(!shop.leftovers());

  const Result second = build(request, toolchain());
  CHECK(second.ok);
  CHECK(second.cached);
  CHECK(second.library == first.library);
  CHECK(second.kernels.size() == 1);
  CHECK(second.kernels[0].shared_bytes == 256);
  CHECK(second.command == first.command);
  CHECK(second.wall_ms < 20);

  shop.write("factor.cuh", "__device__ inline float factor() { return syntax error; }\n");
  const Result third = build(request, toolchain());
  CHECK(!third.ok);
  CHECK(!third.cached);
  REQUIRE(!third.diagnostics.empty());
  CHECK(third.diagnostics[0].file == "factor.cuh");
  CHECK(third.diagnostics[0].line == 1);
  CHECK(build(request, toolchain()).cached);  // failures are kept too
  CHECK(shop.entries() == 1);
}

TEST_CASE("static, extern \"C\", overloaded and const-qualified entries have the right signature") {
  Workshop shop;
  const Result result = build(shop.request("static void scale(const float* x, float* y, const int n) noexcept {}\n"
                                           "void scale(float* x) {}\n"),
                              toolchain());
  INFO(text_of(result));
  CHECK(result.ok);
  const Result c = build(shop.request("extern \"C\" void scale(const float* x, float* y, int n) {}\n"), toolchain());
  INFO(text_of(c));
  CHECK(c.ok);
}

TEST_CASE("a wrong entry is explained with the signature that is wanted") {
  Workshop shop;
  struct Case {
    const char* source;
    int line;
    const char* says;
  };
  for (const Case& wrong : {Case{"\nvoid scale(const float* x, float* y) {}\n", 2, "has another signature"},
                            Case{"int scale(const float*, float*, int) { return 0; }\n", 1, "has another signature"},
                            Case{"void scal(const float*, float*, int) {}\n", 0, "does not define scale"},
                            Case{"namespace s {\nvoid scale(const float*, float*, int) {}\n}\n", 2, "file scope"},
                            Case{"__global__ void scale(const float*, float*, int) {}\n", 1, "__global__ kernel"}}) {
    const Result result = build(shop.request(wrong.source), toolchain());
    INFO(wrong.source << text_of(result));
    CHECK(!result.ok);
    CHECK(result.wrong_prototype);
    REQUIRE(!result.diagnostics.empty());
    CHECK(result.diagnostics[0].file == "scale.cu");
    CHECK(result.diagnostics[0].line == wrong.line);
    CHECK_THAT(result.diagnostics[0].text,
               Contains(wrong.says) && Contains("`void scale(const float* x, float* y, int n)`"));
    CHECK(text_of(result).find("judge_entry") == std::string::npos);
  }
}

TEST_CASE("an error of the student's own is not taken for a wrong prototype") {
  Workshop shop;
  const Result result =
      build(shop.request("void scale(const float* x, float* y, int n) {\n  if (n) {\n}\n"), toolchain());
  INFO(text_of(result));
  CHECK(!result.ok);
  CHECK(!result.wrong_prototype);
  CHECK_THAT(text_of(result), Contains("expected a \"}\"") && !Contains("judge_entry"));
  const Result link =
      build(shop.request("void other();\nvoid scale(const float* x, float* y, int n) { other(); }\n"), toolchain());
  INFO(text_of(link));
  CHECK(!link.ok);
  REQUIRE(link.diagnostics.size() == 1);
  CHECK(link.diagnostics[0].line == 2);
  CHECK_THAT(link.diagnostics[0].text, Contains("'other()'") && Contains("defined nowhere"));
}

TEST_CASE("a CPU reference is compiled, cached, rebuilt when it changes, and explained when it fails") {
  Workshop shop;
  const std::string prototype = "void twice(const float* x, float* y, int n)";
  const auto reference = [&] {
    return build_reference(shop.sources() / "twice_cpu.cpp", prototype, "twice", {"const float*", "float*", "int"},
                           shop.cache());
  };
  shop.write("twice_cpu.cpp",
             "void twice(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = 2 * x[i]; }\n");
  const std::filesystem::path library = reference();
  CHECK(reference() == library);
  void* const handle = dlopen(library.c_str(), RTLD_NOW);
  REQUIRE(handle);
  const auto call = reinterpret_cast<void (*)(void**)>(dlsym(handle, "judge_reference"));
  REQUIRE(call);
  const float input[3] = {1, 2, 3};
  float output[3] = {};
  const float* x = input;
  float* y = output;
  int n = 3;
  void* arguments[] = {&x, &y, &n};
  call(arguments);
  CHECK(output[2] == 6);
  dlclose(handle);

  shop.write("twice_cpu.cpp", "void twice(const float* x, float* y) {}\n");
  CHECK_THROWS_WITH(reference(), Contains("twice_cpu.cpp"));
  CHECK(!shop.leftovers());
}

TEST_CASE("a space, quotes, &, parentheses, $ and other letters in folders and names are no errors of the student's") {
  Workshop shop;
  const std::filesystem::path odd = shop.sources() / "a b'c\"d&e(f)$HOME;g`h\xc3\xa9,i";
  std::filesystem::create_directories(odd / "cache");
  std::ofstream(odd / "factor.cuh") << "__device__ inline float factor() { return 2; }\n";
  Request request = shop.request(
      "#include \"factor.cuh\"\n"
      "__global__ void scale_kernel(float* y) { *y = factor(); }\n"
      "void scale(const float* x, float* y, int n) { scale_kernel<<<1, 1>>>(y); }\n");
  request.source_dir = odd;
  request.cache_dir = odd / "cache";
  request.source_name = "it's $my (first) & \xe5\x8d\xb7\xe7\xa7\xaf.cu";
  const Result right = build(request, toolchain());
  INFO(text_of(right));
  REQUIRE(right.ok);
  CHECK(build(request, toolchain()).cached);

  // The names that a report shows are the true ones, and the entry depends on the header.
  std::ofstream(odd / "factor.cuh") << "__device__ inline float factor() { return nonsense; }\n";
  const Result wrong_header = build(request, toolchain());
  REQUIRE(!wrong_header.ok);
  CHECK(wrong_header.diagnostics[0].file == "factor.cuh");
  CHECK(wrong_header.diagnostics[0].line == 1);
  request.source = "void scale(const float* x, float* y, int n) { nonsense; }\n";
  const Result wrong = build(request, toolchain());
  REQUIRE(!wrong.ok);
  CHECK(wrong.diagnostics[0].file == request.source_name);
  CHECK(true_name("/tmp/x/judge_beside/sub/factor.cuh", request.source_name) == "sub/factor.cuh");

  std::ofstream(odd / "saxpy_cpu.cpp") << "void scale_cpu(int n) {}\n";
  CHECK(std::filesystem::exists(
      build_reference(odd / "saxpy_cpu.cpp", "void scale_cpu(int n)", "scale_cpu", {"int"}, request.cache_dir)));
}

TEST_CASE("the course's header is found from anywhere, after the submission's own") {
  Workshop shop;
  std::filesystem::create_directories(shop.sources() / "practice");
  const std::filesystem::path header = shop.sources() / "practice/common.cuh";
  std::ofstream(header) << "#pragma once\ninline int common() { return 1; }\n";
  for (const char* name : {"\"common.cuh\"", "\"../common.cuh\"", "<common.cuh>"}) {
    INFO(name);
    Request request = shop.request("#include " + std::string(name) +
                                   "\nvoid scale(const float*, float*, int) { static_assert(sizeof common()); }\n");
    CHECK(!build(request, toolchain()).ok);  // no header, and no word of where it was looked for
    request.common_header = header;
    const Result found = build(request, toolchain());
    INFO(text_of(found));
    CHECK(found.ok);
    CHECK(build(request, toolchain()).cached);
  }

  Request request = shop.request("#include \"common.cuh\"\nvoid scale(const float*, float*, int) {}\n");
  request.common_header = header;
  std::ofstream(header) << "#error changed\n";
  const Result changed = build(request, toolchain());
  REQUIRE(!changed.ok);
  CHECK(text_of(changed).find("common.cuh:1: #error") != std::string::npos);
  CHECK(text_of(changed).find("judge_common") == std::string::npos);
  shop.write("common.cuh", "");
  CHECK(build(request, toolchain()).ok);
  request.source = "#include \"../common.cuh\"\nvoid scale(const float*, float*, int) {}\n";
  CHECK(text_of(build(request, toolchain())).find("common.cuh:1: #error") == 0);
}

TEST_CASE("the same text in another folder is compiled with the header of that folder") {
  Workshop shop;
  for (const char* folder : {"one", "two"}) {
    std::filesystem::create_directories(shop.sources() / folder);
    std::ofstream(shop.sources() / folder / "n.h") << (folder[0] == 'o' ? "" : "#error two\n");
  }
  Request request = shop.request("#include \"n.h\"\nvoid scale(const float*, float*, int) {}\n");
  request.source_dir = shop.sources() / "one";
  CHECK(build(request, toolchain()).ok);
  request.source_dir = shop.sources() / "two";
  CHECK(!build(request, toolchain()).ok);
}

TEST_CASE("root's closed folders and headers are compiled from, without running as root") {
  if (geteuid() != 0) {
    WARN("not root: nothing to try");
    return;
  }
  Workshop shop;
  const std::filesystem::path closed = shop.sources() / "closed";
  std::filesystem::create_directories(closed / "sub");
  std::ofstream(closed / "a.h") << "#include \"sub/b.h\"\n";
  std::ofstream(closed / "sub/b.h") << "#include \"c.h\"\n";
  std::ofstream(closed / "sub/c.h") << "inline int c() { return 1; }\n";
  std::ofstream(shop.sources() / "secret.h") << "#error secret\n";
  std::filesystem::create_symlink(shop.sources() / "secret.h", closed / "leads_away.h");
  chmod((shop.sources() / "secret.h").c_str(), 0600);
  chmod((closed / "a.h").c_str(), 0600);
  chmod(closed.c_str(), 0700);
  chmod(shop.cache().c_str(), 0700);
  Request request = shop.request("#include \"a.h\"\nvoid scale(const float*, float*, int) { c(); }\n");
  request.source_dir = closed;
  const Result result = build(request, toolchain());
  INFO(text_of(result));
  CHECK(result.ok);
  CHECK(build(request, toolchain()).cached);
  request.source = "#include \"leads_away.h\"\nvoid scale(const float*, float*, int) {}\n";
  const Result led_away = build(request, toolchain());
  CHECK(!led_away.ok);
  CHECK(text_of(led_away).find("secret\n") == std::string::npos);
}
