#pragma once
// Runs work of the judge in a thread, without the GIL, while this thread hands progress to Python and looks for Ctrl-C.

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "judge/judge.h"

namespace judge::python {

namespace detail {

struct Event {
  std::string stage;
  int done = 0, total = 0;
};

template <class Result>
struct Shared {
  std::atomic<bool> cancelled{false};
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Event> events;
  std::optional<Result> result;
  std::exception_ptr error;
  bool ended = false;

  std::deque<Event> wait(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, limit, [&] { return ended || !events.empty(); });
    return std::exchange(events, {});
  }
  bool wait_for_end(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, limit, [&] { return ended; });
  }
};

// Python delivers Ctrl-C to its main thread only: work in its other threads ends when that one says so.
inline std::atomic<bool>& cancel_requested() {
  static std::atomic<bool> requested{false};
  return requested;
}

inline constexpr std::chrono::milliseconds kSignalPoll{50};  // felt as at once
// A case that runs cannot be stopped from outside; when it does not end soon its thread is left to itself: it looks at
// `cancelled` after the case, and owns all that it uses.
inline constexpr std::chrono::milliseconds kCancelGrace{500};

}  // namespace detail

// work(cancelled, progress) -> Result. It must own what it uses. `callback` may be None. Call it with the GIL held.
template <class Result, class Work>
Result run_interruptible(Work work, const pybind11::object& callback) {
  auto shared = std::make_shared<detail::Shared<Result>>();
  std::thread thread([shared, work = std::move(work)]() mutable {
    const Progress progress = [&](const std::string& stage, int done, int total) {
      const std::lock_guard lock(shared->mutex);
      shared->events.push_back({stage, done, total});
      shared->changed.notify_all();
    };
    std::optional<Result> result;
    std::exception_ptr error;
    try {
      result = work(shared->cancelled, progress);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(shared->mutex);
    shared->result = std::move(result);
    shared->error = error;
    shared->ended = true;
    shared->changed.notify_all();
  });

  try {
    for (bool ended = false; !ended;) {
      std::deque<detail::Event> events;
      {
        const pybind11::gil_scoped_release release;
        events = shared->wait(detail::kSignalPoll);
        ended = shared->wait_for_end(std::chrono::milliseconds(0));
      }
      if (detail::cancel_requested()) PyErr_SetNone(PyExc_KeyboardInterrupt);
      if (PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
      if (!callback.is_none())
        for (const detail::Event& e : events) callback(e.stage, e.done, e.total);
      if (ended && !callback.is_none())
        for (const detail::Event& e : shared->wait(std::chrono::milliseconds(0))) callback(e.stage, e.done, e.total);
    }
  } catch (...) {
    shared->cancelled = true;
    const pybind11::gil_scoped_release release;
    if (shared->wait_for_end(detail::kCancelGrace))
      thread.join();
    else
      thread.detach();
    throw;
  }
  thread.join();
  if (shared->error) std::rethrow_exception(shared->error);
  return std::move(*shared->result);
}

}  // namespace judge::python
