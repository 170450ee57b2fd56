// Somebody who computes products, and is timed.
#pragma once

#include <bench/race/Product.hpp>

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

class Contender {
public:
  virtual ~Contender() = default;

  /// The process that works for it.
  virtual pid_t process() const = 0;
  /// How it computes the product prepared last, as rows name it: "openblas(SkylakeX)".
  virtual std::string way() const = 0;

  /// Takes on a product: allocates, fills, packs constants, chooses its best way.
  /// \returns false if it cannot compute this one.
  virtual bool prepare(Product const &product) = 0;
  /// Elements of the result at samplePositions.
  virtual std::vector<double> sample() = 0;
  /// True if the result is rounded to half.
  virtual bool givesHalf() const { return false; }
  /// Gets ready for batches of `count` products.
  virtual void setBatch(unsigned count) = 0;
  /// Computes one product unmeasured and then a batch. \returns seconds of the batch.
  virtual double runBatch() = 0;
};

} // namespace cottonwood::bench
