#include <sys/stat.h>

#include "catch.h"
#include "judge/build/compile.h"
#include "judge/build/programs.h"
#include "judge/build/resources.h"
#include "judge/build/sha256.h"
#include "judge/build/unit.h"
#include "workshop.h"

using namespace judge::build;
using Catch::Matchers::Contains;

namespace {

class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, had_ = true;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { had_ ? setenv(name_, old_.c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

}  // namespace

TEST_CASE("SHA-256 gives the values of FIPS 180-4's examples") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  Sha256 million;
  for (int i = 0; i < 1000; ++i) million.update(std::string(1000, 'a'));
  CHECK(million.hex() == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("fields of a key do not run together") {
  Sha256 one, two;
  one.field("ab"), one.field("c");
  two.field("a"), two.field("bc");
  CHECK(one.hex() != two.hex());
}

TEST_CASE("ptxas -v becomes resources of the kernels for the target") {
  const std::string output =
      "ptxas info    : 0 bytes gmem, 68 bytes cmem[3]\n"
      "ptxas info    : Compiling entry function '_Z6conv1dPKfPfi' for 'sm_75'\n"
      "ptxas info    : Function properties for _Z6conv1dPKfPfi\n"
      "    48 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 48 bytes cumulative stack size, 1088 bytes smem, 372 bytes "
      "cmem[0], 8 bytes cmem[2]\n"
      "ptxas info    : Compiling entry function '_Z6conv1dPKfPfi' for 'sm_90'\n"
      "ptxas info    : Function properties for _Z6conv1dPKfPfi\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 20 registers, used 1 barriers\n"
      "ptxas info    : Compiling entry function '_ZN1s1kIiEEvT_' for 'sm_75'\n"
      "ptxas info    : Function properties for _Z6helperv\n"
      "    96 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Function properties for _ZN1s1kIiEEvT_\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n";
  const std::vector<KernelResources> kernels = parse_resources(output, "sm_75");
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].kernel == "conv1d");
  CHECK(kernels[0].registers == 40);
  CHECK(kernels[0].shared_bytes == 1088);
  CHECK(kernels[0].constant_bytes == 380);
  CHECK(kernels[0].stack_bytes == 48);
  CHECK(kernels[0].spill_store_bytes == 12);
  CHECK(kernels[0].spill_load_bytes == 16);
  CHECK(kernels[1].kernel == "s::k<int>");
  CHECK(kernels[1].registers == 8);
  CHECK(kernels[1].stack_bytes == 0);
}

TEST_CASE("names are demangled where they stand") {
  CHECK(demangle_names_in("Entry function '_Z3bigPf' uses too much") == "Entry function 'big(float*)' uses too much");
  CHECK(demangle("plain") == "plain");
}

TEST_CASE("file names cannot end an #include line or pose as an option") {
  CHECK(safe_file_name("conv1d.cu") == "conv1d.cu");
  CHECK(safe_file_name("a\"b\nc.cu") == "a_b_c.cu");
  CHECK(safe_file_name("/etc/x.cu") == "x.cu");
  CHECK(safe_file_name("-o.cu") == "submission.cu");
  CHECK(safe_file_name("..") == "submission.cu");
  CHECK(safe_file_name(kUnitFile) == "submission.cu");
}

TEST_CASE("a make rule gives the local files only, with their digests") {
  Workshop shop;
  shop.write("my helper.h", "abc");
  std::string escaped = (shop.sources() / "my helper.h").string();
  escaped.replace(escaped.find(' '), 1, "\\ ");
  const IncludedFiles files = included_files(
      "unit.o : judge_unit.cu \\\n  /usr/include/stdio.h \\\n " + escaped + " \\\n /opt/toolkit/include/cuda.h\n",
      shop.cache(), "/opt/toolkit");
  REQUIRE(files.size() == 1);
  CHECK(files[0].first == (shop.sources() / "my helper.h").string());
  CHECK(files[0].second == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("only regular files within the cap are read") {
  Workshop shop;
  shop.write("five", "12345");
  CHECK(read_file(shop.sources() / "five", 5) == "12345");
  CHECK(!read_file(shop.sources() / "five", 4));
  CHECK(!read_file("/dev/zero", 100));
  std::filesystem::create_symlink(shop.sources() / "five", shop.sources() / "link");
  CHECK(!read_file(shop.sources() / "link", 100));
  REQUIRE(mkfifo((shop.sources() / "fifo").c_str(), 0666) == 0);
  CHECK(!read_file(shop.sources() / "fifo", 100));
}

TEST_CASE("each fault of the toolchain has its sentence with a remedy") {
  Workshop shop;
  const auto message = [] {
    try {
      find_toolchain();
    } catch (const ToolchainError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  SECTION("CUDACXX names nothing") {
    const Environment chosen("CUDACXX", "/nonexistent/nvcc");
    CHECK_THAT(message(), Contains("/nonexistent/nvcc") && Contains("Remedy: unset CUDACXX"));
  }
  SECTION("not executable") {
    shop.write("nvcc", "");
    const Environment chosen("CUDACXX", (shop.sources() / "nvcc").string());
    CHECK_THAT(message(), Contains("cannot be executed") && Contains("chmod"));
  }
  const auto fake = [&](const std::string& cuda_version) {
    std::filesystem::create_directories(shop.sources() / "bin");
    std::filesystem::create_directories(shop.sources() / "include");
    shop.write("bin/nvcc", "#!/bin/sh\n");
    chmod((shop.sources() / "bin/nvcc").c_str(), 0755);
    shop.write("include/cuda.h", "#define CUDA_VERSION " + cuda_version + "\n");
    return (shop.sources() / "bin/nvcc").string();
  };
  SECTION("12.9 is too old, and says so: it links libcudart.so.12") {
    const Environment chosen("CUDACXX", fake("12090"));
    CHECK_THAT(message(), Contains("12.9") && Contains("too old") && Contains("install the CUDA Toolkit 13"));
  }
  SECTION("14.0 links libcudart.so.14") {
    const Environment chosen("CUDACXX", fake("14000"));
    CHECK_THAT(message(), Contains("14.0") && Contains("does not know yet") && Contains("CUDA Toolkit 13"));
  }
  SECTION("13.1 is right") {
    const Environment chosen("CUDACXX", fake("13010"));
    const Toolchain found = find_toolchain();
    CHECK(found.major == 13);
    CHECK(found.minor == 1);
    CHECK(!found.host_compiler.empty());
  }
}
