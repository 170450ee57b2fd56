/// \file WinogradKernel.hpp
/// Convolutions with kernels of 3 x 3 and strides of 1 by Winograd's minimal filtering.
///
/// For each block of M x M outputs, M = 2 or 4, (M + 2)^2 numbers of its inputs are multiplied by
/// as many numbers of the weights, and the products are added up over the input channels; so each
/// place of a block, a "plane", is a matrix product [blocks, channels] x [channels, columns]. That
/// takes 2.25 (M = 2) or 4 (M = 4) times fewer products than the sums themselves.
///
/// A few blocks at a time go through all three steps, so that what lies between the steps stays in
/// L2. Every output's operations are the same, in the same order, for all block counts, parts and
/// instruction sets.
#pragma once

#include <codelets/poplin/MatMulPack.hpp>
#include <codelets/poplin/WinogradCost.hpp>
#include <codelets/poplin/WinogradTransform.hpp>

namespace cottonwood::kernels {

/// Where channels or columns lie: number i at (i / block) * blockStride + i % block * stride.
struct WinogradStride {
  std::ptrdiff_t stride, blockStride;
  std::size_t block;

  POP_SIMD_INLINE std::ptrdiff_t at(std::size_t i) const {
    return static_cast<std::ptrdiff_t>(i / block) * blockStride +
           static_cast<std::ptrdiff_t>(i % block) * stride;
  }
  /// Whether numbers [i, i + n) lie side by side.
  POP_SIMD_INLINE bool isRun(std::size_t i, std::size_t n) const {
    return stride == 1 && i / block == (i + n - 1) / block;
  }
};

/// Weights of strips of one group: tap (y, x) of channel i and column j is at
/// from + y * tapY + x * tapX + channel.at(i) + column.at(j).
template <class T> struct WinogradWeightsArgs {
  const T *from;
  std::ptrdiff_t tapY, tapX;
  WinogradStride channel, column;
  std::size_t channels, firstColumn, columns; ///< the first column begins a strip
  float *to;                                  ///< winogradWeights() floats a strip
};

/// A part of the outputs.
template <class TOut> struct WinogradArgs {
  /// Input (b, y, x, channel i) of group g is at
  /// in + g * inGroup + b * inBatch + y * inY + x * inX + i, for 0 <= y < inputsY and so on.
  const float *in;
  std::ptrdiff_t inGroup, inBatch, inY, inX;
  int inputsY, inputsX;
  int firstY, firstX; ///< the input under the first tap of output (0, 0); negative in padding
  std::size_t batch, outputsY, outputsX, groups, channels, columns;
  const float *weights; ///< transformed, groups one after another
  TOut *out; ///< output p = (b * outputsY + y) * outputsX + x starts at out + p * outPixel ...
  std::size_t outPixel;
  TOut *const *outRows; ///< ... or, if this is not null, at outRows[p]; groups side by side
  std::size_t blocks;   ///< winogradBlocks()
  float *workspace;     ///< winogradWorkspace() floats
};

namespace detail {

template <class Tag, unsigned M, class T> class WinogradWeights {
public:
  explicit WinogradWeights(const WinogradWeightsArgs<T> &args) : args_(args) {}

  void run() {
    for (std::size_t j = 0; j < args_.columns; j += W)
      for (std::size_t i = 0; i < args_.channels; ++i)
        transform(i, j, args_.columns - j < W ? args_.columns - j : W);
  }

private:
  using V = simd<float, Tag>;
  using Transform = WinogradTransform<M>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  static constexpr unsigned SIZE = Transform::SIZE;

  /// Columns j, ... of one tap; beyond `n` zeros.
  POP_SIMD_INLINE V load(const T *tap, std::size_t j, std::size_t n) const {
    const std::size_t first = args_.firstColumn + j;
    if (args_.column.isRun(first, n))
      return n == W ? V::load(tap + args_.column.at(first))
                    : V::loadPartial(tap + args_.column.at(first), n);
    float lanes[W] = {};
    for (std::size_t x = 0; x < n; ++x)
      simd<float, isa::scalar>::load(tap + args_.column.at(first + x)).store(lanes + x);
    return V::load(lanes);
  }

  void transform(std::size_t i, std::size_t j, std::size_t n) const {
    const T *const from = args_.from + args_.channel.at(i);
    V g[3][3], u[SIZE][SIZE];
    unroll<3>([&](auto y) POP_SIMD_LAMBDA {
      unroll<3>([&](auto x) POP_SIMD_LAMBDA {
        g[y][x] = load(from + y * args_.tapY + x * args_.tapX, j, n);
      });
    });
    winogradBoth<3, SIZE>(
        [](const V(&a)[3], V(&b)[SIZE]) POP_SIMD_LAMBDA { Transform::filter(a, b); }, g, u);
    float *const to = args_.to + j / WINOGRAD_STRIP * winogradWeights(M, args_.channels) +
                      i * WINOGRAD_STRIP + j % WINOGRAD_STRIP;
    const std::size_t plane = winogradWeightsPlane(args_.channels);
    repeat<SIZE>([&](auto r) POP_SIMD_LAMBDA {
      repeat<SIZE>([&](auto c) POP_SIMD_LAMBDA {
        u[r][c].store(to + static_cast<std::size_t>(r * SIZE + c) * plane);
      });
    });
  }

  const WinogradWeightsArgs<T> &args_;
};

template <class Tag, unsigned M, class TOut> class WinogradDriver {
public:
  explicit WinogradDriver(const WinogradArgs<TOut> &args)
      : args_(args), across_((args.outputsX + M - 1) / M), down_((args.outputsY + M - 1) / M),
        inputPlane_(winogradPlane(args.blocks, args.channels)),
        productPlane_(winogradPlane(args.blocks, WINOGRAD_COLUMNS)) {
    inputs_ = alignedToLine(args.workspace);
    products_ = alignedToLine(inputs_ + PLANES * inputPlane_);
    zeros_ = products_ + PLANES * productPlane_;
    for (std::size_t i = 0; i < args.channels; ++i)
      zeros_[i] = 0;
  }

  void run() {
    const std::size_t all = args_.batch * down_ * across_;
    for (std::size_t g = 0; g < args_.groups; ++g) {
      in_ = args_.in + static_cast<std::ptrdiff_t>(g) * args_.inGroup;
      weights_ =
          args_.weights + g * winogradStrips(args_.columns) * winogradWeights(M, args_.channels);
      firstColumn_ = g * args_.columns;
      for (std::size_t first = 0; first < all; first += args_.blocks)
        runBlocks(first, all - first < args_.blocks ? all - first : args_.blocks);
    }
  }

private:
  using V = simd<float, Tag>;
  using Transform = WinogradTransform<M>;
  using Shape = MatMulTileShape<Tag>;
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  static constexpr unsigned SIZE = Transform::SIZE;
  static constexpr std::size_t PLANES = winogradPlanes(M);

  /// A block of outputs: its batch, and its first output.
  struct Place {
    std::size_t b, y, x;
  };
  Place placeOf(std::size_t block) const {
    return {block / (down_ * across_), block / across_ % down_ * M, block % across_ * M};
  }

  void runBlocks(std::size_t first, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      readBlock(placeOf(first + i), inputs_ + i * args_.channels);
    for (std::size_t j = 0; j < args_.columns; j += WINOGRAD_COLUMNS) {
      const std::size_t left = args_.columns - j;
      const std::size_t columns = left < WINOGRAD_COLUMNS ? left : WINOGRAD_COLUMNS;
      multiply(n, j, columns);
      for (std::size_t i = 0; i < n; ++i)
        writeBlock(placeOf(first + i), products_ + i * WINOGRAD_COLUMNS, j, columns);
    }
  }

  /// The numbers of the inputs of a block, for all channels.
  void readBlock(const Place &place, float *to) const {
    const float *at[SIZE][SIZE];
    const float *const batch = in_ + static_cast<std::ptrdiff_t>(place.b) * args_.inBatch;
    for (unsigned r = 0; r < SIZE; ++r)
      for (unsigned c = 0; c < SIZE; ++c) {
        const int y = args_.firstY + static_cast<int>(place.y + r);
        const int x = args_.firstX + static_cast<int>(place.x + c);
        const bool inside = y >= 0 && y < args_.inputsY && x >= 0 && x < args_.inputsX;
        at[r][c] = inside ? batch + y * args_.inY + x * args_.inX : zeros_;
      }
    std::size_t i = 0;
    for (; i + W <= args_.channels; i += W)
      readChannels(
          at, i, to, [](const float *p) POP_SIMD_LAMBDA { return V::load(p); },
          [](V v, float *p) POP_SIMD_LAMBDA { v.store(p); });
    const std::size_t tail = args_.channels - i;
    if (tail != 0)
      readChannels(
          at, i, to, [&](const float *p) POP_SIMD_LAMBDA { return V::loadPartial(p, tail); },
          [&](V v, float *p) POP_SIMD_LAMBDA { v.storePartial(p, tail); });
  }

  template <class Load, class Store>
  POP_SIMD_INLINE void readChannels(const float *const (&at)[SIZE][SIZE], std::size_t i, float *to,
                                    const Load &load, const Store &store) const {
    V d[SIZE][SIZE], t[SIZE][SIZE];
    repeat<SIZE>([&](auto r) POP_SIMD_LAMBDA {
      repeat<SIZE>([&](auto c) POP_SIMD_LAMBDA { d[r][c] = load(at[r][c] + i); });
    });
    winogradBoth<SIZE, SIZE>(
        [](const V(&a)[SIZE], V(&b)[SIZE]) POP_SIMD_LAMBDA { Transform::input(a, b); }, d, t);
    repeat<SIZE>([&](auto r) POP_SIMD_LAMBDA {
      repeat<SIZE>([&](auto c) POP_SIMD_LAMBDA {
        store(t[r][c], to + static_cast<std::size_t>(r * SIZE + c) * inputPlane_ + i);
      });
    });
  }

  /// Columns [j, j + columns) of the products of n blocks, plane by plane.
  void multiply(std::size_t n, std::size_t j, std::size_t columns) const {
    const std::size_t plane = winogradWeightsPlane(args_.channels);
    MatMulTileArgs tile{};
    tile.k = args_.channels;
    tile.aRow = static_cast<std::ptrdiff_t>(args_.channels), tile.aColumn = 1;
    tile.bRow = WINOGRAD_STRIP;
    tile.cOutRow = WINOGRAD_COLUMNS;
    for (std::size_t p = 0; p < PLANES; ++p)
      for (std::size_t x = 0; x < columns; x += Shape::COLUMNS) {
        const std::size_t at = j + x, left = columns - x;
        tile.columns = static_cast<unsigned>(left < Shape::COLUMNS ? left : Shape::COLUMNS);
        tile.b = weights_ + at / WINOGRAD_STRIP * winogradWeights(M, args_.channels) + p * plane +
                 at % WINOGRAD_STRIP;
        for (std::size_t i = 0; i < n; i += Shape::ROWS) {
          tile.a = inputs_ + p * inputPlane_ + i * args_.channels;
          tile.cOut = products_ + p * productPlane_ + i * WINOGRAD_COLUMNS + x;
          matMulTileOf<Tag, MatMulSource::FLOAT>(n - i < Shape::ROWS ? n - i : Shape::ROWS,
                                                 tile.columns, MatMulRows::LINES)(tile);
        }
      }
  }

  /// Outputs of a block for columns [j, j + columns).
  void writeBlock(const Place &place, const float *from, std::size_t j, std::size_t columns) const {
    const std::size_t rows = args_.outputsY - place.y, width = args_.outputsX - place.x;
    const std::size_t pixel = (place.b * args_.outputsY + place.y) * args_.outputsX + place.x;
    for (std::size_t x = 0; x < columns; x += W) {
      V m[SIZE][SIZE], y[M][M];
      repeat<SIZE>([&](auto r) POP_SIMD_LAMBDA {
        repeat<SIZE>([&](auto c) POP_SIMD_LAMBDA {
          m[r][c] = V::load(from + static_cast<std::size_t>(r * SIZE + c) * productPlane_ + x);
        });
      });
      winogradBoth<SIZE, M>(
          [](const V(&a)[SIZE], V(&b)[M]) POP_SIMD_LAMBDA { Transform::output(a, b); }, m, y);
      const std::size_t n = columns - x < W ? columns - x : W;
      repeat<M>([&](auto r) POP_SIMD_LAMBDA {
        repeat<M>([&](auto c) POP_SIMD_LAMBDA {
          if (static_cast<std::size_t>(r) < rows && static_cast<std::size_t>(c) < width) {
            TOut *const to = outAt(pixel + static_cast<std::size_t>(r) * args_.outputsX +
                                   static_cast<std::size_t>(c)) +
                             j + x;
            if (n == W)
              y[r][c].store(to);
            else
              y[r][c].storePartial(to, n);
          }
        });
      });
    }
  }

  POP_SIMD_INLINE TOut *outAt(std::size_t pixel) const {
    TOut *const row = args_.outRows ? args_.outRows[pixel] : args_.out + pixel * args_.outPixel;
    return row + firstColumn_;
  }

  const WinogradArgs<TOut> &args_;
  const std::size_t across_, down_, inputPlane_, productPlane_;
  float *inputs_, *products_, *zeros_;
  const float *in_ = nullptr, *weights_ = nullptr;
  std::size_t firstColumn_ = 0;
};

} // namespace detail

/// Transforms weights. \param m  2 or 4
template <class Tag, class T>
void winogradTransformWeights(unsigned m, const WinogradWeightsArgs<T> &args) {
  if (m == 2)
    detail::WinogradWeights<Tag, 2, T>(args).run();
  else
    detail::WinogradWeights<Tag, 4, T>(args).run();
}

/// A part of a convolution with transformed weights; sums are rounded to TOut once.
template <class Tag, class TOut> void winograd(unsigned m, const WinogradArgs<TOut> &args) {
  if (m == 2)
    detail::WinogradDriver<Tag, 2, TOut>(args).run();
  else
    detail::WinogradDriver<Tag, 4, TOut>(args).run();
}

} // namespace cottonwood::kernels
