#include "judge/sandbox/inner_image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "judge/sandbox/sandbox.h"

asm(".pushsection .rodata\n"
    ".global judge_sandbox_inner_begin\n"
    ".global judge_sandbox_inner_end\n"
    "judge_sandbox_inner_begin: .incbin \"" JUDGE_SANDBOX_INNER
    "\"\n"
    "judge_sandbox_inner_end: .byte 0\n"
    ".popsection\n");
extern "C" const char judge_sandbox_inner_begin[], judge_sandbox_inner_end[];

namespace judge::sandbox {
namespace {

int make_program() {
  const int fd = memfd_create("judge-box", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) throw BoxError(std::string("the box: memfd_create: ") + std::strerror(errno));
  for (const char* at = judge_sandbox_inner_begin; at < judge_sandbox_inner_end;) {
    const ssize_t written = write(fd, at, static_cast<std::size_t>(judge_sandbox_inner_end - at));
    if (written <= 0) {
      const int error = errno;
      close(fd);
      throw BoxError(std::string("the box: writing its program to memory: ") + std::strerror(error));
    }
    at += written;
  }
  fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return fd;
}

}  // namespace

int inner_program() {
  static const int fd = make_program();
  return fd;
}

}  // namespace judge::sandbox
