#include "judge/device/record.h"

#include "catch.h"
#include "judge/device/properties.h"
#include "judge/device/record_json.h"

using namespace judge::device;

TEST_CASE("a record survives its JSON") {
  CaseRecord r;
  LaunchRecord l;
  l.kernel = "conv1d_kernel";
  l.grid = {40, 2, 1};
  l.block = {256, 1, 1};
  l.static_shared_bytes = 1088;
  l.dynamic_shared_bytes = 64;
  l.finished = false;
  l.faults_not_listed = 7;
  l.counters.warp_instructions = 123456789012345;
  l.counters.constant_loads = 17;
  LineRecord line;
  line.where = {"conv1d.cu", 12, 3, "conv1d_kernel"};
  line.counters.global_load_sectors = 4;
  l.lines.push_back(line);
  Fault f;
  f.kind = judge::emulator::FaultKind::race;
  f.kernel = "conv1d_kernel";
  f.where = {"conv1d.cu", 12, 3, "conv1d_kernel"};
  f.who = {{1, 2, 3}, {4, 5, 6}};
  f.space = judge::emulator::MemorySpace::shared;
  f.access = judge::emulator::AccessKind::write;
  f.address = 0x0200'0000'0104;
  f.bytes = 4;
  f.owner = "__shared__ tile";
  f.element = -1;
  f.other = judge::emulator::FaultParty{
      {"conv1d.cu", 9, 1, "load"}, {{1, 2, 3}, {7, 0, 0}}, judge::emulator::AccessKind::atomic};
  f.message = "two threads wrote";
  f.occurrences = 99;
  f.threads_gone = 31;
  l.faults.push_back(f);
  r.launches.push_back(l);
  r.operations = {{OperationKind::copy_to_symbol, 68, -1}, {OperationKind::launch, 0, 0, 0x1010, 0x1020, true}};
  r.operations_not_listed = 3;
  r.api_errors.push_back(
      {"cudaMemcpy", 1, "cudaErrorInvalidValue", "not device memory", true, 0x1234, {"conv1d.cu", 40, 0, ""}});
  r.input_writes = {{"x", "conv1d_kernel", true, 0, {"conv1d.cu", 20, 3, "conv1d_kernel"}}};
  r.host_results = {{"y", 17, 3, "cudaMemcpy", 0x5678, {}}};
  r.unsupported = {"cudaGraphCreate"};
  r.kernel_output = "hello\n";
  r.output_truncated = true;
  r.steps = 20'000'000'001;
  r.leaked_bytes = 4096;

  const CaseRecord back = record_from_json(to_json(r));
  REQUIRE(back.launches.size() == 1);
  const LaunchRecord& bl = back.launches[0];
  CHECK(bl.kernel == "conv1d_kernel");
  CHECK(bl.grid == Dim3{40, 2, 1});
  CHECK(bl.block == Dim3{256, 1, 1});
  CHECK(bl.static_shared_bytes == 1088);
  CHECK(bl.dynamic_shared_bytes == 64);
  CHECK_FALSE(bl.finished);
  CHECK(bl.faults_not_listed == 7);
  CHECK(bl.counters == l.counters);
  REQUIRE(bl.lines.size() == 1);
  CHECK(bl.lines[0].where.line == 12);
  CHECK(bl.lines[0].counters.global_load_sectors == 4);
  REQUIRE(bl.faults.size() == 1);
  const Fault& bf = bl.faults[0];
  CHECK(bf.kind == judge::emulator::FaultKind::race);
  CHECK(bf.who.block == std::array<std::uint32_t, 3>{1, 2, 3});
  CHECK(bf.who.thread == std::array<std::uint32_t, 3>{4, 5, 6});
  CHECK(bf.space == judge::emulator::MemorySpace::shared);
  CHECK(bf.access == judge::emulator::AccessKind::write);
  CHECK(bf.address == 0x0200'0000'0104);
  CHECK(bf.owner == "__shared__ tile");
  REQUIRE(bf.element.has_value());
  CHECK(*bf.element == -1);
  REQUIRE(bf.other.has_value());
  CHECK(bf.other->where.function == "load");
  CHECK(bf.other->access == judge::emulator::AccessKind::atomic);
  CHECK(bf.occurrences == 99);
  CHECK(bf.threads_gone == 31);
  REQUIRE(back.operations.size() == 2);
  CHECK(back.operations[0].kind == OperationKind::copy_to_symbol);
  CHECK(back.operations[0].bytes == 68);
  CHECK(back.operations[0].stream == 0);
  CHECK_FALSE(back.operations[0].asynchronous);
  CHECK(back.operations[1].launch == 0);
  CHECK(back.operations[1].stream == 0x1010);
  CHECK(back.operations[1].event == 0x1020);
  CHECK(back.operations[1].asynchronous);
  CHECK(back.operations_not_listed == 3);
  REQUIRE(back.api_errors.size() == 1);
  CHECK(back.api_errors[0].is_launch);
  CHECK(back.api_errors[0].detail == "not device memory");
  CHECK(back.api_errors[0].call_site == 0x1234);
  CHECK(back.api_errors[0].where.line == 40);
  REQUIRE(back.input_writes.size() == 1);
  CHECK(back.input_writes[0].buffer == "x");
  CHECK(back.input_writes[0].by_kernel);
  CHECK(back.input_writes[0].where.line == 20);
  REQUIRE(back.host_results.size() == 1);
  CHECK(back.host_results[0].elements == 17);
  CHECK(back.host_results[0].first == 3);
  CHECK(back.host_results[0].call_site == 0x5678);
  CHECK(back.unsupported == std::vector<std::string>{"cudaGraphCreate"});
  CHECK(back.kernel_output == "hello\n");
  CHECK(back.output_truncated);
  CHECK(back.steps == 20'000'000'001);
  CHECK(back.leaked_bytes == 4096);
}

TEST_CASE("device printf that is not UTF-8 does not break the record") {
  CaseRecord r;
  r.kernel_output = "a\xff\xfe z";
  CHECK(record_from_json(to_json(r)).kernel_output == "a\xEF\xBF\xBD\xEF\xBF\xBD z");
}

TEST_CASE("a record that is not one is refused") {
  CHECK_THROWS_AS(record_from_json("{"), std::runtime_error);
  CHECK_THROWS_AS(record_from_json("{}"), std::runtime_error);
  CHECK_THROWS_AS(record_from_json("[1]"), std::runtime_error);
}

TEST_CASE("properties of the T4 survive their JSON") {
  const auto t4 = known_gpu("t4");
  REQUIRE(t4.has_value());
  const DeviceProperties p = properties_from_json(to_json(*t4));
  CHECK(p.name == "Tesla T4");
  CHECK(p.major * 10 + p.minor == 75);
  CHECK(p.multiprocessors == 40);
  CHECK(p.shared_bytes_per_block == 49152);
  CHECK(p.max_grid[1] == 65535);
  CHECK_FALSE(known_gpu("abacus").has_value());
}

TEST_CASE("each GPU that can be stood for has the limits of its compute capability") {
  // Shared memory with opt-in, threads and blocks of a multiprocessor: CUDA C++ Programming Guide, technical
  // specifications per compute capability.
  struct Row {
    const char* gpu;
    int target, threads, blocks, multiprocessors;
    std::uint32_t optin_kib, multiprocessor_kib;
  };
  const Row rows[] = {{"t4", 75, 1024, 16, 40, 64, 64},
                      {"a100", 80, 2048, 32, 108, 163, 164},
                      {"rtx4090", 89, 1536, 24, 128, 99, 100},
                      {"h100", 90, 2048, 32, 132, 227, 228},
                      {"h200", 90, 2048, 32, 132, 227, 228}};
  CHECK(known_gpu_names().size() == std::size(rows));
  for (const Row& row : rows) {
    INFO(row.gpu);
    const DeviceProperties p = named_gpu(row.gpu);
    CHECK(compile_target(p) == row.target);
    CHECK(p.max_threads_per_multiprocessor == row.threads);
    CHECK(p.max_blocks_per_multiprocessor == row.blocks);
    CHECK(p.multiprocessors == row.multiprocessors);
    CHECK(p.shared_bytes_per_block_optin == row.optin_kib * 1024);
    CHECK(p.shared_bytes_per_multiprocessor == row.multiprocessor_kib * 1024);
    CHECK(p.shared_bytes_per_block == 49152);
  }
  CHECK_THROWS_WITH(named_gpu("abacus"),
                    "there is no GPU \"abacus\" to stand for: known are t4, a100, h100, h200, rtx4090");
}
