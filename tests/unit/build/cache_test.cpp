#include "judge/build/cache.h"

#include <sys/stat.h>

#include <thread>

#include "catch.h"
#include "judge/build/programs.h"
#include "judge/build/sha256.h"
#include "judge/sandbox/private_folder.h"
#include "workshop.h"

using namespace judge::build;

namespace {

Result sample() {
  Result result;
  result.ok = true;
  result.command = "nvcc";
  result.diagnostics.push_back({Diagnostic::Severity::warning, "a.cu", 3, 4, "text", {"line", "   ^"}});
  result.kernels.push_back({"k", 1, 2, 3, 4, 5, 6});
  return result;
}

void damage(const std::filesystem::path& file) {
  chmod(file.c_str(), 0644);
  std::fstream(file, std::ios::in | std::ios::out).write("X", 1);
}

}  // namespace

TEST_CASE("what is stored is found again, whole") {
  Workshop shop;
  const Cache cache(shop.cache());
  CHECK(!cache.find("key"));
  const Result stored = cache.store("key", sample(), "library bytes", {});
  const auto found = cache.find("key");
  REQUIRE(found);
  CHECK(found->cached);
  CHECK(found->ok);
  CHECK(found->library == stored.library);
  CHECK(read_file(found->library, 100) == "library bytes");
  REQUIRE(found->diagnostics.size() == 1);
  CHECK(found->diagnostics[0].severity == Diagnostic::Severity::warning);
  CHECK(found->diagnostics[0].excerpt.size() == 2);
  REQUIRE(found->kernels.size() == 1);
  CHECK(found->kernels[0].spill_load_bytes == 6);
  CHECK(!shop.leftovers());
}

TEST_CASE("a damaged library or record is no entry, and is replaced") {
  Workshop shop;
  const Cache cache(shop.cache());
  for (const char* file : {"library.so", "record.json"}) {
    cache.store("key", sample(), "library bytes", {});
    REQUIRE(cache.find("key"));
    damage(shop.cache() / "entries/key" / file);
    CHECK(!cache.find("key"));
  }
  cache.store("key", sample(), "library bytes", {});
  CHECK(cache.find("key"));
}

TEST_CASE("an included file that changed or went makes the entry stale") {
  Workshop shop;
  const Cache cache(shop.cache());
  shop.write("a.h", "one");
  const std::string path = shop.sources() / "a.h";
  cache.store("key", sample(), "library", {{path, sha256("one")}});
  CHECK(cache.find("key"));
  shop.write("a.h", "two");
  CHECK(!cache.find("key"));
  shop.write("a.h", "one");
  CHECK(cache.find("key"));
  std::filesystem::remove(path);
  CHECK(!cache.find("key"));
}

TEST_CASE("judges that store the same at once leave one whole entry") {
  Workshop shop;
  const Cache cache(shop.cache());
  std::vector<std::thread> judges;
  for (int i = 0; i < 4; ++i)
    judges.emplace_back([&] {
      for (int round = 0; round < 20; ++round) cache.store("key", sample(), std::string(10'000, 'x'), {});
    });
  for (std::thread& judge : judges) judge.join();
  CHECK(cache.find("key"));
  CHECK(shop.entries() == 1);
  CHECK(!shop.leftovers());
}

TEST_CASE("the oldest entries beyond 200 go, but none that may be in use") {
  Workshop shop;
  const Cache cache(shop.cache());
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  for (int i = 0; i < 200; ++i) {
    const auto entry = shop.cache() / "entries" / ("old" + std::to_string(i));
    std::filesystem::create_directories(entry);
    std::filesystem::last_write_time(entry, long_ago + std::chrono::seconds(i));
  }
  const auto abandoned = shop.cache() / "tmp-abandoned";
  std::filesystem::create_directories(abandoned);
  const judge::sandbox::PrivateFolder busy(shop.cache(), kTemporaryPrefix);
  cache.store("new", sample(), "library", {});
  CHECK(shop.entries() == 200);
  CHECK(!std::filesystem::exists(shop.cache() / "entries/old0"));
  CHECK(std::filesystem::exists(shop.cache() / "entries/old1"));
  CHECK(cache.find("new"));
  CHECK(!std::filesystem::exists(abandoned));
  CHECK(std::filesystem::exists(busy.path()));
}

TEST_CASE("a cache that cannot be written is a fault of the judge that names the folder") {
  CHECK_THROWS_WITH(Cache("/proc/judge-cache"), Catch::Matchers::Contains("/proc/judge-cache"));
}
