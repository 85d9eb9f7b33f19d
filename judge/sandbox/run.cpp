#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "judge/sandbox/sandbox.h"

namespace judge::sandbox {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kMemoryPoll{20};

class CapturePipe {
 public:
  CapturePipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) throw BoxError(std::string("the box: pipe: ") + std::strerror(errno));
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~CapturePipe() {
    close_end(0);
    close_end(1);
  }
  CapturePipe(const CapturePipe&) = delete;
  CapturePipe& operator=(const CapturePipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write_end() { close_end(1); }

  // Takes what is there. Bytes beyond the cap are thrown away, so that the writer does not stop on a full pipe; but a
  // writer that only ever floods is stopped once it has written kFlood times the cap.
  void drain(std::string& into, std::size_t cap, bool& truncated) {
    char buffer[64 * 1024];
    for (ssize_t got; ends_[0] >= 0 && (got = read(ends_[0], buffer, sizeof buffer)) != 0;) {
      if (got < 0) {
        if (errno == EINTR) continue;
        if (errno == EAGAIN) return;
        break;
      }
      const std::size_t room = cap - into.size(), size = static_cast<std::size_t>(got);
      into.append(buffer, std::min(room, size));
      truncated = truncated || size > room;
      seen_ += size;
      if (flooded(cap)) return;
    }
    close_end(0);
  }
  bool flooded(std::size_t cap) const { return seen_ > kFlood * cap; }

 private:
  static constexpr std::size_t kFlood = 16;
  void close_end(int i) {
    if (ends_[i] >= 0) close(ends_[i]);
    ends_[i] = -1;
  }
  int ends_[2] = {-1, -1};
  std::size_t seen_ = 0;
};

}  // namespace

Captured run(BoxOptions options, Clock::time_point deadline, std::size_t output_cap, std::uint64_t memory_cap_bytes) {
  const Clock::time_point begin = Clock::now();
  Captured captured;
  CapturePipe out, err;
  options.descriptors.emplace_back(out.write_end(), 1);
  options.descriptors.emplace_back(err.write_end(), 2);
  Box box = Box::start(options);
  out.close_write_end();
  err.close_write_end();

  Clock::time_point next_memory_look = Clock::now();
  for (bool ended = false; !ended;) {
    const Clock::time_point now = Clock::now();
    captured.timed_out = now >= deadline;
    if (memory_cap_bytes && now >= next_memory_look) {
      captured.memory_limit = box.tree_rss_bytes() > memory_cap_bytes;
      next_memory_look = now + kMemoryPoll;
    }
    if (captured.timed_out || captured.memory_limit || out.flooded(output_cap) || err.flooded(output_cap)) break;
    const Clock::time_point wake = memory_cap_bytes ? std::min(deadline, next_memory_look) : deadline;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(wake - now).count();
    pollfd events[3] = {{box.pidfd(), POLLIN, 0}, {out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}};
    poll(events, 3, static_cast<int>(std::clamp<long long>(left, 0, 60'000)));
    out.drain(captured.out, output_cap, captured.truncated);
    err.drain(captured.err, output_cap, captured.truncated);
    ended = (events[0].revents & POLLIN) != 0;
  }
  captured.exit = box.kill();  // after an end of its own this only collects it
  out.drain(captured.out, output_cap, captured.truncated);
  err.drain(captured.err, output_cap, captured.truncated);
  captured.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return captured;
}

}  // namespace judge::sandbox
