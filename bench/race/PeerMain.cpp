// The main() of peer programs.
#include <bench/race/Elsewhere.hpp>
#include <bench/race/Peer.hpp>
#include <bench/race/Serve.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>

#include <unistd.h>

namespace {

using namespace cottonwood::bench;
using Clock = std::chrono::steady_clock;

struct Free {
  void operator()(float *data) const { std::free(data); }
};
using Memory = std::unique_ptr<float, Free>;

Memory allocate(std::size_t count) {
  std::size_t const bytes = (count * sizeof(float) + 63) / 64 * 64;
  return Memory(static_cast<float *>(std::aligned_alloc(64, bytes + 64)));
}

Memory copyOf(std::vector<float> const &values) {
  Memory memory = allocate(values.size());
  std::copy(values.begin(), values.end(), memory.get());
  return memory;
}

double secondsOf(std::function<void()> const &run, unsigned count) {
  auto const start = Clock::now();
  for (unsigned i = 0; i < count; ++i)
    run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

unsigned threads() {
  char const *const text = std::getenv("POPLAR_BENCH_THREADS");
  return text ? static_cast<unsigned>(std::max(1, std::atoi(text))) : 1;
}

bool mayCompete(Way const &way) {
  char const *const only = std::getenv(WAY);
  return !only || way.name == only;
}

/// Keeps the problem at hand and the library's best way to compute it.
class Library : public Contender {
public:
  pid_t process() const override { return getpid(); }
  std::string way() const override { return way_.name; }
  Result result() const override { return way_.result; }

  bool prepare(Problem const &problem) override {
    way_ = {};
    a_.reset(), b_.reset(), c_.reset();
    elsewhere_.move();
    problem_ = problem;
    a_ = copyOf(valuesOfA(problem));
    b_ = copyOf(valuesOfB(problem));
    c_ = allocate(sizeOfC(problem));
    clearResult();
    Operands const operands{a_.get(), b_.get(), c_.get(), threads()};
    double best = 0;
    for (Way &way : with(problem, [&](auto const &p) { return waysOfPeer(p, operands); })) {
      if (!mayCompete(way))
        continue;
      double const seconds = trial(way);
      if (!way_.run || seconds < best) {
        best = seconds;
        way_ = std::move(way);
      }
    }
    return static_cast<bool>(way_.run);
  }

  std::vector<double> sample() override {
    clearResult();
    way_.reset();
    way_.run();
    way_.fetch();
    std::vector<double> values;
    for (std::size_t position : samplePositions(sizeOfC(problem_)))
      values.push_back(c_.get()[position]);
    return values;
  }

  void setBatch(unsigned count) override { count_ = count; }

  double runBatch() override {
    way_.run();
    return secondsOf(way_.run, count_);
  }

private:
  /// What a way does not write must show; one that works in place finds operand a.
  void clearResult() {
    if (isInPlace(problem_))
      std::copy_n(a_.get(), sizeOfC(problem_), c_.get());
    else
      std::fill_n(c_.get(), sizeOfC(problem_), -1e30F);
  }

  /// Best of a few batches that are long enough for the clock.
  static double trial(Way const &way) {
    way.run();
    auto const count = static_cast<unsigned>(std::clamp(2e-3 / secondsOf(way.run, 1), 1.0, 1e5));
    double best = 1e30;
    for (int i = 0; i < 4; ++i)
      best = std::min(best, secondsOf(way.run, count) / count);
    return best;
  }

  Problem problem_;
  Memory a_, b_, c_;
  Elsewhere elsewhere_;
  Way way_;
  unsigned count_ = 1;
};

} // namespace

int main() try {
  Library library;
  return serve(library, describePeer());
} catch (std::exception const &error) {
  std::cout << "error " << error.what() << std::endl;
  return 1;
}
