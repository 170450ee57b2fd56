// Our libraries as a contender: the public API, from graph to Engine::run.
#pragma once

#include <bench/race/Contender.hpp>
#include <bench/race/Elsewhere.hpp>

#include <poplar/OptionFlags.hpp>

#include <memory>
#include <string>

namespace cottonwood::bench {

/// A batch is one Engine::run of a program that repeats the problem; of operations over arrays, an
/// Engine::run each.
class Ours : public Contender {
public:
  /// \param options  of the primitive
  explicit Ours(unsigned threads, std::string name = "ours", poplar::OptionFlags options = {});
  ~Ours() override;

  pid_t process() const override;
  std::string way() const override { return name_; }
  bool prepare(Problem const &problem) override;
  Result result() const override;
  std::vector<double> sample() override;
  void setBatch(unsigned count) override;
  double runBatch() override;

private:
  struct Loaded;
  unsigned threads_;
  std::string name_;
  poplar::OptionFlags options_;
  std::unique_ptr<Loaded> loaded_;
  Elsewhere elsewhere_;
};

} // namespace cottonwood::bench
