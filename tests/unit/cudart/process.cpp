#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace {

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& string : strings) out.push_back(const_cast<char*>(string.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

Finished run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                     const std::vector<int>& descriptors) {
  std::array<std::array<int, 2>, 2> pipes{};
  for (auto& ends : pipes) {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  }
  const auto argv = pointers(arguments);
  const auto envp = pointers(environment);
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipes[0][1], STDOUT_FILENO);
    dup2(pipes[1][1], STDERR_FILENO);
    for (std::size_t i = 0; i < descriptors.size(); ++i) dup2(descriptors[i], static_cast<int>(3 + i));
    if (descriptors.empty()) {
      for (int fd : {3, 4, 5}) close(fd);
    }
    execvpe(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  Finished finished;
  std::array<std::string*, 2> texts{&finished.out, &finished.err};
  std::array<pollfd, 2> waiting{{{pipes[0][0], POLLIN, 0}, {pipes[1][0], POLLIN, 0}}};
  for (auto& ends : pipes) close(ends[1]);
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    poll(waiting.data(), waiting.size(), -1);
    for (std::size_t i = 0; i < 2; ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      std::array<char, 4096> buffer{};
      const ssize_t got = read(waiting[i].fd, buffer.data(), buffer.size());
      if (got > 0) texts[i]->append(buffer.data(), static_cast<std::size_t>(got));
      if (got <= 0) waiting[i].fd = -1;
    }
  }
  for (auto& ends : pipes) close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) finished.exit_status = WEXITSTATUS(status);
  return finished;
}
