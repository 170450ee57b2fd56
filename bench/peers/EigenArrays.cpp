// Eigen's array expressions, compiled for this machine; each thread computes a part (OpenMP). Half
// is Eigen's own type.
#include <bench/race/Peer.hpp>

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

namespace cottonwood::bench {
namespace {

using Function = ArrayOp::Function;
using Eigen::half;
using Eigen::Index;

template <class T> using Row = Eigen::Array<T, 1, Eigen::Dynamic>;
template <class T> using Matrix = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T> using In = Eigen::Map<Row<T> const>;
template <class T> using Out = Eigen::Map<Row<T>>;

/// Calls f(begin, end) for a share of [0, count) on every thread; shares begin at whole cache
/// lines.
template <class F> void shared(std::size_t count, unsigned threads, std::size_t grain, F const &f) {
  if (threads == 1) {
    f(Index{0}, static_cast<Index>(count));
    return;
  }
  std::size_t const each = ((count + threads - 1) / threads + grain - 1) / grain * grain;
#pragma omp parallel for num_threads(static_cast <int>(threads))
  for (unsigned i = 0; i < threads; ++i)
    if (i * each < count)
      f(static_cast<Index>(i * each), static_cast<Index>(std::min(count, (i + 1) * each)));
}

/// Operands and result in the type that the operation has them in.
template <class T> class Buffer {
public:
  explicit Buffer(std::size_t size) : values_(static_cast<Index>(size)) {}
  Buffer(float const *data, std::size_t size) : Buffer(size) {
    std::transform(data, data + size, values_.data(),
                   [](float value) { return static_cast<T>(value); });
  }
  T *data() { return values_.data(); }
  void copyTo(float *to) const {
    std::transform(values_.data(), values_.data() + values_.size(), to,
                   [](T value) { return static_cast<float>(value); });
  }

private:
  Row<T> values_;
};

/// A way over buffers of their own types; float needs none.
template <class A, class C, class F> Way wayOver(ArrayOp const &op, Operands const &o, F run) {
  struct Buffers {
    Buffer<A> a, b;
    Buffer<C> c;
  };
  bool const plain = std::is_same_v<A, float> && std::is_same_v<C, float>;
  auto const buffers = std::make_shared<Buffers>(Buffers{Buffer<A>(o.a, plain ? 0 : op.sizeA()),
                                                         Buffer<A>(o.b, plain ? 0 : op.sizeB()),
                                                         Buffer<C>(plain ? 0 : op.sizeC())});
  Way way{"eigen", {}};
  way.result = std::is_same_v<C, half> ? Result::HALF : Result::FLOAT;
  if constexpr (std::is_same_v<A, float> && std::is_same_v<C, float>) {
    way.run = [run, o] { run(o.a, o.b, o.c); };
  } else {
    way.run = [run, buffers] { run(buffers->a.data(), buffers->b.data(), buffers->c.data()); };
    way.fetch = [buffers, o] { buffers->c.copyTo(o.c); };
  }
  return way;
}

/// f(a, b) is the expression of the operation for a share; `c` is what it is assigned to.
template <class T, class F> Way mapWay(ArrayOp const &op, Operands const &o, F f) {
  std::size_t const size = op.size();
  unsigned const threads = o.threads;
  return wayOver<T, T>(op, o, [=](T const *a, T const *b, T *c) {
    shared(size, threads, 64, [&](Index begin, Index end) {
      Index const n = end - begin;
      Out<T>(c + begin, n) = f(In<T>(a + begin, n), In<T>(b ? b + begin : nullptr, b ? n : 0));
    });
  });
}

/// The same for what overwrites its operand: f(c, b).
template <class T, class F> Way inPlaceWay(ArrayOp const &op, Operands const &o, F f) {
  struct Buffers {
    Buffer<T> b, c;
  };
  std::size_t const size = op.size();
  bool const plain = std::is_same_v<T, float>;
  auto const buffers = std::make_shared<Buffers>(
      Buffers{Buffer<T>(o.b, plain ? 0 : op.sizeB()), Buffer<T>(o.a, plain ? 0 : size)});
  auto const run = [=](T const *b, T *c) {
    shared(size, o.threads, 64, [&](Index begin, Index end) {
      Out<T> part(c + begin, end - begin);
      f(part, In<T>(b + begin, end - begin));
    });
  };
  Way way{"eigen", {}};
  if constexpr (std::is_same_v<T, float>) {
    way.run = [run, o] { run(o.b, o.c); };
  } else {
    way.result = Result::HALF;
    way.run = [run, buffers] { run(buffers->b.data(), buffers->c.data()); };
    way.fetch = [buffers, o] { buffers->c.copyTo(o.c); };
    way.reset = [buffers, o, size] { buffers->c = Buffer<T>(o.a, size); };
  }
  return way;
}

template <class T> std::vector<Way> mapWays(ArrayOp const &op, Operands const &o) {
  auto const way = [&](auto f) { return std::vector<Way>{mapWay<T>(op, o, f)}; };
  switch (op.function) {
  case Function::ADD:
    return way([](auto const &a, auto const &b) { return a + b; });
  case Function::MUL:
    return way([](auto const &a, auto const &b) { return a * b; });
  case Function::DIV:
    return way([](auto const &a, auto const &b) { return a / b; });
  case Function::MAX:
    return way([](auto const &a, auto const &b) { return a.max(b); });
  case Function::POW:
    return way([](auto const &a, auto const &b) { return a.pow(b); });
  case Function::RELU:
    return way([](auto const &a, auto const &) { return a.max(T(0)); });
  case Function::SQUARE:
    return way([](auto const &a, auto const &) { return a.square(); });
  case Function::SQRT: // of float it is a reciprocal root and a Newton step, not rounded correctly
    return std::is_same_v<T, float> ? std::vector<Way>{}
                                    : way([](auto const &a, auto const &) { return a.sqrt(); });
  case Function::RSQRT:
    return way([](auto const &a, auto const &) { return a.rsqrt(); });
  case Function::EXP:
    return way([](auto const &a, auto const &) { return a.exp(); });
  case Function::LOG:
    return way([](auto const &a, auto const &) { return a.log(); });
  case Function::TANH:
    return way([](auto const &a, auto const &) { return a.tanh(); });
  case Function::SIGMOID:
    return way([](auto const &a, auto const &) { return (T(1) + (-a).exp()).inverse(); });
  case Function::SIN:
    return way([](auto const &a, auto const &) { return a.sin(); });
  case Function::COS:
    return way([](auto const &a, auto const &) { return a.cos(); });
  case Function::ERF:
    return way([](auto const &a, auto const &) { return a.erf(); });
  case Function::GELU_ERF:
    return way([](auto const &a, auto const &) {
      return T(0.5F) * a * (T(1) + (a * T(0.70710678F)).erf());
    });
  case Function::FUSED_RELU:
    return way([](auto const &a, auto const &b) { return (a * T(0.5F) + b).max(T(0)); });
  case Function::FUSED_SWISH:
    return way([](auto const &a, auto const &) { return a / (T(1) + (-a).exp()); });
  default:
    return {};
  }
}

template <class T> std::vector<Way> inPlaceWays(ArrayOp const &op, Operands const &o) {
  if (op.function == Function::ADD_IN_PLACE)
    return {inPlaceWay<T>(op, o, [](auto &c, auto const &b) { c += b; })};
  if (op.function == Function::SCALED_ADD_IN_PLACE)
    return {inPlaceWay<T>(op, o, [](auto &c, auto const &b) { c += T(0.5F) * b; })};
  return {inPlaceWay<T>(op, o, [](auto &c, auto const &) { c = c.max(T(0)); })};
}

float reduced(Function function, In<float> const &a) {
  return function == Function::SUM      ? a.sum()
         : function == Function::MAX_OF ? a.maxCoeff()
                                        : a.square().sum();
}

void accumulate(Function function, Out<float> &sums, In<float> const &row) {
  if (function == Function::SUM)
    sums += row;
  else if (function == Function::MAX_OF)
    sums = sums.max(row);
  else
    sums += row.square();
}

/// All elements of a row, or of the whole.
Way reduceRowsWay(ArrayOp const &op, Operands const &o) {
  auto const columns = static_cast<Index>(op.rows);
  if (op.outer > 1)
    return {"eigen", [=] {
              shared(op.outer, o.threads, 16, [&](Index begin, Index end) {
                for (Index row = begin; row < end; ++row)
                  o.c[row] = reduced(op.function, In<float>(o.a + row * columns, columns));
              });
            }};
  return {"eigen", [=] {
            float partials[4096];
            unsigned parts = std::min(o.threads, 4096U);
            std::size_t const each = (op.rows + parts - 1) / parts;
            shared(parts, parts, 1, [&](Index part, Index end) {
              for (; part < end; ++part) {
                std::size_t const begin = static_cast<std::size_t>(part) * each;
                std::size_t const size = std::min(each, op.rows - std::min(op.rows, begin));
                partials[part] = reduced(op.function, {o.a + begin, static_cast<Index>(size)});
              }
            });
            *o.c = partials[0];
            for (unsigned i = 1; i < parts; ++i)
              *o.c = op.function == Function::MAX_OF ? std::max(*o.c, partials[i])
                                                     : *o.c + partials[i];
          }};
}

/// Row by row onto the sums, which stay in the cache.
Way reduceColumnsWay(ArrayOp const &op, Operands const &o) {
  return {"eigen", [=] {
            shared(op.columns, o.threads, 16, [&](Index begin, Index end) {
              for (std::size_t outer = 0; outer < op.outer; ++outer) {
                Out<float> sums(o.c + outer * op.columns + begin, end - begin);
                float const *row = o.a + outer * op.rows * op.columns + begin;
                sums = In<float>(row, end - begin);
                if (op.function == Function::SQUARE_SUM)
                  sums = sums.square().eval();
                for (std::size_t i = 1; i < op.rows; ++i)
                  accumulate(op.function, sums, In<float>(row += op.columns, end - begin));
              }
            });
          }};
}

Way normWay(ArrayOp const &op, Operands const &o) {
  auto const columns = static_cast<Index>(op.columns);
  return {"eigen", [=] {
            shared(op.rows, o.threads, 1, [&](Index begin, Index end) {
              for (Index row = begin; row < end; ++row) {
                In<float> const a(o.a + row * columns, columns);
                Out<float> c(o.c + row * columns, columns);
                if (op.function == Function::SOFTMAX) {
                  c = (a - a.maxCoeff()).exp();
                  c *= 1 / c.sum();
                } else if (op.function == Function::LAYER_NORM) {
                  c = a - a.mean();
                  c *= 1 / std::sqrt(c.square().mean() + LAYER_NORM_EPSILON);
                } else if (op.function == Function::LAYER_NORM_SCALED) {
                  c = a - a.mean();
                  float const factor = 1 / std::sqrt(c.square().mean() + LAYER_NORM_EPSILON);
                  c = c * factor * In<float>(o.b, columns) + In<float>(o.b + columns, columns);
                } else {
                  float const most = a.maxCoeff();
                  c = a - (most + std::log((a - most).exp().sum()));
                }
              }
            });
          }};
}

Way batchNormWay(ArrayOp const &op, Operands const &o) {
  auto const columns = static_cast<Index>(op.columns), rows = static_cast<Index>(op.rows);
  return {"eigen", [=] {
            shared(op.outer * op.rows, o.threads, 1, [&](Index begin, Index end) {
              for (Index row = begin; row < end; ++row)
                Out<float>(o.c + row * columns, columns) =
                    In<float>(o.a + row * columns, columns) * o.b[row % rows] +
                    o.b[rows + row % rows];
            });
          }};
}

Way argMaxWay(ArrayOp const &op, Operands const &o) {
  auto const columns = static_cast<Index>(op.rows);
  return {"eigen", [=] {
            shared(op.outer, o.threads, 16, [&](Index begin, Index end) {
              for (Index row = begin; row < end; ++row) {
                Index where = 0;
                In<float>(o.a + row * columns, columns).maxCoeff(&where);
                o.c[row] = static_cast<float>(where);
              }
            });
          }};
}

/// Of all, of rows or of columns.
Way sumOfIntWay(ArrayOp const &op, Operands const &o) {
  auto const rows = static_cast<Index>(op.rows);
  std::size_t const outer = op.outer, columns = op.columns;
  unsigned const threads = o.threads;
  if (columns > 1)
    return wayOver<int, int>(op, o, [=](int const *a, int const *, int *c) {
      shared(columns, threads, 16, [&](Index begin, Index end) {
        Out<int> sums(c + begin, end - begin);
        sums.setZero();
        for (Index row = 0; row < rows; ++row)
          sums += In<int>(a + row * static_cast<Index>(columns) + begin, end - begin);
      });
    });
  if (outer > 1)
    return wayOver<int, int>(op, o, [=](int const *a, int const *, int *c) {
      shared(outer, threads, 16, [&](Index begin, Index end) {
        for (Index row = begin; row < end; ++row)
          c[row] = In<int>(a + row * rows, rows).sum();
      });
    });
  return wayOver<int, int>(op, o, [=](int const *a, int const *, int *c) {
    std::vector<int> sums(threads, 0);
    Index const each = (rows + static_cast<Index>(threads) - 1) / static_cast<Index>(threads);
    shared(threads, threads, 1, [&](Index part, Index end) {
      for (; part < end; ++part) {
        Index const first = std::min(rows, part * each);
        sums[static_cast<std::size_t>(part)] =
            In<int>(a + first, std::min(each, rows - first)).sum();
      }
    });
    *c = std::accumulate(sums.begin(), sums.end(), 0);
  });
}

template <class T> Way gatherWay(ArrayOp const &op, Operands const &o) {
  auto const columns = static_cast<Index>(op.columns);
  unsigned const threads = o.threads;
  auto const rows = std::make_shared<std::vector<Index>>(op.outer);
  for (std::size_t i = 0; i < op.outer; ++i)
    (*rows)[i] = static_cast<Index>(op.gatheredRow(i));
  return wayOver<T, T>(op, o, [=](T const *a, T const *, T *c) {
    shared(rows->size(), threads, 1, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        Out<T>(c + i * columns, columns) =
            In<T>(a + (*rows)[static_cast<std::size_t>(i)] * columns, columns);
    });
  });
}

template <class A, class C> Way castWay(ArrayOp const &op, Operands const &o) {
  std::size_t const size = op.size();
  unsigned const threads = o.threads;
  return wayOver<A, C>(op, o, [=](A const *a, A const *, C *c) {
    shared(size, threads, 64, [&](Index begin, Index end) {
      Out<C>(c + begin, end - begin) = In<A>(a + begin, end - begin).template cast<C>();
    });
  });
}

Way fillWay(ArrayOp const &op, Operands const &o) {
  std::size_t const size = op.size();
  return {"eigen", [=] {
            shared(size, o.threads, 64, [&](Index begin, Index end) {
              Out<float>(o.c + begin, end - begin).setConstant(1);
            });
          }};
}

/// T: bits of the elements.
template <class T> Way transposeWay(ArrayOp const &op, Operands const &o) {
  unsigned const threads = o.threads;
  auto const rows = static_cast<Index>(op.rows), columns = static_cast<Index>(op.columns);
  auto const inner = static_cast<Index>(op.inner), outer = static_cast<Index>(op.outer);
  auto const run = [=](T const *a, T const *, T *c) {
    if (outer * inner == 1) {
      shared(op.columns, threads, 16, [&](Index begin, Index end) {
        Eigen::Map<Matrix<T> const> const from(a, rows, columns);
        Eigen::Map<Matrix<T>> to(c, columns, rows);
        to.middleRows(begin, end - begin) = from.middleCols(begin, end - begin).transpose();
      });
      return;
    }
    shared(op.outer, threads, 1, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        T const *const from = a + i * rows * columns * inner;
        T *const to = c + i * rows * columns * inner;
        if (inner == 1) {
          Eigen::Map<Matrix<T>>(to, columns, rows) =
              Eigen::Map<Matrix<T> const>(from, rows, columns).transpose();
          continue;
        }
        for (Index column = 0; column < columns; ++column)
          for (Index row = 0; row < rows; ++row)
            Out<T>(to + (column * rows + row) * inner, inner) =
                In<T>(from + (row * columns + column) * inner, inner);
      }
    });
  };
  return wayOver<T, T>(op, o, run);
}

} // namespace

// Sums and norms of half are left out: Eigen sums them in half. So are calls of 1000 elements and
// fewer, which are inlined here: they are compared with our kernels on plain memory, not with calls
// of a program.
std::vector<Way> waysOfPeer(ArrayOp const &op, Operands const &all) {
  bool const small =
      op.size() <= 1000 || (op.function == Function::GATHER_ROWS && op.sizeC() <= 1000);
  if (small && !op.raw)
    return {};
  Operands o = all;
  o.threads = op.raw ? 1 : o.threads;
  switch (op.function) {
  case Function::ADD_IN_PLACE:
  case Function::SCALED_ADD_IN_PLACE:
  case Function::RELU_IN_PLACE:
    return op.half ? inPlaceWays<half>(op, o) : inPlaceWays<float>(op, o);
  case Function::SUM:
  case Function::MAX_OF:
  case Function::SQUARE_SUM:
    if (op.half)
      return {};
    return {op.columns == 1 ? reduceRowsWay(op, o) : reduceColumnsWay(op, o)};
  case Function::SOFTMAX:
  case Function::LOG_SOFTMAX:
  case Function::LAYER_NORM:
  case Function::LAYER_NORM_SCALED:
    return op.half ? std::vector<Way>{} : std::vector<Way>{normWay(op, o)};
  case Function::BATCH_NORM:
    return {batchNormWay(op, o)};
  case Function::ARG_MAX:
    return {argMaxWay(op, o)};
  case Function::SUM_OF_INT:
    return {sumOfIntWay(op, o)};
  case Function::GATHER_ROWS:
    return {op.half ? gatherWay<half>(op, o) : gatherWay<float>(op, o)};
  case Function::UNIFORM:
    return {};
  case Function::COPY:
    return {castWay<float, float>(op, o)};
  case Function::FILL:
    return {fillWay(op, o)};
  case Function::CAST_TO_HALF:
    return {castWay<float, half>(op, o)};
  case Function::CAST_FROM_HALF:
    return {castWay<half, float>(op, o)};
  case Function::CAST_TO_INT:
    return {castWay<float, int>(op, o)};
  case Function::CAST_FROM_INT:
    return {castWay<int, float>(op, o)};
  case Function::TRANSPOSE:
    return {op.half ? transposeWay<half>(op, o) : transposeWay<float>(op, o)};
  default:
    return op.half ? mapWays<half>(op, o) : mapWays<float>(op, o);
  }
}

} // namespace cottonwood::bench
