#pragma once
#include <algorithm>
#include <cstring>
#include <iostream>
#include <new>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Half.hpp>
#include <poplar/impl/base/QuarterBits.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/View.hpp>
#include <poplar/impl/graph/ViewText.hpp>

namespace cottonwood::graph {

struct TensorAccess {
  static_assert(sizeof(View) == sizeof(poplar::Tensor) && alignof(View) <= alignof(poplar::Tensor));

  static void *storage(poplar::Tensor &tensor) { return tensor.storage_; }
  static View &view(poplar::Tensor &tensor) {
    return *std::launder(reinterpret_cast<View *>(tensor.storage_));
  }
  static View const &view(poplar::Tensor const &tensor) {
    return *std::launder(reinterpret_cast<View const *>(tensor.storage_));
  }
  /// The view, if the tensor is valid.
  static View const &validView(poplar::Tensor const &tensor, char const *where) {
    if (!view(tensor).valid())
      base::fail<poplar::poplar_error>(where,
                                       "the tensor is invalid (default-constructed or moved from)");
    return view(tensor);
  }
};

POP_INLINE View const &viewOf(poplar::Tensor const &tensor) { return TensorAccess::view(tensor); }

POP_INLINE poplar::Tensor makeTensor(View view) {
  poplar::Tensor tensor;
  TensorAccess::view(tensor) = std::move(view);
  return tensor;
}

namespace viewdetail {

template <class T> std::span<T const> spanOf(poplar::ArrayRef<T> list) {
  return {list.data(), list.size()};
}

POP_INLINE std::uint64_t productOf(ShapeSpan shape) {
  std::uint64_t product = 1;
  for (std::size_t const size : shape)
    product *= size;
  return product;
}

/// Dimensions [begin, end) of the shape replaced by `dims`.
POP_INLINE Shape withDims(ShapeSpan shape, unsigned begin, unsigned end, ShapeSpan dims) {
  Shape result;
  result.append(shape.first(begin));
  result.append(dims);
  result.append(shape.subspan(end));
  return result;
}

POP_INLINE void requireDimRange(char const *where, View const &view, unsigned begin, unsigned end) {
  if (begin > end || end > view.rank())
    base::fail<poplar::index_error>(
        where, "range [", begin, ", ", end, ") of dimensions for a tensor of shape ",
        base::shapeText(view.shape()), "; begin <= end <= ", view.rank(), " is needed");
}

/// The permutation that moves dimension source[k] to destination[k] and leaves the order of the
/// others.
POP_INLINE base::SmallVector<unsigned, 8> permutationFor(char const *where, View const &view,
                                                         std::span<unsigned const> source,
                                                         std::span<unsigned const> destination) {
  unsigned const rank = view.rank();
  base::SmallVector<unsigned, 8> permutation(rank, rank); // rank: free
  base::SmallVector<char, 8> moved(rank);
  bool fits = source.size() == destination.size();
  for (std::size_t k = 0; fits && k != source.size(); ++k) {
    fits = source[k] < rank && destination[k] < rank && !moved[source[k]] &&
           permutation[destination[k]] == rank;
    if (fits) {
      moved[source[k]] = 1;
      permutation[destination[k]] = source[k];
    }
  }
  if (!fits)
    base::fail<poplar::index_error>(
        where, "dimensions ", base::listText(source), " cannot move to ",
        base::listText(destination), " in a tensor of shape ", base::shapeText(view.shape()),
        "; the lists must be equally long, without repetition, and below ", rank);
  unsigned next = 0;
  for (unsigned &place : permutation)
    if (place == rank) {
      while (moved[next])
        ++next;
      place = next++;
    }
  return permutation;
}

POP_INLINE void requireIndex(char const *where, std::size_t idx, std::size_t limit,
                             View const &view) {
  if (idx >= limit)
    base::fail<poplar::index_error>(where, "index ", idx, " is out of range for a tensor of shape ",
                                    base::shapeText(view.shape()), "; it must be below ", limit);
}

/// The element of a constant whose bytes are stored as `type`.
template <class T> T loadAs(std::byte const *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

POP_INLINE ConstantValue widen(poplar::Type type, std::byte const *bytes) {
  using Kind = ConstantValue::Kind;
  auto const fromSigned = [](long long v) { return ConstantValue{Kind::SignedInteger, v, 0, 0}; };
  auto const fromUnsigned = [](unsigned long long v) {
    return ConstantValue{Kind::UnsignedInteger, 0, v, 0};
  };
  if (type == poplar::HALF)
    return {Kind::FloatingPoint, 0, 0,
            static_cast<double>(base::halfToFloat(loadAs<std::uint16_t>(bytes)))};
  if (type == poplar::FLOAT)
    return {Kind::FloatingPoint, 0, 0, static_cast<double>(loadAs<float>(bytes))};
  bool const isSigned = base::typeInfo(type).isSigned && base::typeInfo(type).isInteger;
  switch (base::sizeOf(type)) {
  case 1:
    return isSigned ? fromSigned(loadAs<std::int8_t>(bytes))
                    : fromUnsigned(loadAs<std::uint8_t>(bytes));
  case 2:
    return isSigned ? fromSigned(loadAs<std::int16_t>(bytes))
                    : fromUnsigned(loadAs<std::uint16_t>(bytes));
  case 4:
    return isSigned ? fromSigned(loadAs<std::int32_t>(bytes))
                    : fromUnsigned(loadAs<std::uint32_t>(bytes));
  default:
    return isSigned ? fromSigned(loadAs<std::int64_t>(bytes))
                    : fromUnsigned(loadAs<std::uint64_t>(bytes));
  }
}

} // namespace viewdetail

} // namespace cottonwood::graph

namespace poplar {

POP_INLINE Tensor::Tensor() noexcept {
  ::new (static_cast<void *>(storage_)) cottonwood::graph::View();
}

POP_INLINE Tensor::Tensor(Tensor const &other) {
  ::new (static_cast<void *>(storage_)) cottonwood::graph::View(cottonwood::graph::viewOf(other));
}

POP_INLINE Tensor::Tensor(Tensor &&other) noexcept {
  ::new (static_cast<void *>(storage_))
      cottonwood::graph::View(std::move(cottonwood::graph::TensorAccess::view(other)));
}

POP_INLINE Tensor &Tensor::operator=(Tensor const &other) & {
  cottonwood::graph::TensorAccess::view(*this) = cottonwood::graph::viewOf(other);
  return *this;
}

POP_INLINE Tensor &Tensor::operator=(Tensor &&other) &noexcept {
  cottonwood::graph::TensorAccess::view(*this) =
      std::move(cottonwood::graph::TensorAccess::view(other));
  return *this;
}

POP_INLINE Tensor::~Tensor() { cottonwood::graph::TensorAccess::view(*this).~View(); }

POP_INLINE Type Tensor::elementType() const {
  return cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::elementType").type();
}

POP_INLINE std::size_t Tensor::numElements() const {
  return cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::numElements")
      .numElements();
}

POP_INLINE std::size_t Tensor::dim(unsigned i) const {
  cottonwood::graph::View const &view =
      cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::dim");
  if (i >= view.rank())
    cottonwood::base::fail<index_error>(
        "poplar::Tensor::dim", "dimension ", i, " is out of range for a tensor of shape ",
        cottonwood::base::shapeText(view.shape()), "; it must be below ", view.rank());
  return view.shape()[i];
}

POP_INLINE std::vector<std::size_t> Tensor::shape() const {
  auto const shape =
      cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::shape").shape();
  return {shape.begin(), shape.end()};
}

POP_INLINE unsigned Tensor::rank() const {
  return cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::rank").rank();
}

POP_INLINE Tensor Tensor::operator[](std::size_t i) const {
  return cottonwood::graph::makeTensor(cottonwood::graph::viewOf(*this).index(i));
}

POP_INLINE Tensor Tensor::slice(std::size_t begin, std::size_t end, unsigned dimension) const {
  return cottonwood::graph::makeTensor(
      cottonwood::graph::viewOf(*this).slice(begin, end, dimension));
}

POP_INLINE Tensor Tensor::slice(std::size_t begin, std::size_t end) const {
  return slice(begin, end, 0);
}

POP_INLINE Tensor Tensor::slice(Interval const &region, unsigned dimension) const {
  return slice(region.begin(), region.end(), dimension);
}

POP_INLINE Tensor Tensor::slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const {
  char const *const where = "poplar::Tensor::slice";
  cottonwood::graph::View view = cottonwood::graph::TensorAccess::validView(*this, where);
  if (begin.size() != end.size() || begin.size() > view.rank())
    cottonwood::base::fail<index_error>(
        where, "begin ", cottonwood::base::shapeText({begin.data(), begin.size()}), " and end ",
        cottonwood::base::shapeText({end.data(), end.size()}), " for a tensor of shape ",
        cottonwood::base::shapeText(view.shape()),
        "; both must have the same number of entries, at most ", view.rank());
  for (std::size_t k = 0; k != begin.size(); ++k)
    view = view.slice(begin[k], end[k], static_cast<unsigned>(k));
  return cottonwood::graph::makeTensor(std::move(view));
}

POP_INLINE std::vector<Tensor> Tensor::slices(ArrayRef<Interval> intervals,
                                              unsigned dimension) const {
  std::vector<Tensor> result;
  result.reserve(intervals.size());
  for (Interval const &interval : intervals)
    result.push_back(slice(interval, dimension));
  return result;
}

POP_INLINE std::vector<Tensor> Tensor::slices(std::vector<std::vector<Interval>> const &intervals,
                                              unsigned dimension) const {
  std::vector<Tensor> result;
  result.reserve(intervals.size());
  for (std::vector<Interval> const &list : intervals)
    result.push_back(list.empty() ? slice(0, 0, dimension)
                                  : concat(slices(list, dimension), dimension));
  return result;
}

POP_INLINE std::vector<Tensor> Tensor::slices(ArrayRef<unsigned> const &indices,
                                              unsigned dimension) const {
  std::vector<Tensor> result;
  result.reserve(indices.size());
  for (unsigned const x : indices)
    result.push_back(slice(x, std::size_t{x} + 1, dimension));
  return result;
}

POP_INLINE Tensor Tensor::index(ArrayRef<std::size_t> indices) const {
  char const *const where = "poplar::Tensor::index";
  cottonwood::graph::View view = cottonwood::graph::TensorAccess::validView(*this, where);
  auto const shape = view.shape();
  bool fits = indices.size() <= shape.size();
  for (std::size_t k = 0; fits && k != indices.size(); ++k)
    fits = indices[k] < shape[k];
  if (!fits)
    cottonwood::base::fail<index_error>(
        where, cottonwood::base::shapeText({indices.data(), indices.size()}),
        " is out of range for a tensor of shape ", cottonwood::base::shapeText(shape));
  for (std::size_t const i : indices)
    view = view.index(i);
  return cottonwood::graph::makeTensor(std::move(view));
}

POP_INLINE Tensor Tensor::flatten() const {
  std::size_t const count = numElements();
  return reshape({count});
}

POP_INLINE Tensor Tensor::flatten(unsigned dimBegin, unsigned dimEnd) const {
  char const *const where = "poplar::Tensor::flatten";
  cottonwood::graph::View const &view = cottonwood::graph::TensorAccess::validView(*this, where);
  cottonwood::graph::viewdetail::requireDimRange(where, view, dimBegin, dimEnd);
  std::size_t const size =
      cottonwood::graph::viewdetail::productOf(view.shape().subspan(dimBegin, dimEnd - dimBegin));
  return cottonwood::graph::makeTensor(view.reshape(
      cottonwood::graph::viewdetail::withDims(view.shape(), dimBegin, dimEnd, {&size, 1})));
}

POP_INLINE Tensor Tensor::reshape(ArrayRef<std::size_t> shape) const {
  return cottonwood::graph::makeTensor(
      cottonwood::graph::viewOf(*this).reshape({shape.data(), shape.size()}));
}

POP_INLINE Tensor Tensor::reshapePartial(unsigned beginIndex, unsigned endIndex,
                                         ArrayRef<std::size_t> newDims) const {
  char const *const where = "poplar::Tensor::reshapePartial";
  cottonwood::graph::View const &view = cottonwood::graph::TensorAccess::validView(*this, where);
  cottonwood::graph::viewdetail::requireDimRange(where, view, beginIndex, endIndex);
  auto const oldDims = view.shape().subspan(beginIndex, endIndex - beginIndex);
  if (cottonwood::graph::viewdetail::productOf(oldDims) !=
      cottonwood::graph::viewdetail::productOf({newDims.data(), newDims.size()}))
    cottonwood::base::fail<tensor_creation_error>(
        where, "dimensions ", cottonwood::base::shapeText(oldDims), " of a tensor of shape ",
        cottonwood::base::shapeText(view.shape()), " cannot become ",
        cottonwood::base::shapeText({newDims.data(), newDims.size()}),
        "; the number of elements must not change");
  return cottonwood::graph::makeTensor(view.reshape(cottonwood::graph::viewdetail::withDims(
      view.shape(), beginIndex, endIndex, {newDims.data(), newDims.size()})));
}

POP_INLINE Tensor Tensor::dimShuffle(ArrayRef<unsigned> permutation) const {
  return cottonwood::graph::makeTensor(
      cottonwood::graph::viewOf(*this).dimShuffle({permutation.data(), permutation.size()}));
}

POP_INLINE Tensor Tensor::dimShufflePartial(ArrayRef<unsigned> source,
                                            ArrayRef<unsigned> destination) const {
  char const *const where = "poplar::Tensor::dimShufflePartial";
  cottonwood::graph::View const &view = cottonwood::graph::TensorAccess::validView(*this, where);
  return cottonwood::graph::makeTensor(
      view.dimShuffle(cottonwood::graph::viewdetail::permutationFor(
          where, view, cottonwood::graph::viewdetail::spanOf(source),
          cottonwood::graph::viewdetail::spanOf(destination))));
}

POP_INLINE Tensor Tensor::dimRoll(unsigned dimIdx, unsigned newIdx) const {
  char const *const where = "poplar::Tensor::dimRoll";
  cottonwood::graph::View const &view = cottonwood::graph::TensorAccess::validView(*this, where);
  return cottonwood::graph::makeTensor(view.dimShuffle(
      cottonwood::graph::viewdetail::permutationFor(where, view, {&dimIdx, 1}, {&newIdx, 1})));
}

POP_INLINE Tensor Tensor::transpose() const {
  char const *const where = "poplar::Tensor::transpose";
  cottonwood::graph::View const &view = cottonwood::graph::TensorAccess::validView(*this, where);
  if (view.rank() != 2)
    cottonwood::base::fail<tensor_creation_error>(where, "a tensor of shape ",
                                                  cottonwood::base::shapeText(view.shape()),
                                                  " has no transpose; the rank must be 2");
  return dimShuffle({1, 0});
}

POP_INLINE Tensor Tensor::expand(ArrayRef<std::size_t> indices) const {
  char const *const where = "poplar::Tensor::expand";
  cottonwood::graph::View const &view = cottonwood::graph::TensorAccess::validView(*this, where);
  std::size_t const rank = view.rank();
  cottonwood::base::SmallVector<std::size_t, 8> before(rank + 1); // dimensions of size 1 to insert
  for (std::size_t const idx : indices) {
    cottonwood::graph::viewdetail::requireIndex(where, idx, rank + 1, view);
    ++before[idx];
  }
  cottonwood::graph::Shape shape;
  for (std::size_t d = 0; d <= rank; ++d) {
    shape.resize(shape.size() + before[d], 1);
    if (d != rank)
      shape.push_back(view.shape()[d]);
  }
  return cottonwood::graph::makeTensor(view.reshape(shape));
}

POP_INLINE Tensor Tensor::squeeze(ArrayRef<std::size_t> indices) const {
  char const *const where = "poplar::Tensor::squeeze";
  cottonwood::graph::View const &view = cottonwood::graph::TensorAccess::validView(*this, where);
  cottonwood::base::SmallVector<char, 8> removed(view.rank());
  for (std::size_t const idx : indices) {
    cottonwood::graph::viewdetail::requireIndex(where, idx, view.rank(), view);
    if (view.shape()[idx] != 1 || removed[idx])
      cottonwood::base::fail<tensor_creation_error>(
          where, "dimension ", idx, " of a tensor of shape ",
          cottonwood::base::shapeText(view.shape()),
          removed[idx] ? " is listed twice" : " cannot be removed",
          "; each dimension listed must have size 1 and be listed once");
    removed[idx] = 1;
  }
  cottonwood::graph::Shape shape;
  for (unsigned d = 0; d != view.rank(); ++d)
    if (!removed[d])
      shape.push_back(view.shape()[d]);
  return cottonwood::graph::makeTensor(view.reshape(shape));
}

POP_INLINE Tensor Tensor::subSample(unsigned stride, unsigned dimension) const {
  return cottonwood::graph::makeTensor(
      cottonwood::graph::viewOf(*this).subSample(stride, dimension));
}

POP_INLINE Tensor Tensor::upsample(unsigned scale, unsigned dimension,
                                   UpsampleMethod method) const {
  if (method != UpsampleMethod::REPEAT)
    cottonwood::base::fail<poplar_error>("poplar::Tensor::upsample", "unknown method ",
                                         static_cast<int>(method),
                                         "; the only one is UpsampleMethod::REPEAT");
  return cottonwood::graph::makeTensor(cottonwood::graph::viewOf(*this).upsample(scale, dimension));
}

POP_INLINE Tensor Tensor::broadcast(unsigned N, unsigned dimension) const {
  return cottonwood::graph::makeTensor(cottonwood::graph::viewOf(*this).broadcast(N, dimension));
}

POP_INLINE Tensor Tensor::reverse(unsigned dimension) const {
  return cottonwood::graph::makeTensor(cottonwood::graph::viewOf(*this).reverse(dimension));
}

POP_INLINE Tensor Tensor::reinterpret(Type const &type) const {
  return cottonwood::graph::makeTensor(cottonwood::graph::viewOf(*this).reinterpret(type));
}

POP_INLINE bool Tensor::isContiguous() const {
  return cottonwood::graph::viewOf(*this).isContiguous();
}
POP_INLINE bool Tensor::containsAliases() const {
  return cottonwood::graph::viewOf(*this).containsAliases();
}
POP_INLINE bool Tensor::containsConstant() const {
  return cottonwood::graph::viewOf(*this).containsConstant();
}
POP_INLINE bool Tensor::isParallelWriteable() const {
  return cottonwood::graph::viewOf(*this).isParallelWriteable();
}

POP_INLINE std::vector<Interval> Tensor::getContiguousRegions() const {
  std::vector<Interval> regions;
  std::size_t begin = 0;
  cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::getContiguousRegions")
      .forEachRun([&](cottonwood::graph::Run const &run) {
        regions.emplace_back(begin, begin + run.size);
        begin += run.size;
      });
  return regions;
}

POP_INLINE std::vector<VariableInterval> Tensor::getVarRegions() const {
  std::vector<VariableInterval> regions;
  cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::getVarRegions")
      .forEachRun([&](cottonwood::graph::Run const &run) {
        regions.emplace_back(VariableRef(run.var), Interval(run.begin, run.begin + run.size));
      });
  return regions;
}

POP_INLINE bool Tensor::intersectsWith(Tensor const &other) const {
  return cottonwood::graph::viewOf(*this).intersectsWith(cottonwood::graph::viewOf(other));
}

POP_INLINE bool Tensor::readConstant(cottonwood::graph::ConstantValue &value) const {
  cottonwood::graph::View const &view =
      cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::getConstantValue");
  std::byte bytes[8] = {};
  if (!cottonwood::graph::readConstantElement(view, {bytes, cottonwood::base::sizeOf(view.type())}))
    return false;
  if (view.metadata() != cottonwood::graph::kNoMetadata) {
    std::byte binary{};
    if (!cottonwood::graph::readConstantElement(cottonwood::graph::metadataView(view),
                                                {&binary, 1}))
      return false;
    QuarterMetadata const metadata(std::to_integer<unsigned char>(binary));
    value = {cottonwood::graph::ConstantValue::Kind::FloatingPoint, 0, 0,
             cottonwood::base::quarterToDouble(std::to_integer<std::uint8_t>(bytes[0]), metadata)};
    return true;
  }
  value = cottonwood::graph::viewdetail::widen(view.type(), bytes);
  return true;
}

POP_INLINE bool Tensor::hasMetadata() const {
  return cottonwood::graph::viewOf(*this).metadata() != cottonwood::graph::kNoMetadata;
}
POP_INLINE Tensor Tensor::getMetadata() const {
  using namespace cottonwood::graph;
  View const &view = viewOf(*this);
  return view.valid() && view.metadata() != kNoMetadata ? makeTensor(metadataView(view)) : Tensor();
}
POP_INLINE bool Tensor::valid() const noexcept { return cottonwood::graph::viewOf(*this).valid(); }

POP_INLINE std::string Tensor::shapeToString() const {
  return cottonwood::graph::shapeBraces(
      cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::shapeToString").shape());
}

POP_INLINE std::string Tensor::getVarStr() const {
  return cottonwood::graph::regionText(
      cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::getVarStr"));
}

POP_INLINE std::string Tensor::getDebugStr() const {
  return cottonwood::graph::namesText(
      cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::getDebugStr"));
}

POP_INLINE std::ostream &Tensor::output(std::ostream &os) const {
  return os << cottonwood::graph::blockText(
             cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::output"));
}

POP_INLINE std::ostream &Tensor::outputRegions(std::ostream &os) const {
  return os << cottonwood::graph::regionList(
             cottonwood::graph::TensorAccess::validView(*this, "poplar::Tensor::outputRegions"));
}

POP_INLINE void Tensor::dump() const { output(std::cout) << '\n'; }
POP_INLINE void Tensor::dumpRegions() const { outputRegions(std::cout) << '\n'; }

POP_INLINE bool operator==(Tensor const &a, Tensor const &b) {
  return cottonwood::graph::viewOf(a) == cottonwood::graph::viewOf(b);
}

POP_INLINE std::ostream &operator<<(std::ostream &os, Tensor const &tensor) {
  return tensor.output(os);
}

POP_INLINE Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension) {
  return cottonwood::graph::makeTensor(cottonwood::graph::View::concat(
      tensors.size(),
      [tensors](std::size_t i) -> cottonwood::graph::View const & {
        return cottonwood::graph::viewOf(tensors[i]);
      },
      dimension));
}

POP_INLINE Tensor concat(Tensor const &first, Tensor const &second, unsigned dimension) {
  return cottonwood::graph::makeTensor(cottonwood::graph::View::concat(
      2,
      [&](std::size_t i) -> cottonwood::graph::View const & {
        return cottonwood::graph::viewOf(i == 0 ? first : second);
      },
      dimension));
}

POP_INLINE Tensor append(Tensor const &first, Tensor const &second, unsigned dimension) {
  char const *const where = "poplar::append";
  cottonwood::graph::View const &a = cottonwood::graph::TensorAccess::validView(first, where);
  cottonwood::graph::View const &b = cottonwood::graph::TensorAccess::validView(second, where);
  if (dimension >= a.rank() || b.rank() + 1 != a.rank())
    cottonwood::base::fail<tensor_creation_error>(
        where, "a tensor of shape ", cottonwood::base::shapeText(b.shape()), " to dimension ",
        dimension, " of one of shape ", cottonwood::base::shapeText(a.shape()),
        "; the dimension must exist, and the second tensor must lack just that one");
  return concat(first, second.expand({dimension}), dimension);
}

POP_INLINE Tensor append(Tensor const &first, Tensor const &second) {
  return append(first, second, 0);
}

POP_INLINE std::string toString(VariableMappingMethod const &method) {
  cottonwood::base::requireEnumerator<poplar_error>("poplar::toString", "VariableMappingMethod",
                                                    method, {"NONE", "LINEAR"});
  return method == VariableMappingMethod::NONE ? "NONE" : "LINEAR";
}

POP_INLINE std::string toString(TensorCloneMethod const &method) {
  cottonwood::graph::requireMethod("poplar::toString", method);
  switch (method) {
  case TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES:
    return "PRESERVE_ORDER_AND_ALIASES";
  case TensorCloneMethod::CREATE_NEW_ORDER:
    return "CREATE_NEW_ORDER";
  case TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES:
    return "PRESERVE_ORDER_UNLESS_ALIASES";
  case TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES:
    break;
  }
  return "GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES";
}

POP_INLINE std::string toString(TensorCloneDuplicationMethod const &method) {
  cottonwood::graph::requireMethod("poplar::toString", method);
  return method == TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION
             ? "DUPLICATE_BY_OUTER_DIMENSION"
             : "DUPLICATE_BY_TILE_CONTIGUOUS_REGION";
}

} // namespace poplar
