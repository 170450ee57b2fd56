// An operation over arrays as a call of popops/Kernels.hpp on plain memory: no graph, no engine.
#pragma once

#include <bench/race/ArrayOp.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace cottonwood::bench {

class RawArrayOp {
public:
  /// \throws std::invalid_argument  the library has no kernel of its own for the function.
  explicit RawArrayOp(ArrayOp const &op);

  /// Brings the operands back.
  void write();
  void run(unsigned times);
  /// Elements of the result at samplePositions.
  std::vector<double> sample() const;

private:
  struct Free {
    void operator()(std::byte *data) const;
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  template <class T> void call(unsigned times);
  void fill(Memory const &to, std::vector<float> const &values);

  ArrayOp op_;
  Memory a_, b_, c_; ///< whole cache lines
};

} // namespace cottonwood::bench
