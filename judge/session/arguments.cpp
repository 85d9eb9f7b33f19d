#include "judge/session/arguments.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace judge::session {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kAlignment = 16;  // what malloc promises, and what float4 needs
constexpr std::byte kPattern{0xCB};       // as a float about -2.7e7: not an answer by chance

std::uint64_t bytes_of(const BufferArgument& b) {
  return b.count * b.element_bytes;
}

std::uint64_t round_up(std::uint64_t n, std::uint64_t to) {
  return (n + to - 1) / to * to;
}

void write_shared(int fd, std::span<const std::byte> from, std::uint64_t offset) {
  while (!from.empty()) {
    const ssize_t n = ::pwrite(fd, from.data(), from.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw SessionError("inputs", std::string("writing to shared memory: ") + std::strerror(errno));
    from = from.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void check_contents(const BufferArgument& b) {
  if (b.direction != Direction::out && b.contents.size() != bytes_of(b))
    throw SessionError("inputs", "'" + b.name + "' has " + std::to_string(b.contents.size()) +
                                     " bytes of contents instead of " + std::to_string(bytes_of(b)));
}

template <class Raw>
void append(std::vector<std::byte>& to, const Raw& raw) {
  const auto bytes = std::as_bytes(std::span(&raw, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

void read_shared(int fd, std::span<std::byte> to, std::uint64_t offset) {
  while (!to.empty()) {
    const ssize_t n = ::pread(fd, to.data(), to.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw SessionError("outputs", "shared memory is shorter than announced");
    to = to.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

DeviceContents share_device_contents(const std::vector<Argument>& arguments) {
  DeviceContents out;
  std::uint64_t total = 0;
  for (const Argument& a : arguments) {
    if (!a.buffer || a.buffer->residence != Residence::device) continue;
    check_contents(*a.buffer);
    out.offsets.push_back(total);
    total += a.buffer->contents.size();
  }
  out.memory = device::make_shared_memory("judge inputs", total);
  std::size_t i = 0;
  for (const Argument& a : arguments)
    if (a.buffer && a.buffer->residence == Residence::device)
      write_shared(out.memory.get(), a.buffer->contents, out.offsets[i++]);
  return out;
}

HostBuffers share_host_buffers(const std::vector<Argument>& arguments) {
  HostBuffers out;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& b = arguments[i].buffer;
    if (!b || b->residence != Residence::host) continue;
    check_contents(*b);
    HostBuffer buffer{i, total, round_up(bytes_of(*b), kPage), 0};
    buffer.data_offset = buffer.region_bytes - round_up(bytes_of(*b), kAlignment);
    total += buffer.region_bytes;
    out.buffers.push_back(buffer);
  }
  out.memory = device::make_shared_memory("judge host buffers", total);
  for (const HostBuffer& buffer : out.buffers) {
    const BufferArgument& b = *arguments[buffer.argument].buffer;
    const std::vector<std::byte> pattern(buffer.region_bytes, kPattern);
    write_shared(out.memory.get(), pattern, buffer.region_offset);
    write_shared(out.memory.get(), b.contents, buffer.region_offset + buffer.data_offset);
  }
  return out;
}

OutputBuffer read_host_buffer(const HostBuffers& from, const HostBuffer& which, const BufferArgument& argument) {
  std::vector<std::byte> region(which.region_bytes);
  read_shared(from.memory.get(), region, which.region_offset);
  const auto begin = region.begin() + static_cast<std::ptrdiff_t>(which.data_offset);
  const auto end = begin + static_cast<std::ptrdiff_t>(bytes_of(argument));
  const auto is_pattern = [](std::byte b) { return b == kPattern; };
  OutputBuffer out;
  out.name = argument.name;
  out.guard_intact = std::all_of(region.begin(), begin, is_pattern) && std::all_of(end, region.end(), is_pattern);
  out.contents.assign(begin, end);
  return out;
}

std::vector<std::byte> encode_setup(const CaseRequest& request, const std::vector<std::uint64_t>& addresses,
                                    const HostBuffers& host_buffers) {
  const std::string library = request.library.string();
  std::vector<std::byte> scalars;
  std::vector<host::SetupArgument> table;
  std::size_t device_buffers = 0;
  auto host_buffer = host_buffers.buffers.begin();
  for (const Argument& a : request.arguments) {
    host::SetupArgument s;
    if (a.scalar) {
      s.bytes = static_cast<std::uint32_t>(a.scalar->value.size());
      s.value = scalars.size();
      scalars.insert(scalars.end(), a.scalar->value.begin(), a.scalar->value.end());
    } else if (a.buffer->residence == Residence::device) {
      s.kind = host::ArgumentKind::device;
      s.value = addresses.at(device_buffers++);
    } else {
      s.kind = host::ArgumentKind::host;
      s.region_offset = host_buffer->region_offset;
      s.region_bytes = host_buffer->region_bytes;
      s.data_offset = host_buffer->data_offset;
      s.writable = a.buffer->direction == Direction::in ? 0 : 1;
      ++host_buffer;
    }
    table.push_back(s);
  }
  std::vector<std::byte> out;
  append(out,
         host::SetupHeader{host::kSetupMagic, host::RunMode::entry, static_cast<std::uint32_t>(table.size()),
                           static_cast<std::uint32_t>(scalars.size()), static_cast<std::uint32_t>(library.size())});
  for (const host::SetupArgument& s : table) append(out, s);
  out.insert(out.end(), scalars.begin(), scalars.end());
  const auto path = std::as_bytes(std::span(library));
  out.insert(out.end(), path.begin(), path.end());
  if (table.size() > host::kMaxArguments || out.size() > host::kMaxSetupBytes)
    throw SessionError("host start", "the entry has more arguments than the host runner takes");
  return out;
}

std::vector<std::byte> encode_setup(const std::filesystem::path& library, const std::vector<std::string>& arguments) {
  std::string words;
  for (const std::string& argument : arguments) words += argument + '\0';
  const std::string path = library.string();
  std::vector<std::byte> out;
  append(out, host::SetupHeader{host::kSetupMagic, host::RunMode::program, 0, static_cast<std::uint32_t>(words.size()),
                                static_cast<std::uint32_t>(path.size())});
  for (const std::string& text : {words, path}) {
    const auto bytes = std::as_bytes(std::span(text));
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  if (out.size() > host::kMaxSetupBytes)
    throw SessionError("host start", "the program's arguments are longer than 64 KiB in all");
  return out;
}

}  // namespace judge::session
