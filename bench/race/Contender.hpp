// Somebody who computes problems, and is timed.
#pragma once

#include <bench/race/Problem.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include <sys/types.h>

namespace cottonwood::bench {

/// A peer's process ended or gave no proper answer.
class PeerError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What a contender's results are rounded to; NONE: it only takes the time that a result must take.
enum class Result { FLOAT, HALF, NONE };

class Contender {
public:
  virtual ~Contender() = default;

  /// The process that works for it.
  virtual pid_t process() const = 0;
  /// How it computes the problem prepared last, as rows name it: "openblas(SkylakeX)".
  virtual std::string way() const = 0;

  /// Takes on a problem: allocates, fills, arranges constants, chooses its best way.
  /// \returns false if it cannot compute this one.
  virtual bool prepare(Problem const &problem) = 0;
  virtual Result result() const { return Result::FLOAT; }
  /// Elements of the result at samplePositions.
  virtual std::vector<double> sample() = 0;
  /// Gets ready for batches of `count` problems.
  virtual void setBatch(unsigned count) = 0;
  /// Computes the problem once unmeasured and then a batch. \returns seconds of the batch.
  virtual double runBatch() = 0;
};

} // namespace cottonwood::bench
