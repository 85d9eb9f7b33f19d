#pragma once
// Inputs and expected outputs of the cases, made by one background thread while the compiler and the device work.
//
// The thread goes through the cases in the order they will run and stays at most one case ahead of the device, so that
// memory holds two cases and a submission that fails early leaves little work undone.

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "judge/arguments.h"
#include "judge/catalogue/catalogue.h"

namespace judge {

struct PlannedCase {
  std::size_t index = 0;  // in the catalogue's order
  std::uint64_t seed = 0;
  catalogue::Names names;
  std::uint64_t elements = 0;
};

class Preparation {
 public:
  Preparation(const catalogue::Exercise& exercise, const std::vector<PlannedCase>& plan,
              const std::filesystem::path& cache_dir);
  ~Preparation();  // waits for the step in progress
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  // Both wait until it is there, and throw what making it threw (StageError). Step i frees what steps before i hold.
  const Buffers& inputs(std::size_t step);
  const Buffers& expected(std::size_t step);

 private:
  struct Prepared {
    std::optional<Buffers> inputs, expected;
    std::exception_ptr error;
  };
  void work();
  void prepare(std::size_t step, std::filesystem::path& reference);
  bool wait_for_turn(std::size_t step);
  const Buffers& wait_for(std::size_t step, std::optional<Buffers> Prepared::*what);

  const catalogue::Exercise& exercise_;
  const std::vector<PlannedCase>& plan_;
  const std::filesystem::path cache_dir_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Prepared> prepared_;
  std::size_t consumer_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

// A fault of the judge with the stage it happened in.
class StageError : public std::runtime_error {
 public:
  StageError(std::string stage, const std::string& what) : std::runtime_error(what), stage_(std::move(stage)) {}
  const std::string& stage() const { return stage_; }

 private:
  std::string stage_;
};

}  // namespace judge
