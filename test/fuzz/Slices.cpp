// Slices at offsets of the program, gathers, scatters, rows of tables, one-hot rows and padding of
// tensors that are views of any kind, against single elements.
#include "Cases.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/Encoding.hpp>
#include <popops/Gather.hpp>
#include <popops/Pad.hpp>
#include <popops/Scatter.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/UpdateScalarInRows.hpp>

using namespace poplar;
using fuzz::flat;
using fuzz::forEachIndex;
using fuzz::Numbers;
using fuzz::oneIn;
using fuzz::product;
using fuzz::Random;
using fuzz::Shape;
using fuzz::View;

namespace {

/// Slices of that size in some dimensions of a tensor.
struct Windows {
  Shape shape; ///< of the tensor
  std::vector<std::size_t> dims, sizes;

  Shape slice() const {
    Shape result = shape;
    for (std::size_t k = 0; k != dims.size(); ++k)
      result[dims[k]] = sizes[k];
    return result;
  }
  /// Calls f(element of the tensor, element of the slice) for a slice at these offsets. Slices go
  /// on at the beginning of a dimension when they pass its end.
  template <class F> void at(double const *offsets, F const &f) const {
    std::size_t i = 0;
    forEachIndex(slice(), [&](Shape index) {
      for (std::size_t k = 0; k != dims.size(); ++k) {
        std::size_t &d = index[dims[k]];
        d = (d + static_cast<std::size_t>(offsets[k])) % shape[dims[k]];
      }
      f(flat(shape, index), i++);
    });
  }
};

/// What the gathers and scatters of XLA work on: windows at places of a tensor, of which some
/// dimensions of size 1 are left out of the other operand. It has dimensions of windows in order,
/// between those of the places.
struct PlacedWindows {
  Shape shape, window; ///< of the tensor and of a window in it
  std::vector<std::size_t> left;
  std::vector<unsigned> starts; ///< dimensions that places are in
  Shape places;
  std::size_t vector = 0; ///< the dimension of `places` along which one place lies
  Shape other;
  std::vector<std::size_t> offsetDims, windowDims; ///< a window's, in `other` and in the tensor

  /// Places are below it in each dimension.
  std::size_t limit() const {
    std::size_t least = ~std::size_t{0};
    for (unsigned const d : starts)
      least = std::min(least, shape[d] - window[d] + 1);
    return least;
  }
  /// The element of the tensor that an element of the other operand belongs to.
  std::size_t elementOf(Shape const &index, Numbers const &at) const {
    Shape in, to(shape.size(), 0);
    std::size_t w = 0;
    for (std::size_t d = 0; d != index.size(); ++d)
      if (isOffset(d, w))
        to[windowDims[w++]] = index[d];
      else
        in.push_back(index[d]);
    in.insert(in.begin() + static_cast<std::ptrdiff_t>(vector), 0);
    for (std::size_t k = 0; k != starts.size(); ++k) {
      in[vector] = k;
      to[starts[k]] += static_cast<std::size_t>(at[flat(places, in)]);
    }
    return flat(shape, to);
  }
  /// Which of all places, in order, an element of the other operand is of.
  std::size_t placeOf(Shape const &index) const {
    std::size_t place = 0;
    for (std::size_t d = 0, w = 0; d != index.size(); ++d)
      if (isOffset(d, w))
        ++w;
      else
        place = place * other[d] + index[d];
    return place;
  }

private:
  /// Whether dimension d of the other operand is the w-th of windows.
  bool isOffset(std::size_t d, std::size_t w) const {
    return w != offsetDims.size() && offsetDims[w] == d;
  }
};

/// Of a table's rows.
enum class Use { READ, WRITE, ADD, MAX, MUL };

class Generator : public fuzz::Cases {
public:
  Generator(Random &random, Device const &device) : Cases(random, device, true) {}

private:
  void add() override {
    switch (number(8)) {
    case 0:
    case 1:
      return addDynamic();
    case 2:
      return addMultiSlices();
    case 3:
    case 4:
      return addTable();
    case 5:
      return addGather();
    case 6:
      return addWindows();
    default:
      return oneIn(random_, 2) ? addRows() : addPadding();
    }
  }

  Shape someShape() { return views_.someShape(oneIn(random_, 8) ? 60000 : 3000); }

  Windows someWindows() {
    Windows w{someShape(), {}, {}};
    for (std::size_t d = 0; d != w.shape.size(); ++d)
      if (oneIn(random_, 2)) {
        w.dims.push_back(d);
        w.sizes.push_back(1 + number(oneIn(random_, 2) ? 1 : w.shape[d]));
      }
    if (w.dims.empty()) {
      w.dims.push_back(0);
      w.sizes.push_back(1);
    }
    std::reverse(w.dims.begin(), w.dims.end());
    std::reverse(w.sizes.begin(), w.sizes.end());
    return w;
  }
  std::size_t leastOf(Windows const &w) const {
    std::size_t least = w.shape[w.dims[0]];
    for (std::size_t const d : w.dims)
      least = std::min(least, w.shape[d]);
    return least;
  }

  /// One slice, read or written.
  void addDynamic() {
    Windows const w = someWindows();
    tell("dynamic" + fuzz::textOf(w.shape) + fuzz::textOf(w.dims) + fuzz::textOf(w.sizes));
    bool const padded = w.dims.size() == 1 && oneIn(random_, 4);
    View const from = offsets({w.dims.size()}, leastOf(w) + (padded ? 1 : 0));
    Numbers const at = numbers(UNSIGNED_INT, from);
    bool const nowhere = at[0] >= static_cast<double>(w.shape[w.dims[0]]);
    OptionFlags const options = padded ? OptionFlags{{"paddingIndexUsed", "true"}} : OptionFlags{};
    if (oneIn(random_, 2)) {
      View const t = written(type_, w.shape), s = view(type_, w.slice());
      popops::dynamicUpdate(graph_, t.tensor, s.tensor, from.tensor, w.dims, w.sizes, prog_, {},
                            options);
      Numbers all = numbers(type_, t);
      Numbers const part = numbers(type_, s);
      if (!nowhere)
        w.at(at.data(), [&](std::size_t i, std::size_t j) { all[i] = part[j]; });
      assign(type_, t, all);
      return;
    }
    View const t = view(type_, w.shape);
    Numbers const all = numbers(type_, t);
    Numbers part(product(w.slice()), 0);
    if (!nowhere)
      w.at(at.data(), [&](std::size_t i, std::size_t j) { part[j] = all[i]; });
    expect(type_,
           popops::dynamicSlice(graph_, t.tensor, from.tensor, w.dims, w.sizes, prog_, {}, options),
           part);
  }

  /// Several slices of any size, read or written; the last of several to one place stays.
  void addMultiSlices() {
    constexpr std::size_t MOST = 100000;
    Windows const w = someWindows();
    std::size_t const size = product(w.slice()), dims = w.dims.size(),
                      n = 1 + number(std::clamp<std::size_t>(MOST / size, 1, 40));
    tell("multi" + std::to_string(n) + fuzz::textOf(w.shape) + fuzz::textOf(w.dims) +
         fuzz::textOf(w.sizes));
    View const from = offsets({n, dims}, leastOf(w));
    Numbers const at = numbers(UNSIGNED_INT, from);
    Shape slices = w.slice();
    slices.insert(slices.begin(), n);
    if (oneIn(random_, 2)) {
      View const t = written(type_, w.shape), s = view(type_, slices);
      popops::multiUpdate(graph_, t.tensor, s.tensor, from.tensor, w.dims, w.sizes, prog_,
                          popops::SlicePlan(), {});
      Numbers all = numbers(type_, t);
      Numbers const parts = numbers(type_, s);
      for (std::size_t k = 0; k != n; ++k)
        w.at(&at[k * dims], [&](std::size_t i, std::size_t j) { all[i] = parts[k * size + j]; });
      assign(type_, t, all);
      return;
    }
    View const t = view(type_, w.shape);
    Numbers const all = numbers(type_, t);
    Numbers parts(n * size);
    for (std::size_t k = 0; k != n; ++k)
      w.at(&at[k * dims], [&](std::size_t i, std::size_t j) { parts[k * size + j] = all[i]; });
    expect(type_,
           popops::multiSlice(graph_, t.tensor, from.tensor, w.dims, w.sizes, prog_,
                              popops::SlicePlan(), {}),
           parts);
  }

  /// Rows of tables side by side, read, written, added to, multiplied or raised.
  void addTable() {
    std::size_t const sizes[] = {1, 2, 3, 4, 7, 8, 16, 17, 33, 64, 100, 300};
    std::size_t const g = oneIn(random_, 3) ? 1 + number(4) : 1, rows = pick(sizes),
                      columns = pick(sizes), n = 1 + number(oneIn(random_, 2) ? 400 : 12);
    constexpr Use uses[] = {Use::READ, Use::READ, Use::WRITE, Use::ADD,
                            Use::ADD,  Use::MAX,  Use::MUL};
    Use const what = pick(uses);
    tell("table" + operationOf(what) + fuzz::textOf({g, n, rows, columns}));
    bool const padded = oneIn(random_, 4);
    OptionFlags options{{"usedForUpdate", what == Use::READ ? "false" : "true"},
                        {"operationForUpdate", operationOf(what)},
                        {"paddingIndexUsed", padded ? "true" : "false"}};
    View const from = offsets({g, n, 1}, rows + (padded ? 1 : 0));
    View const s = view(type_, what == Use::READ ? Shape{1} : Shape{g, n, 1, columns});
    View const t =
        what == Use::READ ? view(type_, {g, rows, columns}) : written(type_, {g, rows, columns});
    Numbers const at = numbers(UNSIGNED_INT, from), part = numbers(type_, s);
    Numbers all = numbers(type_, t), read(g * n * columns, 0);
    double const factor = what == Use::ADD ? static_cast<double>(number(5)) - 2 : 1;
    double most = 0;
    for (std::size_t k = 0; k != g * n; ++k) {
      std::size_t const row = static_cast<std::size_t>(at[k]);
      for (std::size_t c = 0; row < rows && c != columns; ++c) {
        double &x = all[(k / n * rows + row) * columns + c];
        if (what == Use::READ)
          read[k * columns + c] = x;
        else
          apply(what, x, factor * part[k * columns + c]);
        most = std::max(most, std::fabs(x));
      }
    }
    if (most > 2048) // no longer exact in half
      return;
    bool const grouped = g != 1, planned = grouped || oneIn(random_, 2);
    popops::SlicePlan const plan =
        !planned  ? popops::SlicePlan()
        : grouped ? popops::embedding::plan(graph_, type_, g, rows, columns, {n}, options)
                  : popops::embedding::plan(graph_, type_, rows, columns, {n}, options);
    Tensor const scale = graph_.addConstant(type_, {}, factor);
    graph_.setTileMapping(scale, 0);
    Tensor const table = grouped ? t.tensor : t.tensor[0],
                 places = grouped ? from.tensor : from.tensor[0];
    if (what == Use::READ) {
      expect(type_,
             grouped
                 ? popops::groupedMultiSlice(graph_, table, places, {0}, {1}, prog_, plan, options)
                 : popops::multiSlice(graph_, table, places, {0}, {1}, prog_, plan, options),
             read);
      return;
    }
    Tensor const slices = grouped ? s.tensor : s.tensor[0];
    update(what, grouped, table, slices, places, scale, plan, options);
    assign(type_, t, all);
  }

  static std::string operationOf(Use what) {
    return what == Use::ADD ? "add" : what == Use::MAX ? "max" : what == Use::MUL ? "mul" : "none";
  }
  static void apply(Use what, double &x, double y) {
    x = what == Use::WRITE ? y
        : what == Use::ADD ? x + y
        : what == Use::MAX ? std::max(x, y)
                           : x * y;
  }
  void update(Use what, bool grouped, Tensor const &t, Tensor const &s, Tensor const &at,
              Tensor const &scale, popops::SlicePlan const &plan, OptionFlags const &options) {
    std::vector<std::size_t> const dims{0}, sizes{1};
    auto const call = [&](auto one, auto several) {
      (grouped ? several : one)(graph_, t, s, at, dims, sizes, prog_, plan, options, {});
    };
    if (what == Use::WRITE)
      call(popops::multiUpdate, popops::groupedMultiUpdate);
    else if (what == Use::MAX)
      call(popops::multiUpdateMax, popops::groupedMultiUpdateMax);
    else if (what == Use::MUL)
      call(popops::multiUpdateMul, popops::groupedMultiUpdateMul);
    else if (grouped)
      popops::groupedMultiUpdateAdd(graph_, t, s, at, scale, dims, sizes, prog_, plan, options);
    else
      popops::multiUpdateAdd(graph_, t, s, at, scale, dims, sizes, prog_, plan, options);
  }

  /// Slices of one element of a dimension.
  void addGather() {
    Shape const shape = someShape();
    std::size_t const axis = number(shape.size()), n = 1 + number(40);
    if (product(shape) / shape[axis] * n > 200000)
      return;
    tell("gather" + fuzz::textOf(shape) + std::to_string(axis) + ':' + std::to_string(n));
    View const t = view(type_, shape), from = offsets({n}, shape[axis]);
    Numbers const all = numbers(type_, t), at = numbers(UNSIGNED_INT, from);
    Shape result = shape;
    result[axis] = n;
    Numbers parts;
    forEachIndex(result, [&](Shape index) {
      index[axis] = static_cast<std::size_t>(at[index[axis]]);
      parts.push_back(all[flat(shape, index)]);
    });
    expect(type_,
           popops::gather(graph_, t.tensor, from.tensor, static_cast<unsigned>(axis), prog_,
                          popops::GatherParams()),
           parts);
  }

  /// Gathers and scatters of windows.
  void addWindows() {
    PlacedWindows const w = somePlacedWindows();
    if (product(w.other) > 100000)
      return;
    bool const scatters = oneIn(random_, 2);
    tell((scatters ? "scatter" : "windows") + fuzz::textOf(w.shape) + fuzz::textOf(w.window) +
         fuzz::textOf(w.places) + fuzz::textOf(w.other));
    View const from = offsets(w.places, w.limit());
    if (scatters)
      addScatter(w, from);
    else
      addGather(w, from);
  }
  PlacedWindows somePlacedWindows() {
    PlacedWindows w;
    w.shape = someShape();
    std::size_t const rank = w.shape.size();
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    for (std::size_t d = 0; d != rank; ++d) {
      w.window.push_back(oneIn(random_, 2) ? 1 : 1 + number(w.shape[d]));
      if (w.window[d] == 1 && oneIn(random_, 2))
        w.left.push_back(d);
      else
        w.windowDims.push_back(d);
    }
    for (std::size_t const d : order)
      if (w.starts.empty() || oneIn(random_, 2))
        w.starts.push_back(static_cast<unsigned>(d));
    Shape batch(1 + number(2));
    for (std::size_t &size : batch)
      size = 1 + number(6);
    w.vector = number(batch.size() + 1);
    w.places = batch;
    w.places.insert(w.places.begin() + static_cast<std::ptrdiff_t>(w.vector), w.starts.size());
    for (std::size_t b = 0, d = 0; b != batch.size() || d != w.windowDims.size();)
      if (d == w.windowDims.size() || (b != batch.size() && oneIn(random_, 2))) {
        w.other.push_back(batch[b++]);
      } else {
        w.offsetDims.push_back(w.other.size());
        w.other.push_back(w.window[w.windowDims[d++]]);
      }
    return w;
  }
  void addGather(PlacedWindows const &w, View const &from) {
    Numbers const at = numbers(UNSIGNED_INT, from);
    View const t = view(type_, w.shape);
    Numbers const all = numbers(type_, t);
    Numbers parts;
    forEachIndex(w.other,
                 [&](Shape const &index) { parts.push_back(all[w.elementOf(index, at)]); });
    Tensor const result = popops::gather(graph_, t.tensor, from.tensor, w.vector, w.offsetDims,
                                         w.window, w.left, w.starts, prog_);
    fuzz::expect(result.shape() == w.other, "another shape of a gather");
    expect(type_, result, parts);
  }
  void addScatter(PlacedWindows const &w, View const &from) {
    Numbers const at = numbers(UNSIGNED_INT, from);
    View const t = written(type_, w.shape), s = view(type_, w.other);
    Numbers all = numbers(type_, t);
    Numbers const parts = numbers(type_, s);
    // Of several windows over an element the last place's stays.
    std::vector<std::size_t> newest(all.size(), 0);
    std::size_t i = 0;
    forEachIndex(w.other, [&](Shape const &index) {
      std::size_t const to = w.elementOf(index, at), place = w.placeOf(index);
      if (newest[to] <= place) {
        newest[to] = place;
        all[to] = parts[i];
      }
      ++i;
    });
    popops::scatter(graph_, t.tensor, from.tensor, s.tensor, w.vector,
                    {w.offsetDims.begin(), w.offsetDims.end()}, w.left, w.starts, prog_);
    assign(type_, t, all);
  }

  /// An element of each row.
  void addRows() {
    std::size_t const sizes[] = {1, 2, 3, 5, 8, 16, 17, 40, 100, 300};
    std::size_t const rows = pick(sizes), columns = pick(sizes);
    tell("rows" + fuzz::textOf({rows, columns}));
    View const from = offsets({rows}, columns);
    Numbers const at = numbers(UNSIGNED_INT, from);
    auto const place = [&](std::size_t r) { return r * columns + static_cast<std::size_t>(at[r]); };
    std::size_t const kind = type_ == INT ? 2 : number(3);
    if (kind == 0) {
      View const t = view(type_, {rows, columns});
      Numbers const all = numbers(type_, t);
      Numbers picked;
      for (std::size_t r = 0; r != rows; ++r)
        picked.push_back(all[place(r)]);
      expect(type_, popops::selectScalarFromRows(graph_, t.tensor, from.tensor, prog_), picked);
      return;
    }
    View const t = written(type_, {rows, columns});
    Numbers all = kind == 1 ? numbers(type_, t) : Numbers(rows * columns, 0);
    for (std::size_t r = 0; r != rows; ++r)
      all[place(r)] += kind == 1 ? -1 : 1;
    if (kind == 1)
      popops::updateScalarInRows(graph_, t.tensor, from.tensor, prog_);
    else
      popops::encodeOneHot(graph_, from.tensor, t.tensor, prog_);
    assign(type_, t, all);
  }

  /// Elements before, after, or less, in every dimension.
  void addPadding() {
    Shape const shape = someShape();
    std::size_t const kind = number(3); // constants, edges, mirrors
    std::vector<std::ptrdiff_t> lower, upper;
    Shape to;
    for (std::size_t const size : shape) {
      auto const n = static_cast<std::ptrdiff_t>(size);
      auto const some = [&] {
        return oneIn(random_, 2) ? 0
                                 : static_cast<std::ptrdiff_t>(
                                       number(kind == 2 ? std::min<std::size_t>(size, 6) : 6));
      };
      lower.push_back(some());
      upper.push_back(some());
      if (kind == 0 && n > 2 && oneIn(random_, 3))
        lower.back() = -static_cast<std::ptrdiff_t>(1 + number(size - 2));
      to.push_back(static_cast<std::size_t>(n + lower.back() + upper.back()));
    }
    if (product(to) > 200000)
      return;
    tell("pad" + std::to_string(kind) + fuzz::textOf(shape) + fuzz::textOf(to));
    View const t = view(type_, shape);
    Numbers const all = numbers(type_, t);
    Numbers padded;
    forEachIndex(to, [&](Shape const &index) {
      Shape from;
      bool outside = false;
      for (std::size_t d = 0; d != index.size(); ++d) {
        auto const n = static_cast<std::ptrdiff_t>(shape[d]);
        std::ptrdiff_t i = static_cast<std::ptrdiff_t>(index[d]) - lower[d];
        outside |= i < 0 || i >= n;
        if (kind == 2)
          i = i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
        from.push_back(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, n - 1)));
      }
      padded.push_back(kind == 0 && outside ? 3 : all[flat(shape, from)]);
    });
    expect(type_,
           kind == 0 ? popops::pad(graph_, t.tensor, lower, upper, 3)
                     : popops::pad(t.tensor, lower, upper,
                                   kind == 1 ? popops::padding::Type::EDGE
                                             : popops::padding::Type::REFLECT),
           padded);
  }
};

} // namespace

int main(int argc, char **argv) {
  return fuzz::runCases<Generator>("fuzz-slices", argc, argv, {7});
}
