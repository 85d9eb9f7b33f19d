#pragma once
// An entry's arguments as the processes take them: shared memory with contents, and the host runner's setup.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "judge/device/descriptor.h"
#include "judge/host/setup.h"
#include "judge/session/session.h"

namespace judge::session {

// Contents of the device-resident buffers, one after another. Order of `offsets` is that of the device-resident
// buffers.
struct DeviceContents {
  device::Descriptor memory;
  std::vector<std::uint64_t> offsets;
};
DeviceContents share_device_contents(const std::vector<Argument>& arguments);

// Host-resident buffers. Each has whole pages, mapped between two pages without access, and ends at the end of its last
// page as nearly as an alignment of 16 allows. Bytes that belong to no buffer hold a pattern.
struct HostBuffer {
  std::size_t argument = 0;  // index in the request
  std::uint64_t region_offset = 0, region_bytes = 0, data_offset = 0;
};
struct HostBuffers {
  device::Descriptor memory;
  std::vector<HostBuffer> buffers;
};
HostBuffers share_host_buffers(const std::vector<Argument>& arguments);
// What the entry left in one of them, and whether the pattern around it is whole.
OutputBuffer read_host_buffer(const HostBuffers& from, const HostBuffer& which, const BufferArgument& argument);

// `addresses` of the device-resident buffers, in order.
std::vector<std::byte> encode_setup(const CaseRequest& request, const std::vector<std::uint64_t>& addresses,
                                    const HostBuffers& host_buffers);

void read_shared(int fd, std::span<std::byte> to, std::uint64_t offset);  // throws SessionError when it is shorter

// The host runner's setup for a program. `arguments`: argv, with the program's name first.
std::vector<std::byte> encode_setup(const std::filesystem::path& library, const std::vector<std::string>& arguments);

}  // namespace judge::session
