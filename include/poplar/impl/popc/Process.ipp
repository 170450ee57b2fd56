// Body of Process.hpp.
#pragma once

#include <poplar/impl/popc/Process.hpp>

#include <poplar/impl/base/Error.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace cottonwood::popc::detail {

/// Both ends of a pipe, closed in programs that are started.
struct Pipe {
  std::array<int, 2> ends{-1, -1};

  explicit Pipe(char const *where) {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      base::fail<poplar::poplar_error>(where, "no pipe: ", std::strerror(errno));
  }
  Pipe(Pipe const &) = delete;
  Pipe &operator=(Pipe const &) = delete;
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  void closeEnd(unsigned end) {
    if (ends[end] >= 0)
      ::close(ends[end]);
    ends[end] = -1;
  }
};

/// Reads both until their other ends are closed.
POP_INLINE void readBoth(Pipe &first, std::string &firstText, Pipe &second,
                         std::string &secondText) {
  std::array<std::pair<Pipe *, std::string *>, 2> const sources{
      {{&first, &firstText}, {&second, &secondText}}};
  std::array<char, 16384> buffer;
  while (first.ends[0] >= 0 || second.ends[0] >= 0) {
    std::array<pollfd, 2> waiting{{{first.ends[0], POLLIN, 0}, {second.ends[0], POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR)
      return;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0)
        continue;
      ssize_t const got = ::read(waiting[i].fd, buffer.data(), buffer.size());
      if (got > 0)
        sources[i].second->append(buffer.data(), static_cast<std::size_t>(got));
      else if (got == 0 || errno != EINTR)
        sources[i].first->closeEnd(0);
    }
  }
}

} // namespace cottonwood::popc::detail

namespace cottonwood::popc {

POP_INLINE ProcessResult runProcess(std::vector<std::string> const &arguments, char const *where) {
  std::vector<char *> argv;
  for (std::string const &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  detail::Pipe output(where), errors(where);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, errors.ends[1], 2);
  pid_t child = 0;
  int const failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    base::fail<poplar::poplar_error>(where, "cannot start ",
                                     base::quoted(poplar::StringRef(arguments[0])), ": ",
                                     std::strerror(failed));
  output.closeEnd(1);
  errors.closeEnd(1);

  ProcessResult result;
  detail::readBoth(output, result.output, errors, result.errors);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) { // a program that ignores SIGCHLD has no status of its children
      status = 0;
      break;
    }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

} // namespace cottonwood::popc
