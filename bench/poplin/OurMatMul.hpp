// poplin::matMul as a contender: the public API, from graph to Engine::run.
#pragma once

#include <bench/race/Contender.hpp>

#include <memory>

namespace cottonwood::bench {

/// A batch is one Engine::run of a program that repeats the product. Operands are plain row-major
/// variables; a constant B is arranged by preArrangeMatMulInputRHS in a program that is not timed.
class OurMatMul : public Contender {
public:
  explicit OurMatMul(unsigned threads);
  ~OurMatMul() override;

  pid_t process() const override;
  std::string way() const override { return "ours"; }
  bool prepare(Product const &product) override;
  std::vector<double> sample() override;
  bool givesHalf() const override;
  void setBatch(unsigned count) override;
  double runBatch() override;

private:
  struct Bed;
  unsigned threads_;
  std::unique_ptr<Bed> bed_;
};

} // namespace cottonwood::bench
