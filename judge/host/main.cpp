// judge-host: loads the student's library and calls its entry, or a program's main(), in the box.
//
// How this works. The judge's setup says where the arguments are. Device memory is not mapped here: its address range
// is reserved without access, so a device pointer used on the host faults at once, at an address that says what
// happened. Arguments that live on the host lie between pages without access. A memory fault sends its address to the
// judge, then lets the signal kill the process. When the entry has returned, the runner says so and waits to be killed,
// so that neither destructors nor exit handlers of the submission run. A program ends as programs do: with exit
// handlers, destructors and its own status, which the kernel tells the judge.

#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <typeinfo>
#include <vector>

#include "judge/device/device.h"
#include "judge/host/setup.h"

namespace {

using namespace judge::host;

constexpr std::size_t kPage = 4096;

bool tell(MessageKind kind, std::uint64_t value = 0, const char* text = "") {
  HostMessage message;
  message.kind = kind;
  message.value = value;
  std::strncpy(message.text, text, sizeof message.text - 1);
  return ::send(kJudgeFd, &message, sizeof message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof message);
}

[[noreturn]] void fail_setup(const char* what) {
  const std::string text = std::string(what) + ": " + std::strerror(errno);
  tell(MessageKind::setup_failed, 0, text.c_str());
  ::_exit(96);
}

// Async-signal-safe: a fixed message, send, raise. SA_RESETHAND has restored the default action, so either the faulting
// instruction runs again or the raised signal arrives, and the kernel ends the process with the true signal.
void on_fatal_signal(int number, siginfo_t* info, void*) {
  if (number == SIGSEGV || number == SIGBUS) {
    static HostMessage message;
    message.kind = MessageKind::fault;
    message.value = reinterpret_cast<std::uint64_t>(info->si_addr);
    ::send(kJudgeFd, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  if (info->si_code <= 0) ::raise(number);  // sent by kill(), raise() or abort(): it would not come again by itself
}

void install_fault_handler() {
  static std::array<char, 64 * 1024> alternate;  // a stack overflow leaves no room for a handler
  stack_t stack{};
  stack.ss_sp = alternate.data();
  stack.ss_size = alternate.size();
  if (::sigaltstack(&stack, nullptr) != 0) fail_setup("sigaltstack");
  struct sigaction action {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(number, &action, nullptr);
}

std::string type_name(const std::type_info& type) {
  int status = 0;
  char* const name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  const std::string text = name != nullptr ? name : type.name();
  std::free(name);
  return text;
}

// Says which exception it was, then lets libstdc++ say the same to stderr and abort.
[[noreturn]] void on_terminate() {
  std::set_terminate(__gnu_cxx::__verbose_terminate_handler);
  if (const std::type_info* const type = abi::__cxa_current_exception_type()) {
    std::string text = type_name(*type);
    try {
      throw;
    } catch (const std::exception& e) {
      text += std::string(": ") + e.what();
    } catch (...) {
    }
    tell(MessageKind::uncaught, 0, text.c_str());
  }
  __gnu_cxx::__verbose_terminate_handler();
  std::abort();
}

void reserve_device_addresses() {
  void* const base = reinterpret_cast<void*>(judge::device::kDeviceBase);
  void* const got = ::mmap(base, judge::device::kDeviceSpan, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != base) fail_setup("reserving the addresses of device memory");
}

// The address of the argument inside a mapping of its pages with a page without access on either side.
void* map_host_buffer(const SetupArgument& argument) {
  if (argument.region_bytes == 0) return nullptr;
  void* const around =
      ::mmap(nullptr, argument.region_bytes + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (around == MAP_FAILED) fail_setup("reserving a host buffer");
  char* const begin = static_cast<char*>(around) + kPage;
  const int protection = argument.writable != 0 ? PROT_READ | PROT_WRITE : PROT_READ;
  if (::mmap(begin, argument.region_bytes, protection, MAP_SHARED | MAP_FIXED, kBuffersFd,
             static_cast<off_t>(argument.region_offset)) != begin)
    fail_setup("mapping a host buffer");
  return begin + argument.data_offset;
}

struct Setup {
  RunMode mode = RunMode::entry;
  std::string library;
  std::vector<SetupArgument> arguments;
  std::vector<std::byte> scalars;
};

Setup receive_setup() {
  std::vector<std::byte> datagram(kMaxSetupBytes);
  ssize_t n = 0;
  do {
    n = ::recv(kJudgeFd, datagram.data(), datagram.size(), 0);
  } while (n < 0 && errno == EINTR);
  if (n == 0) ::_exit(0);  // the judge gave this case up
  SetupHeader header;
  if (n < static_cast<ssize_t>(sizeof header)) fail_setup("receiving the setup");
  std::memcpy(&header, datagram.data(), sizeof header);
  const std::size_t table = std::size_t{header.arguments} * sizeof(SetupArgument);
  errno = EBADMSG;
  if (header.magic != kSetupMagic || header.arguments > kMaxArguments ||
      static_cast<std::size_t>(n) != sizeof header + table + header.scalar_bytes + header.library_bytes)
    fail_setup("reading the setup");
  Setup setup;
  setup.mode = header.mode;
  setup.arguments.resize(header.arguments);
  const std::byte* at = datagram.data() + sizeof header;
  std::memcpy(setup.arguments.data(), at, table);
  setup.scalars.assign(at + table, at + table + header.scalar_bytes);
  setup.library.assign(reinterpret_cast<const char*>(at + table + header.scalar_bytes), header.library_bytes);
  return setup;
}

// The library's function of this name; ends the process when it cannot be had.
template <class Function>
Function* load(const std::string& library, const char* name) {
  if (!tell(MessageKind::loading)) ::_exit(kExitLostJudge);
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto* const function = handle ? reinterpret_cast<Function*>(::dlsym(handle, name)) : nullptr;
  if (function == nullptr) {
    const char* const why = ::dlerror();
    tell(MessageKind::load_failed, 0, why != nullptr ? why : (std::string(name) + " is not there").c_str());
    ::_exit(1);
  }
  return function;
}

[[noreturn]] void run_program(Setup& setup) {
  ::close(kBuffersFd);
  std::vector<char*> argv;
  char* const begin = reinterpret_cast<char*>(setup.scalars.data());
  for (std::size_t at = 0; at < setup.scalars.size(); at += std::strlen(begin + at) + 1) argv.push_back(begin + at);
  const int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  auto* const program = load<int(int, char**, char**)>(setup.library, "main");
  std::exit(program(argc, argv.data(), environ));
}

}  // namespace

int main() {
  Setup setup = receive_setup();
  reserve_device_addresses();
  install_fault_handler();
  std::set_terminate(on_terminate);
  if (setup.mode == RunMode::program) run_program(setup);

  // judge_entry gets, for each parameter, a pointer to its value.
  struct alignas(16) Value {
    std::array<std::byte, 256> bytes{};
  };
  std::vector<Value> values(setup.arguments.size());
  std::vector<void*> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const SetupArgument& a = setup.arguments[i];
    std::byte* const to = values[i].bytes.data();
    if (a.kind == ArgumentKind::scalar) {
      errno = EBADMSG;
      if (a.bytes > values[i].bytes.size() || a.value + a.bytes > setup.scalars.size()) fail_setup("reading a scalar");
      std::memcpy(to, setup.scalars.data() + a.value, a.bytes);
    } else {
      void* const pointer = a.kind == ArgumentKind::device ? reinterpret_cast<void*>(a.value) : map_host_buffer(a);
      std::memcpy(to, &pointer, sizeof pointer);
    }
    arguments.push_back(to);
  }
  ::close(kBuffersFd);

  auto* const entry = load<void(void**)>(setup.library, "judge_entry");
  entry(arguments.data());

  std::cout.flush();
  std::fflush(nullptr);
  if (!tell(MessageKind::returned)) ::_exit(kExitLostJudge);
  for (char byte = 0;;) {
    const ssize_t n = ::recv(kJudgeFd, &byte, 1, 0);
    if (n == 0 || (n < 0 && errno != EINTR)) ::_exit(0);
  }
}
