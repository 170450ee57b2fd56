#include <bench/race/PeerProcess.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace cottonwood::bench {
namespace {

/// Longer than any batch or preparation takes.
constexpr int ANSWER_MILLISECONDS = 120'000;

using Pipe = std::array<int, 2>; // read end, write end

Pipe makePipe() {
  Pipe ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw PeerError(std::string("no pipe: ") + std::strerror(errno));
  return ends;
}

/// The parent's environment with additions, which come first and so win.
std::vector<std::string>
environmentWith(std::vector<std::pair<std::string, std::string>> const &additions) {
  std::vector<std::string> texts;
  for (auto const &[name, value] : additions)
    texts.push_back(name + '=' + value);
  for (char **variable = environ; *variable; ++variable) {
    std::string const text = *variable;
    bool replaced = false;
    for (auto const &[name, value] : additions)
      replaced |= text.starts_with(name + '=');
    if (!replaced)
      texts.push_back(text);
  }
  return texts;
}

std::vector<char *> pointersTo(std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (std::string &text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Starts the program with its standard input and output at the pipes.
pid_t start(std::vector<std::string> words, std::vector<std::string> environment, Pipe const &input,
            Pipe const &output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  pid_t process = -1;
  int const error = posix_spawn(&process, words.front().c_str(), &actions, nullptr,
                                pointersTo(words).data(), pointersTo(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(input[0]);
  close(output[1]);
  if (error != 0)
    throw PeerError(words.front() + " does not start: " + std::strerror(error));
  return process;
}

} // namespace

PeerProcess::PeerProcess(std::string const &program,
                         std::vector<std::pair<std::string, std::string>> const &environment,
                         std::string const &argument)
    : program_(program) {
  std::signal(SIGPIPE, SIG_IGN); // a peer that has ended shows in its answer
  Pipe const input = makePipe(), output = makePipe();
  std::vector<std::string> words = {program};
  if (!argument.empty())
    words.push_back(argument);
  process_ = start(words, environmentWith(environment), input, output);
  commands_ = fdopen(input[1], "w");
  answers_ = fdopen(output[0], "r");
  try {
    description_ = answer("peer");
  } catch (PeerError const &) {
    finish();
    throw;
  }
}

PeerProcess::~PeerProcess() { finish(); }

void PeerProcess::finish() {
  std::fclose(commands_);
  std::fclose(answers_);
  waitpid(process_, nullptr, 0);
}

void PeerProcess::fail(std::string const &what) const {
  throw PeerError(program_.substr(program_.rfind('/') + 1) + ' ' + what);
}

std::string PeerProcess::answer(std::string const &expected) {
  // Every answer is one line and is read whole, so nothing is left in the stream's buffer.
  pollfd waiting{fileno(answers_), POLLIN, 0};
  if (poll(&waiting, 1, ANSWER_MILLISECONDS) <= 0) {
    kill(process_, SIGKILL); // or finish() would wait for it
    fail("does not answer");
  }
  std::string line;
  for (int c = std::fgetc(answers_); c != '\n'; c = std::fgetc(answers_)) {
    if (c == EOF)
      fail("has ended");
    line.push_back(static_cast<char>(c));
  }
  if (!line.starts_with(expected))
    fail("answers '" + line + "' where '" + expected + "' was expected");
  return line.size() > expected.size() ? line.substr(expected.size() + 1) : std::string();
}

std::string PeerProcess::ask(std::string const &command, std::string const &expected) {
  std::fprintf(commands_, "%s\n", command.c_str());
  std::fflush(commands_);
  return answer(expected);
}

bool PeerProcess::prepare(Problem const &problem) {
  std::istringstream words(ask("problem " + textOf(problem), "way"));
  std::string result;
  way_.clear();
  words >> result >> way_;
  result_ = result == "half" ? Result::HALF : result == "none" ? Result::NONE : Result::FLOAT;
  return !way_.empty();
}

std::vector<double> PeerProcess::sample() {
  std::istringstream words(ask("sample", "values"));
  std::vector<double> values;
  for (std::string word; words >> word;)
    values.push_back(std::strtod(word.c_str(), nullptr));
  return values;
}

void PeerProcess::setBatch(unsigned count) { ask("count " + std::to_string(count), "ready"); }

double PeerProcess::runBatch() { return std::strtod(ask("batch", "seconds").c_str(), nullptr); }

} // namespace cottonwood::bench
