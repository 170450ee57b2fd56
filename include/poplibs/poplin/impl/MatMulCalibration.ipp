#pragma once

#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplin/ActiveKernels.hpp>
#include <poplin/impl/MatMulCalibration.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace cottonwood::poplin {

namespace detail {

/// A product that stays in the caches next to a core, by strips of a width.
class StripTrial {
public:
  StripTrial() : a_(M * K, 1.0F), b_(K * N, 0.5F), c_(M * N) {}

  /// Seconds of one product.
  double run(std::uint32_t columns) {
    kernels::MatMulBlocking blocking;
    blocking.rows = M, blocking.depth = K, blocking.packB = 1, blocking.columns = columns;
    workspace_.resize(
        std::max(workspace_.size(), kernels::matMulWorkspace(blocking, M, K, N, true)));
    kernels::MatMulArgs<float, float> args{};
    args.m = M, args.n = N, args.k = K;
    args.a = {a_.data(), K, 1};
    args.b = {b_.data(), N, 1};
    args.c = c_.data(), args.cRow = N;
    auto const begin = std::chrono::steady_clock::now();
    kernels::activeMatMulKernels().floatToFloat(args, blocking, workspace_.data());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

private:
  static constexpr std::uint32_t M = 96, K = 128, N = 128;
  std::vector<float> a_, b_, c_, workspace_;
};

POP_INLINE std::uint32_t measureStripColumns() {
  constexpr std::uint32_t WIDE = kernels::MATMUL_WIDE_COLUMNS,
                          TWO = kernels::MATMUL_MAX_TILE_COLUMNS;
  if (isa::vectorBytes(poputil::builtinIsa()) < 64)
    return TWO;
  constexpr int REPEATS = 8;           // of some 20 us each
  constexpr double CLEARLY = 1 / 1.03; // beyond what a clock that changes does to the minimum
  StripTrial trial;
  double wide = std::numeric_limits<double>::max(), two = wide;
  for (int i = 0; i != REPEATS; ++i) {
    two = std::min(two, trial.run(TWO));
    wide = std::min(wide, trial.run(WIDE));
  }
  return two < wide * CLEARLY ? TWO : WIDE;
}

} // namespace detail

POP_INLINE bool stripColumnsArePinned() { return std::getenv("POPLAR_MATMUL_STRIP") != nullptr; }

POP_INLINE std::uint32_t preferredStripColumns() {
  static std::uint32_t const columns = [] {
    char const *const pinned = std::getenv("POPLAR_MATMUL_STRIP");
    if (!pinned)
      return detail::measureStripColumns();
    std::string const text = pinned;
    if (text != "32" && text != "64")
      throw ::poplar::poplar_error("the environment variable POPLAR_MATMUL_STRIP is '" + text +
                                   "'; it may be 32 or 64");
    return text == "64" ? kernels::MATMUL_WIDE_COLUMNS : kernels::MATMUL_MAX_TILE_COLUMNS;
  }();
  return columns;
}

} // namespace cottonwood::poplin
