// PTX that nvcc wrote (tests/ptx_corpus): all of it parses and is valid, and says what the .cu says.

#include <filesystem>
#include <fstream>
#include <iterator>

#include "catch.h"
#include "tests/unit/ptx/snippets.h"

using namespace judge::emulator::ptx;

namespace {

const std::filesystem::path corpus = std::filesystem::path(JUDGE_SOURCE_DIR) / "tests/ptx_corpus";

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

Module load(const std::string& name) {
  Module module = parse(read(corpus / name));
  validate(module);
  return module;
}

std::size_t count(const Function& function, std::string_view opcode) {
  std::size_t n = 0;
  for (const Instruction& instruction : function.body) n += instruction.opcode == opcode;
  return n;
}

}  // namespace

TEST_CASE("every file parses, and lines and functions hang together") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    if (entry.path().extension() != ".ptx") continue;
    ++files;
    const std::string name = entry.path().filename().string();
    INFO(name);
    const Module module = load(name);
    CHECK(module.sm == std::stoi(entry.path().stem().extension().string().substr(1)));
    CHECK(module.version_major == 9);
    for (std::size_t i = 0; i < module.locations.size(); ++i) {
      const Location& location = module.locations[i];
      CHECK(module.files.count(location.file) == 1);
      CHECK(location.inlined_at < static_cast<int>(i));
      CHECK((location.inlined_at >= 0) == !location.inlined_function.empty());
    }
    for (const Function& function : module.functions) {
      CHECK(function.registers.size() == function.register_names.size());
      if (!function.is_extern) CHECK(function.body.size() > 0);
    }
  }
  CHECK(files == 21);
}

TEST_CASE("warp.cu: shuffles, votes, inlined functions") {
  for (const char* name : {"warp.75.ptx", "warp.80.ptx", "warp.90.ptx"}) {
    const Module m = load(name);
    const Function* sum = find_function(m, "_Z8warp_sumPKfPfi");
    REQUIRE(sum != nullptr);
    CHECK(sum->is_entry);
    CHECK(sum->parameters.size() == 3);
    CHECK(count(*sum, "shfl") == 5);  // offsets 16, 8, 4, 2, 1
    CHECK(count(*sum, "match") == 1);
    CHECK(count(*sum, "vote") == 3);  // ballot, any, all
    for (const Instruction& instruction : sum->body) {
      if (instruction.opcode != "shfl") continue;
      const Location& inlined = m.locations.at(static_cast<std::size_t>(instruction.location));
      CHECK(inlined.inlined_function.find("__shfl_down_sync") != std::string_view::npos);
      const Location& call = m.locations.at(static_cast<std::size_t>(inlined.inlined_at));
      CHECK(m.files.at(call.file) == "warp.cu");
      CHECK(call.line == 7);
      CHECK(call.inlined_at == -1);
    }
    CHECK(count(*find_function(m, "_Z9half_axpy6__halfPK7__half2PS0_i"), "fma") == 1);
  }
}

TEST_CASE("calls.cu: recursion, tables of functions, structures") {
  const Module m = load("calls.80.ptx");
  const Function* walk = find_function(m, "_Z4walk8ParticlePS_i");
  REQUIRE(walk != nullptr);
  CHECK(walk->parameters.at(0).bytes == 32);  // int, padding, double, three floats, padding
  CHECK(walk->parameters[0].align == 8);
  CHECK(walk->max_threads[0] == 128);
  CHECK(walk->min_blocks == 2);
  CHECK(walk->prototypes.size() == 1);
  CHECK(count(*walk, "trap") == 1);
  const Function* fibonacci = find_function(m, "_Z9fibonaccii");
  REQUIRE(fibonacci != nullptr);
  CHECK_FALSE(fibonacci->is_extern);
  CHECK(count(*fibonacci, "call") == 2);
  CHECK(find_function(m, "vprintf")->is_extern);
  CHECK(find_function(m, "__assertfail")->is_extern);
  const Variable* steps = find_variable(m, "steps");
  REQUIRE(steps != nullptr);
  REQUIRE(steps->relocations.size() == 2);
  CHECK(steps->relocations[1].symbol == "_Z5twicei");
  CHECK(steps->relocations[1].offset == 8);
  CHECK(steps->bytes == 24);
}

TEST_CASE("constants.cu: initial bytes") {
  const Module m = load("constants.90.ptx");
  const Variable* weights = find_variable(m, "weights");
  CHECK(weights->space == Space::constant);
  CHECK(weights->initial.size() == 68);
  CHECK(weights->initial[2] == 0xc0);  // 1.5f = 0x3fc00000
  CHECK(weights->initial[3] == 0x3f);
  CHECK(weights->initial[7] == 0x40);  // 2.0f = 0x40000000
  CHECK(find_variable(m, "matrix")->initial[12] == 3);
  CHECK(find_variable(m, "matrix")->bytes == 24);
  CHECK(find_variable(m, "quarter")->initial[7] == 0x3f);  // 0.25 = 0x3fd0…
  const Variable* root = find_variable(m, "root");
  CHECK(root->initial[0] == 8);
  CHECK(root->initial[23] == 0x40);  // 2.0 = 0x40000000…
  CHECK(root->relocations.at(0).symbol == "leaf");
  CHECK(root->relocations[0].offset == 8);
  CHECK(root->relocations[0].generic);
  CHECK(find_variable(m, "third")->relocations.at(0).addend == 8);
  CHECK(find_variable(m, "counter")->is_managed);
  CHECK(find_variable(m, "tile")->is_extern);
  CHECK(find_variable(m, "tile")->bytes == 0);
  const Function* use = find_function(m, "_Z3usePf");
  CHECK(use->variables.at(0).space == Space::shared);
  CHECK(use->variables[0].bytes == 128);
}

TEST_CASE("groups.cu: labels and registers of inline assembly are local to their braces") {
  const Module m = load("groups.80.ptx");
  const Function& k = m.functions.at(0);
  REQUIRE(k.labels.count("DONE") == 1);
  REQUIRE(k.labels.count("DONE.2") == 1);
  const std::uint32_t first = k.labels.at("DONE"), second = k.labels.at("DONE.2");
  CHECK(k.body.at(first - 1).opcode == "popc");
  CHECK(k.body.at(second - 1).opcode == "popc");
  CHECK(k.body.at(first - 2).operands.at(0).name == "DONE");
  CHECK(k.body.at(second - 2).operands.at(0).name == "DONE.2");
  CHECK(*k.body[first - 2].guard != *k.body[second - 2].guard);
}

TEST_CASE("async.cu: what newer targets add") {
  const Module ampere = load("async.80.ptx");
  CHECK(count(ampere.functions.at(0), "cp") >= 1);
  CHECK(count(ampere.functions[0], "redux") == 1);
  CHECK(count(ampere.functions[0], "mbarrier") == 2);
  const Module hopper = load("async.90.ptx");
  const Function* paired = find_function(hopper, "_Z6pairedPi");
  REQUIRE(paired != nullptr);
  CHECK(paired->cluster[0] == 2);
  CHECK(count(*paired, "mapa") == 1);
}
