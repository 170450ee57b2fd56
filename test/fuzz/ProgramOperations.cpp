#include "ProgramOperations.hpp"

#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Sort.hpp>
#include <popops/Zero.hpp>

using namespace poplar;
using namespace poplar::program;
using namespace popops::expr;

namespace fuzz {

namespace {

/// For every element of a slice of `size` from an offset on, in dimension d of the shape: f(its
/// place in the whole, its place in the slice). Slices go on at the beginning.
template <class F>
void forSlice(Shape const &shape, std::size_t d, std::size_t size, double offset, F f) {
  Shape slice = shape;
  slice[d] = size;
  std::size_t i = 0;
  fuzz::forEachIndex(slice, [&](Shape index) {
    index[d] = (index[d] + static_cast<std::size_t>(offset)) % shape[d];
    f(fuzz::flat(shape, index), i++);
  });
}

View asRows(View const &view) {
  std::size_t const rows = view.shape.empty() ? 1 : view.shape[0];
  return fuzz::RandomViews::reshaped(view, {rows, view.size() / rows});
}

} // namespace

void ProgramOperations::addOperation(Part &block, std::size_t depth) {
  using Add = void (ProgramOperations::*)(Part &);
  constexpr std::pair<char const *, Add> operations[] = {
      {"binary", &ProgramOperations::addBinary},
      {"unary", &ProgramOperations::addUnary},
      {"in place", &ProgramOperations::addInPlace},
      {"with output", &ProgramOperations::addWithOutput},
      {"select", &ProgramOperations::addSelect},
      {"copy", &ProgramOperations::addCopy},
      {"reduce", &ProgramOperations::addReduction},
      {"product", &ProgramOperations::addProduct},
      {"slice", &ProgramOperations::addSlice},
      {"update", &ProgramOperations::addUpdate},
      {"rows", &ProgramOperations::addRows},
      {"update rows", &ProgramOperations::addRowUpdate},
      {"cast", &ProgramOperations::addCast},
      {"scaled add", &ProgramOperations::addScaledAdd},
      {"fill", &ProgramOperations::addFill},
      {"sort", &ProgramOperations::addSort},
      {"concatenate", &ProgramOperations::addConcat}};
  auto const &[name, function] = operations[number(std::size(operations))];
  tell(name, depth);
  (this->*function)(block);
}

View ProgramOperations::offsets(Part &block, Shape const &shape, std::size_t limit) {
  View const any = pickOf(UNSIGNED_INT, shape);
  View const to = made(popops::rem(graph_, any.tensor, static_cast<unsigned>(limit), block.prog));
  each(
      block, to, [limit](double x) { return std::fmod(x, static_cast<double>(limit)); }, any);
  return to;
}

ProgramOperations::Binary ProgramOperations::someBinary() {
  switch (number(5)) {
  case 0:
    return {_1 + _2, [](double x, double y) { return x + y; }};
  case 1:
    return {_1 - _2, [](double x, double y) { return x - y; }};
  case 2:
    return {_1 * _2, [](double x, double y) { return x * y; }};
  case 3:
    return {Max(_1, _2), [](double x, double y) { return std::max(x, y); }};
  default:
    return {Min(_1, _2), [](double x, double y) { return std::min(x, y); }};
  }
}

void ProgramOperations::addBinary(Part &block) {
  Type const type = someType();
  View const a = pick(type), b = pickOf(type, a.shape);
  Binary const binary = someBinary();
  View const to = made(popops::map(graph_, limited(binary.term), {a.tensor, b.tensor}, block.prog));
  each(
      block, to, [f = binary.value](double x, double y) { return limited(f(x, y)); }, a, b);
}

void ProgramOperations::addUnary(Part &block) {
  View const a = pick(someType());
  switch (number(3)) {
  case 0:
    return each(
        block, made(popops::neg(graph_, a.tensor, block.prog)), [](double x) { return -x; }, a);
  case 1:
    return each(
        block, made(popops::abs(graph_, a.tensor, block.prog)),
        [](double x) { return std::fabs(x); }, a);
  default:
    return each(
        block, made(popops::signum(graph_, a.tensor, block.prog)),
        [](double x) { return static_cast<double>((x > 0) - (x < 0)); }, a);
  }
}

/// The second operand may have elements of the first in another order.
void ProgramOperations::addInPlace(Part &block) {
  Type const type = someType();
  View const a = pick(type, true),
             b = fit(oneIn(random_, 2) ? someView(a, true) : pick(type), a.shape);
  Binary const binary = someBinary();
  popops::mapInPlace(graph_, limited(binary.term), {a.tensor, b.tensor}, block.prog);
  each(
      block, a, [f = binary.value](double x, double y) { return limited(f(x, y)); }, a, b);
}

void ProgramOperations::addWithOutput(Part &block) {
  Type const type = someType();
  View const to = pick(type, true),
             a = fit(oneIn(random_, 2) ? someView(to, true) : pick(type), to.shape),
             b = pickOf(type, to.shape);
  Binary const binary = someBinary();
  popops::mapWithOutput(graph_, limited(binary.term), {a.tensor, b.tensor}, to.tensor, block.prog);
  each(
      block, to, [f = binary.value](double x, double y) { return limited(f(x, y)); }, a, b);
}

void ProgramOperations::addSelect(Part &block) {
  Type const type = someType(), other = someType();
  View const a = pick(type), b = pickOf(type, a.shape), c = pickOf(other, a.shape),
             d = pickOf(other, a.shape);
  View const to = made(popops::map(graph_, Select(_1, _2, _3 < _4),
                                   {a.tensor, b.tensor, c.tensor, d.tensor}, block.prog));
  each(
      block, to, [](double x, double y, double left, double right) { return left < right ? x : y; },
      a, b, c, d);
}

void ProgramOperations::addCopy(Part &block) {
  Type const type = someType();
  View const to = pick(type, true), from = pickOf(type, to.shape);
  if (overlap(to, from))
    return;
  block.prog.add(Copy(from.tensor, to.tensor));
  each(
      block, to, [](double x) { return x; }, from);
}

void ProgramOperations::addReduction(Part &block) {
  Type const type = someType();
  View const a = pick(type);
  std::vector<std::size_t> dims;
  Shape left, place(a.shape.size()); // of an index in the result's
  for (std::size_t d = 0; d != a.shape.size(); ++d)
    if (oneIn(random_, 2))
      dims.push_back(d), place[d] = SIZE_MAX;
    else
      place[d] = left.size(), left.push_back(a.shape[d]);
  bool const sums = oneIn(random_, 2);
  Tensor const t =
      popops::reduce(graph_, a.tensor, sums && type == HALF ? FLOAT : type, dims,
                     sums ? popops::Operation::ADD : popops::Operation::MAX, block.prog);
  popops::mapInPlace(graph_, limited(_1), {t}, block.prog);
  step(
      block, made(t),
      [shape = a.shape, place, left, sums](Numbers const &values) {
        Numbers result(product(left), sums ? 0 : -1e9);
        std::size_t i = 0;
        forEachIndex(shape, [&](Shape const &index) {
          Shape at(left.size());
          for (std::size_t d = 0; d != index.size(); ++d)
            if (place[d] != SIZE_MAX)
              at[place[d]] = index[d];
          double &r = result[flat(left, at)];
          r = sums ? r + values[i] : std::max(r, values[i]);
          ++i;
        });
        for (double &r : result)
          r = limited(r);
        return result;
      },
      a);
}

void ProgramOperations::addProduct(Part &block) {
  Type const type = someFloating();
  std::size_t const m = 1 + number(5), k = 1 + number(5), n = 1 + number(8);
  View const a = pickOf(type, {m, k}), b = pickOf(type, {k, n});
  Tensor const t = poplin::matMul(graph_, a.tensor, b.tensor, block.prog, FLOAT);
  popops::mapInPlace(graph_, limited(_1), {t}, block.prog);
  step(
      block, made(t),
      [m, k, n](Numbers const &x, Numbers const &y) {
        Numbers result(m * n, 0);
        for (std::size_t i = 0; i != m; ++i)
          for (std::size_t j = 0; j != n; ++j) {
            for (std::size_t l = 0; l != k; ++l)
              result[i * n + j] += x[i * k + l] * y[l * n + j];
            result[i * n + j] = limited(result[i * n + j]);
          }
        return result;
      },
      a, b);
}

void ProgramOperations::addSlice(Part &block) {
  View const a = pick(someType());
  if (a.shape.empty())
    return;
  std::size_t const d = number(a.shape.size()), size = 1 + number(a.shape[d]);
  View const offset = offsets(block, {1}, a.shape[d]);
  View const to =
      made(popops::dynamicSlice(graph_, a.tensor, offset.tensor, {d}, {size}, block.prog));
  step(
      block, to,
      [shape = a.shape, d, size](Numbers const &whole, Numbers const &from) {
        Numbers result(product(shape) / shape[d] * size);
        forSlice(shape, d, size, from[0],
                 [&](std::size_t at, std::size_t i) { result[i] = whole[at]; });
        return result;
      },
      a, offset);
}

void ProgramOperations::addUpdate(Part &block) {
  Type const type = someType();
  View const a = pick(type, true);
  if (a.shape.empty())
    return;
  std::size_t const d = number(a.shape.size()), size = 1 + number(a.shape[d]);
  Shape part = a.shape;
  part[d] = size;
  View const b = pickOf(type, part);
  if (overlap(a, b))
    return;
  View const offset = offsets(block, {1}, a.shape[d]);
  popops::dynamicUpdate(graph_, a.tensor, b.tensor, offset.tensor, {d}, {size}, block.prog);
  step(
      block, a,
      [shape = a.shape, d, size](Numbers whole, Numbers const &slice, Numbers const &from) {
        forSlice(shape, d, size, from[0],
                 [&](std::size_t at, std::size_t i) { whole[at] = slice[i]; });
        return whole;
      },
      a, b, offset);
}

void ProgramOperations::addRows(Part &block) {
  View const a = asRows(pick(someType()));
  std::size_t const count = 1 + number(9), width = a.shape[1];
  View const rows = offsets(block, {count, 1}, a.shape[0]);
  View const to = made(popops::multiSlice(graph_, a.tensor, rows.tensor, {0}, {1}, block.prog,
                                          popops::SlicePlan(), {}));
  step(
      block, to,
      [width](Numbers const &table, Numbers const &which) {
        Numbers result;
        for (double const row : which)
          for (std::size_t i = 0; i != width; ++i)
            result.push_back(table[static_cast<std::size_t>(row) * width + i]);
        return result;
      },
      a, rows);
}

void ProgramOperations::addRowUpdate(Part &block) {
  Type const type = someFloating();
  View const a = asRows(pick(type, true));
  std::size_t const count = 1 + number(9), width = a.shape[1];
  View const b = pickOf(type, {count, 1, width});
  if (overlap(a, b))
    return;
  View const rows = offsets(block, {count, 1}, a.shape[0]);
  bool const adds = oneIn(random_, 2);
  if (adds) {
    Tensor const one = graph_.addConstant(type, {}, 1);
    graph_.setTileMapping(one, 0);
    popops::multiUpdateAdd(graph_, a.tensor, b.tensor, rows.tensor, one, {0}, {1}, block.prog,
                           popops::SlicePlan(), {});
    popops::mapInPlace(graph_, limited(_1), {a.tensor}, block.prog);
  } else {
    popops::multiUpdate(graph_, a.tensor, b.tensor, rows.tensor, {0}, {1}, block.prog,
                        popops::SlicePlan(), {});
  }
  step(
      block, a,
      [width, adds](Numbers table, Numbers const &updates, Numbers const &which) {
        for (std::size_t r = 0; r != which.size(); ++r)
          for (std::size_t i = 0; i != width; ++i) {
            double &x = table[static_cast<std::size_t>(which[r]) * width + i];
            x = adds ? x + updates[r * width + i] : updates[r * width + i];
          }
        for (double &x : table)
          x = limited(x);
        return table;
      },
      a, b, rows);
}

void ProgramOperations::addCast(Part &block) {
  View const a = pick(someType());
  each(
      block, made(popops::cast(graph_, a.tensor, someType(), block.prog)),
      [](double x) { return x; }, a);
}

void ProgramOperations::addScaledAdd(Part &block) {
  Type const type = someType();
  View const a = pick(type, true), b = pickOf(type, a.shape);
  if (overlap(a, b))
    return;
  popops::scaledAddTo(graph_, a.tensor, b.tensor, 2.F, block.prog);
  popops::mapInPlace(graph_, limited(_1), {a.tensor}, block.prog);
  each(
      block, a, [](double x, double y) { return limited(x + 2 * y); }, a, b);
}

void ProgramOperations::addFill(Part &block) {
  View const a = pick(someType(), true);
  int const value = oneIn(random_, 2) ? 0 : static_cast<int>(number(MOST + 1));
  if (value == 0)
    popops::zero(graph_, a.tensor, block.prog);
  else
    popops::fill(graph_, a.tensor, block.prog, value);
  each(
      block, a, [value](double) { return static_cast<double>(value); }, a);
}

void ProgramOperations::addSort(Part &block) {
  View const a = asRows(pick(someType(), true));
  popops::sortInPlace(graph_, a.tensor, 1, block.prog);
  step(
      block, a,
      [width = static_cast<std::ptrdiff_t>(a.shape[1])](Numbers values) {
        for (auto row = values.begin(); row != values.end(); row += width)
          std::sort(row, row + width);
        return values;
      },
      a);
}

void ProgramOperations::addConcat(Part &) {
  Type const type = someType();
  View const a = pick(type), b = pick(type);
  View both{concat(a.tensor.flatten(), b.tensor.flatten()), {a.size() + b.size()}, a.places};
  both.places.insert(both.places.end(), b.places.begin(), b.places.end());
  values_.push_back({both, type});
}

} // namespace fuzz
