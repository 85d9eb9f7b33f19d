#pragma once
// The loop of the device process: commands of the judge on one socket, calls of the untrusted host on another, one
// thread. A launch runs inside the loop; a judge that cannot wait for it kills this process and starts another.
//
// Commands (JSON text on a ControlSocket):
//   {"command":"start", "limits":{…}, "schedule_seed":n, "workers":n,
//   "buffers":[{"name","element_type","element_bytes",
//    "bytes","offset","filled","input"}]} + descriptors [contents, host socket, bulk memory]
//      -> {} + [mapped window] once the device is reset, then {"addresses":[…]}. A buffer that is not filled is
//      poisoned; one that is `input` must not change.
//   {"command":"collect"} -> {"record":"…", "launch_ms":x, "outputs":[{"name","offset","bytes","written_offset",
//    "guard_intact"}], "changed_inputs":[…], "protocol_error":"…"} + [memory with the outputs and written maps]
// A command that fails is answered {"error":"…"}. The process greets with its properties and ends when the judge does.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "judge/device/control.h"
#include "judge/device/device.h"
#include "judge/device/host_calls.h"

namespace judge::device {

class Server {
 public:
  Server(Device& device, ControlSocket control);
  ~Server();
  void run();  // returns when the judge has closed its end

 private:
  struct ExerciseBuffer {
    std::string name;
    Address address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  // of its contents in contents_
    bool filled = false;
    bool input = false;
    std::uint32_t element_bytes = 1;
  };

  void serve_command(ControlMessage message);
  void start(ControlMessage& message);
  void collect();
  void allocate_exercise_buffer(ExerciseBuffer& buffer, AllocationRequest request);
  bool still_as_filled(const ExerciseBuffer& buffer);
  void note_host_results();
  void serve_host(int most_messages);
  void close_host(std::string why);

  Device& device_;
  HostCalls calls_;
  ControlSocket control_;
  Descriptor host_;
  Descriptor contents_;
  std::span<std::byte> bulk_;
  std::vector<ExerciseBuffer> buffers_;
  std::string protocol_error_;
  std::string device_failure_;  // an exception of the device during a host call: the judge's fault, told at collect
  std::vector<std::byte> received_;
  std::vector<std::byte> chunk_, other_chunk_;
};

}  // namespace judge::device
