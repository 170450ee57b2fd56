// The main() of peer programs: reads commands from standard input, one a line, and answers each
// with one line.
//
//   (start)          peer DESCRIPTION
//   product TEXT     way NAME           takes on a product; an empty name: cannot be computed
//   sample           values X...        elements of the result, in hexadecimal
//   batch COUNT      seconds S          one product unmeasured, then COUNT
#include <bench/race/Peer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <new>

namespace {

using namespace cottonwood::bench;
using Clock = std::chrono::steady_clock;

struct Free {
  void operator()(float *data) const { std::free(data); }
};
using Memory = std::unique_ptr<float, Free>;

Memory allocate(std::size_t count) {
  std::size_t const bytes = (count * sizeof(float) + 63) / 64 * 64;
  return Memory(static_cast<float *>(std::aligned_alloc(64, std::max<std::size_t>(bytes, 64))));
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

/// Keeps the product at hand and the best way to compute it.
class Task {
public:
  std::string prepare(std::string const &text) {
    way_ = {};
    product_ = parseProduct(text);
    a_ = copyOf(valuesOfA(product_));
    b_ = copyOf(valuesOfB(product_));
    c_ = allocate(product_.sizeC());
    double best = 0;
    for (Way &way : waysOfPeer({product_, a_.get(), b_.get(), c_.get(), threads()})) {
      double const seconds = trial(way);
      if (!way_.run || seconds < best) {
        best = seconds;
        way_ = std::move(way);
      }
    }
    return way_.name;
  }

  std::string sample() {
    std::fill_n(c_.get(), product_.sizeC(), -1e30F); // what a way does not write must show
    way_.run();
    std::string text;
    for (std::size_t position : samplePositions(product_)) {
      char word[40];
      std::snprintf(word, sizeof word, " %a", double{c_.get()[position]});
      text += word;
    }
    return text;
  }

  double batch(unsigned count) {
    way_.run();
    return secondsOf(way_.run, count);
  }

private:
  /// Best of a few batches that are long enough for the clock.
  static double trial(Way const &way) {
    way.run();
    auto const count = static_cast<unsigned>(std::clamp(2e-3 / secondsOf(way.run, 1), 1.0, 1e5));
    double best = 1e30;
    for (int i = 0; i < 4; ++i)
      best = std::min(best, secondsOf(way.run, count) / count);
    return best;
  }

  Product product_;
  Memory a_, b_, c_;
  Way way_;
};

std::string obey(Task &task, std::string const &line) {
  if (line.starts_with("product "))
    return "way " + task.prepare(line.substr(8));
  if (line == "sample")
    return "values" + task.sample();
  if (line.starts_with("batch ")) {
    char text[40];
    std::snprintf(text, sizeof text, "seconds %.9g",
                  task.batch(static_cast<unsigned>(std::stoul(line.substr(6)))));
    return text;
  }
  return "error unknown command";
}

} // namespace

int main() {
  std::cout << "peer " << describePeer() << std::endl;
  Task task;
  try {
    for (std::string line; std::getline(std::cin, line);)
      std::cout << obey(task, line) << std::endl;
  } catch (std::exception const &error) {
    std::cout << "error " << error.what() << std::endl;
    return 1;
  }
  return 0;
}
