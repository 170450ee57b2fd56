// A contender in a process of its own, which lives for the whole run and obeys commands through
// pipes (race/Serve.hpp has the commands).
#pragma once

#include <bench/race/Contender.hpp>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace cottonwood::bench {

class PeerProcess : public Contender {
public:
  /// Starts the program with these variables added to the environment and, unless it is empty, with
  /// one argument, and waits until it has introduced itself.
  /// \throws PeerError  it cannot be started.
  PeerProcess(std::string const &program,
              std::vector<std::pair<std::string, std::string>> const &environment,
              std::string const &argument = {});
  PeerProcess(PeerProcess const &) = delete;
  PeerProcess &operator=(PeerProcess const &) = delete;
  /// Closes its input, upon which it ends, and waits for that.
  ~PeerProcess() override;

  /// Library, version and kernels: "openblas 0.3.21 SkylakeX".
  std::string const &description() const { return description_; }

  pid_t process() const override { return process_; }
  std::string way() const override { return way_; }
  bool prepare(Problem const &problem) override;
  Result result() const override { return result_; }
  std::vector<double> sample() override;
  void setBatch(unsigned count) override;
  double runBatch() override;

  /// Sends a line and returns the answer behind its first word, which must be `expected`.
  /// \throws PeerError  it answers something else, or nothing.
  std::string ask(std::string const &command, std::string const &expected);

private:
  void finish();
  std::string answer(std::string const &expected);
  [[noreturn]] void fail(std::string const &what) const;

  std::string program_, description_, way_;
  pid_t process_ = -1;
  std::FILE *commands_ = nullptr;
  std::FILE *answers_ = nullptr;
  Result result_ = Result::FLOAT;
};

} // namespace cottonwood::bench
