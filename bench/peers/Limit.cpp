// The program that stands for the machine's limits: takes the time that a problem's arithmetic
// must take in multiply-adds of registers, or its bytes in reading and writing, whichever is
// longer. It computes nothing.
#include <bench/race/Serve.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

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

/// \param data   aligned; \param count  whole steps
/// \param ahead  bytes ahead of its use that memory is asked for; 0: it is not
void readAll(float const *data, std::size_t count, std::size_t ahead) {
  auto const *const from = reinterpret_cast<Vector const *>(data);
  Vector a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{};
  auto const read = [&](std::size_t i) {
    a += from[i], b += from[i + 1], c += from[i + 2], d += from[i + 3];
    e += from[i + 4], f += from[i + 5], g += from[i + 6], h += from[i + 7];
  };
  if (ahead == 0)
    for (std::size_t i = 0; i < count / LANES; i += 8)
      read(i);
  else
    for (std::size_t i = 0; i < count / LANES; i += 8) {
      auto const *const later = reinterpret_cast<char const *>(from + i) + ahead;
      for (std::size_t line = 0; line < 8 * sizeof(Vector); line += 64)
        __builtin_prefetch(later + line);
      read(i);
    }
  keep(a, b, c, d, e, f, g, h);
}

void writeAll(float *data, std::size_t count) {
  Vector value = Vector{} + 1.0F;
  keep(value);
  for (std::size_t i = 0; i < count / LANES; ++i)
    reinterpret_cast<Vector *>(data)[i] = value;
}

/// A store that does not read the line first.
void storePast(Vector *to, Vector const &value) {
#if defined(__clang__)
  __builtin_nontemporal_store(value, to);
#elif defined(__AVX512F__)
  __builtin_ia32_movntps512(reinterpret_cast<float *>(to), value);
#elif defined(__AVX__)
  __builtin_ia32_movntps256(reinterpret_cast<float *>(to), value);
#else
  *to = value;
#endif
}

void writePast(float *data, std::size_t count) {
  Vector value = Vector{} + 1.0F;
  keep(value);
  for (std::size_t i = 0; i < count / LANES; ++i)
    storePast(reinterpret_cast<Vector *>(data) + i, value);
}

/// Floats on pages as large as the system gives.
class Pages {
public:
  /// Floats, in whole steps of readAll.
  static std::size_t floor(std::size_t count) { return count / STEP * STEP; }
  static std::size_t whole(double bytes) {
    return floor(static_cast<std::size_t>(bytes / sizeof(float))) + STEP;
  }

  explicit Pages(double bytes) : count_(whole(bytes)) {
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

/// How memory is gone through; which is fastest depends on sizes and machine.
enum class Form {
  ONE_AFTER_OTHER, ///< all reads, then all writes
  BLOCKS,          ///< a block of each in turn, as operations go through arrays
  PAST_CACHES      ///< blocks, with stores that do not read first
};
struct Walk {
  Form form = Form::ONE_AFTER_OTHER;
  std::size_t ahead = 0; ///< as in readAll
};
constexpr Form FORMS[] = {Form::ONE_AFTER_OTHER, Form::BLOCKS, Form::PAST_CACHES};
constexpr std::size_t AHEAD[] = {0, 2048, 16384};

/// Each thread's share of what is read and written.
struct Memory {
  std::vector<Pages> read, written;
  bool inPlace; ///< what is written has been read

  Memory(double bytesRead, double bytesWritten, bool overwrites = false) : inPlace(overwrites) {
    for (unsigned i = 0; i < threads(); ++i) {
      read.emplace_back(bytesRead / threads());
      written.emplace_back(inPlace ? 0 : bytesWritten / threads());
    }
    writtenCount = inPlace ? Pages::whole(bytesWritten / threads()) : written.front().count();
  }

  void pass(unsigned thread, Walk const &walk) {
    auto const [form, ahead] = walk;
    float const *const from = read[thread].data();
    float *const to = inPlace ? read[thread].data() : written[thread].data();
    std::size_t const count = read[thread].count();
    if (form == Form::ONE_AFTER_OTHER) {
      readAll(from, count, ahead);
      writeAll(to, writtenCount);
      return;
    }
    std::size_t const blocks = std::max<std::size_t>(1, (count + writtenCount) / BLOCK);
    for (std::size_t i = 0; i < blocks; ++i) {
      auto const part = [&](std::size_t all, std::size_t n) {
        return Pages::floor(all * n / blocks);
      };
      std::size_t const r = part(count, i), w = part(writtenCount, i);
      std::size_t const writes = part(writtenCount, i + 1) - w;
      std::size_t const reads = part(count, i + 1) - r;
      if (inPlace) { // what is written has just been read; the other operand lies behind it
        readAll(from + w, writes, ahead);
        readAll(from + writtenCount + (r - w), reads - writes, ahead);
      } else {
        readAll(from + r, reads, ahead);
      }
      (form == Form::BLOCKS ? writeAll : writePast)(to + w, writes);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst); // all is written when the clock stops
  }

  double seconds(unsigned times, Walk const &walk) {
    return together([&](unsigned thread) {
      for (unsigned i = 0; i < times; ++i)
        pass(thread, walk);
    });
  }

private:
  static constexpr std::size_t BLOCK = 512; // floats
  std::size_t writtenCount;
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

/// The seconds of the fastest walk in these forms.
double fastest(Memory &memory, std::span<Form const> forms, Walk &walk) {
  double least = 1e30;
  for (Form form : forms)
    for (std::size_t ahead : AHEAD) {
      Walk const next{form, ahead};
      double const seconds = best([&](unsigned times) { return memory.seconds(times, next); });
      if (seconds < least)
        least = seconds, walk = next;
    }
  return least;
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
    double const written = bytesWrittenOf(problem);
    memory_ = Memory(bytesOf(problem) - written, written, isInPlace(problem));
    double const fma = best([&](unsigned times) { return arithmeticSeconds(flops_ * times); });
    bound_ = fastest(memory_, FORMS, walk_) > fma;
    return true;
  }

  double runBatch() override {
    return bound_ ? memory_.seconds(count_, walk_) : arithmeticSeconds(flops_ * count_);
  }

private:
  Memory memory_{0, 0};
  double flops_ = 0;
  Walk walk_;
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
    Walk walk;
    text += ' ' + std::to_string(bytes / GIGA / fastest(memory, {FORMS, 1}, walk));
  }
  return text;
}

} // namespace

int main() {
  Limit limit;
  return serve(limit, "limit", {{"roofs", roofs}});
}
