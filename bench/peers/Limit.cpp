// The program that stands for the machine's limits: takes the time that a problem's arithmetic
// must take in multiply-adds of registers, or its bytes in reading and writing, whichever is
// longer. It computes nothing.
#include <bench/race/Serve.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace cottonwood::bench;
using Clock = std::chrono::steady_clock;

// The longest vectors of this machine.
#if defined(__AVX512F__)
constexpr int BYTES = 64;
#elif defined(__AVX__)
constexpr int BYTES = 32;
#else
constexpr int BYTES = 16;
#endif
typedef float Vector __attribute__((vector_size(BYTES)));
constexpr int LANES = BYTES / static_cast<int>(sizeof(float));

unsigned threads() {
  char const *const text = std::getenv("POPLAR_BENCH_THREADS");
  return text ? static_cast<unsigned>(std::max(1, std::atoi(text))) : 1;
}

/// Hides from the compiler where a value comes from and that nobody uses it.
void keep(Vector &value) { asm volatile("" : "+x"(value)); }
template <class... Vectors> void keep(Vector &first, Vectors &...others) {
  keep(first);
  keep(others...);
}

/// So many floating point operations, two a multiply-add: in twelve chains, as two units with a
/// latency of at most six cycles need.
void arithmetic(double flops) {
  constexpr double CHAINS = 12;
  Vector x = Vector{} + 0.999F, y = Vector{} + 0.001F;
  Vector a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{}, i{}, j{}, k{}, l{};
  keep(x, y);
  for (auto left = static_cast<std::uint64_t>(flops / (2.0 * LANES * CHAINS)) + 1; left > 0;
       --left) {
    a = a * x + y, b = b * x + y, c = c * x + y, d = d * x + y;
    e = e * x + y, f = f * x + y, g = g * x + y, h = h * x + y;
    i = i * x + y, j = j * x + y, k = k * x + y, l = l * x + y;
    keep(a, b, c, d, e, f, g, h, i, j, k, l);
  }
}

/// \param data  aligned; \param count  whole steps
void readAll(float const *data, std::size_t count) {
  auto const *const from = reinterpret_cast<Vector const *>(data);
  Vector a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{};
  for (std::size_t i = 0; i < count / LANES; i += 8) {
    a += from[i], b += from[i + 1], c += from[i + 2], d += from[i + 3];
    e += from[i + 4], f += from[i + 5], g += from[i + 6], h += from[i + 7];
  }
  keep(a, b, c, d, e, f, g, h);
}

void writeAll(float *data, std::size_t count) {
  Vector value = Vector{} + 1.0F;
  keep(value);
  for (std::size_t i = 0; i < count / LANES; ++i)
    reinterpret_cast<Vector *>(data)[i] = value;
}

/// Floats on pages as large as the system gives.
class Pages {
public:
  explicit Pages(double bytes)
      : count_(static_cast<std::size_t>(bytes / sizeof(float)) / STEP * STEP + STEP) {
    constexpr std::size_t HUGE_PAGE = 2 << 20;
    std::size_t const size = (count_ * sizeof(float) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    data_.reset(static_cast<float *>(std::aligned_alloc(HUGE_PAGE, size)));
    madvise(data_.get(), size, MADV_HUGEPAGE);
    std::fill_n(data_.get(), count_, 1.0F);
  }

  float *data() const { return data_.get(); }
  std::size_t count() const { return count_; }

private:
  static constexpr std::size_t STEP = 8 * LANES;
  struct Free {
    void operator()(float *data) const { std::free(data); }
  };
  std::size_t count_;
  std::unique_ptr<float, Free> data_;
};

/// Runs f(thread) on all threads at once. \returns the seconds until the last one is done.
template <class F> double together(F &&f) {
  unsigned const count = threads();
  std::atomic<unsigned> ready{0}, done{0};
  auto const work = [&](unsigned thread) {
    ++ready;
    while (ready < count)
      ;
    f(thread);
    ++done;
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < count; ++i)
    others.emplace_back(work, i);
  while (ready < count - 1)
    ;
  auto const start = Clock::now();
  work(0);
  while (done < count)
    ;
  double const seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (std::thread &other : others)
    other.join();
  return seconds;
}

/// Each thread's share of what is read and written.
struct Memory {
  std::vector<Pages> read, written;

  Memory(double bytesRead, double bytesWritten) {
    for (unsigned i = 0; i < threads(); ++i) {
      read.emplace_back(bytesRead / threads());
      written.emplace_back(bytesWritten / threads());
    }
  }

  double seconds(unsigned times) {
    return together([&](unsigned thread) {
      for (unsigned i = 0; i < times; ++i) {
        readAll(read[thread].data(), read[thread].count());
        writeAll(written[thread].data(), written[thread].count());
      }
    });
  }
};

double arithmeticSeconds(double flops) {
  return together([&](unsigned) { arithmetic(flops / threads()); });
}

/// The best of a few long enough runs of f(times), an element of `times`.
template <class F> double best(F &&f) {
  constexpr double LONG_ENOUGH = 0.01;
  unsigned times = 1;
  double total = f(times);
  for (; total < LONG_ENOUGH && times < 1U << 30; total = f(times))
    times *= 4;
  double seconds = total / times;
  for (int i = 0; i < 5; ++i)
    seconds = std::min(seconds, f(times) / times);
  return seconds;
}

class Limit : public Contender {
public:
  pid_t process() const override { return getpid(); }
  std::string way() const override { return bound_ ? "limit(memory)" : "limit(fma)"; }
  Result result() const override { return Result::NONE; }
  std::vector<double> sample() override { return {}; }
  void setBatch(unsigned count) override { count_ = count; }

  bool prepare(Problem const &problem) override {
    flops_ = flopsOf(problem);
    double const written =
        static_cast<double>(sizeOfC(problem)) * (isHalf(problem) ? 2.0 : sizeof(float));
    memory_ = Memory(bytesOf(problem) - written, written);
    double const fma = best([&](unsigned times) { return arithmeticSeconds(flops_ * times); });
    double const bytes = best([&](unsigned times) { return memory_.seconds(times); });
    bound_ = bytes > fma;
    return true;
  }

  double runBatch() override {
    return bound_ ? memory_.seconds(count_) : arithmeticSeconds(flops_ * count_);
  }

private:
  Memory memory_{0, 0};
  double flops_ = 0;
  bool bound_ = false; ///< by memory
  unsigned count_ = 1;
};

/// "roofs GF/s GB/s GB/s GB/s": multiply-adds, then reading what all threads together keep in 1/4
/// MB a thread, in 4 MB a thread, and in 512 MB.
std::string roofs() {
  constexpr double MEGABYTE = 1 << 20, GIGA = 1e9;
  double const flops = 1e6;
  std::string text = "roofs " + std::to_string(flops / GIGA / best([&](unsigned times) {
                                                 return arithmeticSeconds(flops * times);
                                               }));
  for (double bytes : {MEGABYTE / 4 * threads(), MEGABYTE * 4 * threads(), MEGABYTE * 512}) {
    Memory memory(bytes, 0);
    text += ' ' + std::to_string(bytes / GIGA /
                                 best([&](unsigned times) { return memory.seconds(times); }));
  }
  return text;
}

} // namespace

int main() {
  Limit limit;
  return serve(limit, "limit", {{"roofs", roofs}});
}
