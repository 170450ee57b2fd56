#pragma once
#include <algorithm>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/View.hpp>

namespace cottonwood::graph {

namespace viewdetail {

/// \throws poplar::tensor_creation_error  2^63 elements or more.
POP_INLINE std::uint64_t countElements(ShapeSpan shape, char const *where) {
  __extension__ using Wide = unsigned __int128;
  Wide count = 1;
  bool tooMany = false;
  for (std::size_t const size : shape) {
    count *= size;
    tooMany = tooMany || count >> 63 != 0;
    if (size == 0)
      return 0;
    if (tooMany)
      count = 1; // a dimension of size 0 may still follow
  }
  if (tooMany)
    base::fail<poplar::tensor_creation_error>(
        where, "shape ", base::shapeText(shape),
        " has too many elements; at most 2^63 - 1 are allowed");
  return static_cast<std::uint64_t>(count);
}

POP_INLINE std::uint64_t elementsAfter(ShapeSpan shape, std::size_t dim) {
  std::uint64_t count = 1;
  for (std::size_t const size : shape.subspan(dim + 1))
    count *= size;
  return count;
}

/// The factors outside a dimension, of it, and inside it.
struct Carved {
  Factors outer, dim, inner;
};

POP_INLINE bool carve(FactorSpan factors, std::uint64_t size, std::uint64_t innerCount,
                      Carved &parts) {
  Boundary outside, inside;
  if (!findBoundary(factors, innerCount, inside) ||
      !findBoundary(factors, innerCount * size, outside))
    return false;
  appendSegment(parts.outer, factors, kOutermost, outside);
  appendSegment(parts.dim, factors, outside, inside);
  appendSegment(parts.inner, factors, inside, {static_cast<int>(factors.size()) - 1, 1});
  return true;
}

/// Carves a dimension out of a box; turns the sequence into a stage where that is needed.
POP_INLINE Carved carveBox(Box &box, std::uint64_t size, std::uint64_t innerCount) {
  Carved parts;
  if (!carve(box.factors, size, innerCount, parts)) {
    box = stage(box);
    parts = {};
    carve(box.factors, size, innerCount, parts);
  }
  return parts;
}

POP_INLINE void join(Box &box, Carved const &parts) {
  box.factors = parts.outer;
  appendFactors(box.factors, parts.dim);
  appendFactors(box.factors, parts.inner);
}

} // namespace viewdetail

POP_INLINE View::View(View &&other) noexcept
    : graph_(std::exchange(other.graph_, 0)), type_(other.type_), metadata_(other.metadata_),
      count_(other.count_), shape_(std::move(other.shape_)), box_(std::move(other.box_)) {}

POP_INLINE View &View::operator=(View &&other) noexcept {
  if (this != &other) {
    graph_ = std::exchange(other.graph_, 0);
    type_ = other.type_;
    metadata_ = other.metadata_;
    count_ = other.count_;
    shape_ = std::move(other.shape_);
    box_ = std::move(other.box_);
  }
  return *this;
}

POP_INLINE View View::whole(GraphId graph, VarId var, poplar::Type type, ShapeSpan shape,
                            MetadataId metadata) {
  View view;
  view.graph_ = graph;
  view.type_ = type;
  view.metadata_ = metadata & kMaxMetadata;
  view.count_ = viewdetail::countElements(shape, "poplar::Graph::addVariable");
  view.shape_.assign(shape);
  view.box_.var = var;
  appendFactor(view.box_.factors, view.count_, 1);
  return view;
}

POP_INLINE View View::ofBlock(GraphId graph, poplar::Type type, StridedBlock const &block,
                              MetadataId metadata) {
  View view;
  view.graph_ = graph;
  view.type_ = type;
  view.metadata_ = metadata & kMaxMetadata;
  view.box_.var = block.var;
  view.box_.offset = static_cast<std::int64_t>(block.offset);
  for (std::size_t d = 0; d != block.sizes.size(); ++d)
    appendFactor(view.box_.factors, block.sizes[d], block.strides[d]);
  view.count_ = view.box_.count();
  view.shape_.push_back(view.count_);
  return view;
}

POP_INLINE View View::sibling(ShapeSpan shape, char const *where) const {
  View view;
  view.graph_ = graph_;
  view.type_ = type_;
  view.metadata_ = metadata_;
  view.count_ = viewdetail::countElements(shape, where);
  view.shape_.assign(shape);
  return view;
}

POP_INLINE View View::sibling(unsigned dim, std::uint64_t size, char const *where) const {
  Shape shape = shape_;
  shape[dim] = size;
  return sibling(shape, where);
}

POP_INLINE void View::setBox(Box box) {
  box_ = std::move(box);
  collapse(box_);
}

POP_INLINE void View::requireValid(char const *where) const {
  if (!valid())
    base::fail<poplar::poplar_error>(where,
                                     "the tensor is invalid (default-constructed or moved from)");
}

POP_INLINE void View::requireDim(char const *where, unsigned dim) const {
  requireValid(where);
  if (dim >= rank())
    base::fail<poplar::index_error>(where, "dimension ", dim,
                                    " is out of range for a tensor of shape ",
                                    base::shapeText(shape_), "; it must be below ", rank());
}

POP_INLINE View View::index(std::uint64_t i) const {
  char const *const where = "poplar::Tensor::operator[]";
  requireValid(where);
  if (shape_.empty())
    base::fail<poplar::index_error>(where, "index ", i,
                                    " of a tensor of rank 0, which has no dimension to index");
  if (i >= shape_[0])
    base::fail<poplar::index_error>(where, "index ", i, " is out of range for a tensor of shape ",
                                    base::shapeText(shape_), "; it must be below ", shape_[0]);
  View view = sibling(shape().subspan(1), where);
  if (view.count_ == 0)
    return view;
  // Only the inner end of the dimension needs a place among the factors: the outer end is the
  // beginning.
  Box box = box_;
  Boundary inside;
  if (!findBoundary(box.factors, view.count_, inside)) {
    box = stage(box_);
    findBoundary(box.factors, view.count_, inside);
  }
  box.offset += addressOf(box.factors, i * view.count_);
  Factors inner;
  appendSegment(inner, box.factors, inside, {static_cast<int>(box.factors.size()) - 1, 1});
  box.factors = inner;
  view.setBox(std::move(box));
  return view;
}

POP_INLINE View View::slice(std::uint64_t begin, std::uint64_t end, unsigned dim) const {
  char const *const where = "poplar::Tensor::slice";
  requireDim(where, dim);
  if (begin > end || end > shape_[dim])
    base::fail<poplar::index_error>(where, "range [", begin, ", ", end, ") of dimension ", dim,
                                    " is not one for a tensor of shape ", base::shapeText(shape_),
                                    "; begin <= end <= ", shape_[dim], " is needed");
  if (end - begin == shape_[dim])
    return *this;
  View view = sibling(dim, end - begin, where);
  if (view.count_ == 0)
    return view;
  std::uint64_t const innerCount = viewdetail::elementsAfter(shape_, dim);
  Box box = box_;
  viewdetail::Carved parts = viewdetail::carveBox(box, shape_[dim], innerCount);
  if (!keepRange(parts.dim, box.offset, begin, end)) {
    box = stage(box_);
    parts = {};
    viewdetail::carve(box.factors, shape_[dim], innerCount, parts);
    keepRange(parts.dim, box.offset, begin, end);
  }
  viewdetail::join(box, parts);
  view.setBox(std::move(box));
  return view;
}

POP_INLINE View View::reshape(ShapeSpan shape) const {
  char const *const where = "poplar::Tensor::reshape";
  requireValid(where);
  View view = sibling(shape, where);
  if (view.count_ != count_)
    base::fail<poplar::tensor_creation_error>(where, "shape ", base::shapeText(shape), " of ",
                                              view.count_, " elements for a tensor of shape ",
                                              base::shapeText(shape_), "; it must have ", count_,
                                              " elements");
  view.box_ = box_;
  return view;
}

namespace viewdetail {

POP_INLINE void checkPermutation(std::span<unsigned const> permutation, ShapeSpan shape) {
  base::SmallVector<char, 16> seen(shape.size());
  bool isOne = permutation.size() == shape.size();
  for (std::size_t k = 0; isOne && k != permutation.size(); ++k)
    isOne = permutation[k] < shape.size() && !std::exchange(seen[permutation[k]], char{1});
  if (!isOne)
    base::fail<poplar::tensor_creation_error>(
        "poplar::Tensor::dimShuffle", base::listText(permutation),
        " is no permutation of the dimensions of a tensor of shape ", base::shapeText(shape),
        "; each number below ", shape.size(), " must occur once");
}

/// The factors of `factors`, whose dimensions are `shape`, with the dimensions permuted. \returns
/// false if a dimension that moves away from its neighbour begins or ends within a factor where it
/// cannot be cut.
POP_INLINE bool permute(FactorSpan factors, ShapeSpan shape, std::span<unsigned const> permutation,
                        Factors &permuted) {
  // Neighbours that stay neighbours move as one; between them nothing needs to be cut.
  for (std::size_t k = 0; k != permutation.size();) {
    std::size_t const first = permutation[k];
    std::size_t last = first;
    for (++k; k != permutation.size() && permutation[k] == last + 1; ++k)
      ++last;
    std::uint64_t const innerCount = elementsAfter(shape, last);
    std::uint64_t const outerCount =
        first == 0 ? countOf(factors) : elementsAfter(shape, first - 1);
    Boundary outside, inside;
    if (!findBoundary(factors, outerCount, outside) || !findBoundary(factors, innerCount, inside))
      return false;
    appendSegment(permuted, factors, outside, inside);
  }
  return true;
}

} // namespace viewdetail

POP_INLINE View View::dimShuffle(std::span<unsigned const> permutation) const {
  char const *const where = "poplar::Tensor::dimShuffle";
  requireValid(where);
  viewdetail::checkPermutation(permutation, shape_);
  Shape shape;
  for (unsigned const dim : permutation)
    shape.push_back(shape_[dim]);
  View view = sibling(shape, where);
  if (view.count_ == 0)
    return view;
  Box box = box_;
  Factors permuted;
  if (!viewdetail::permute(box.factors, shape_, permutation, permuted)) {
    box = stage(box_);
    permuted.clear();
    viewdetail::permute(box.factors, shape_, permutation, permuted);
  }
  box.factors = permuted;
  view.setBox(std::move(box));
  return view;
}

namespace viewdetail {

/// Inserts a factor of stride 0 just outside the fastest `innerCount` elements.
POP_INLINE void repeatInside(Box &box, std::uint64_t innerCount, std::uint64_t n) {
  Boundary inside;
  if (!findBoundary(box.factors, innerCount, inside)) {
    box = stage(box);
    findBoundary(box.factors, innerCount, inside);
  }
  Factors factors;
  appendSegment(factors, box.factors, kOutermost, inside);
  appendFactor(factors, n, 0);
  appendSegment(factors, box.factors, inside, {static_cast<int>(box.factors.size()) - 1, 1});
  box.factors = factors;
}

POP_INLINE std::uint64_t scaledSize(char const *where, ShapeSpan shape, unsigned dim,
                                    std::uint64_t n) {
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(shape[dim], n, &size))
    base::fail<poplar::tensor_creation_error>(where, "dimension ", dim, " of shape ",
                                              base::shapeText(shape), " times ", n, " overflows");
  return size;
}

} // namespace viewdetail

POP_INLINE View View::broadcast(std::uint64_t n, unsigned dim) const {
  char const *const where = "poplar::Tensor::broadcast";
  requireDim(where, dim);
  View view = sibling(dim, viewdetail::scaledSize(where, shape_, dim, n), where);
  if (view.count_ == 0)
    return view;
  Box box = box_;
  viewdetail::repeatInside(box, viewdetail::elementsAfter(shape_, dim) * shape_[dim], n);
  view.setBox(std::move(box));
  return view;
}

POP_INLINE View View::upsample(std::uint64_t scale, unsigned dim) const {
  char const *const where = "poplar::Tensor::upsample";
  requireDim(where, dim);
  View view = sibling(dim, viewdetail::scaledSize(where, shape_, dim, scale), where);
  if (view.count_ == 0)
    return view;
  Box box = box_;
  viewdetail::repeatInside(box, viewdetail::elementsAfter(shape_, dim), scale);
  view.setBox(std::move(box));
  return view;
}

POP_INLINE View View::reverse(unsigned dim) const {
  requireDim("poplar::Tensor::reverse", dim);
  if (count_ == 0 || shape_[dim] == 1)
    return *this;
  View view = sibling(shape_, "poplar::Tensor::reverse");
  Box box = box_;
  viewdetail::Carved parts =
      viewdetail::carveBox(box, shape_[dim], viewdetail::elementsAfter(shape_, dim));
  for (Factor &f : parts.dim) {
    box.offset += f.reach();
    f.stride = -f.stride;
  }
  viewdetail::join(box, parts);
  view.setBox(std::move(box));
  return view;
}

POP_INLINE View View::subSample(std::uint64_t step, unsigned dim) const {
  char const *const where = "poplar::Tensor::subSample";
  requireDim(where, dim);
  if (step == 0)
    base::fail<poplar::tensor_creation_error>(where, "stride 0 in dimension ", dim,
                                              " of a tensor of shape ", base::shapeText(shape_),
                                              "; it must be at least 1");
  if (shape_[dim] == 0)
    return *this;
  if (step >= shape_[dim])
    return slice(0, 1, dim);
  View view = sibling(dim, (shape_[dim] - 1) / step + 1, where);
  if (view.count_ == 0)
    return view;
  std::uint64_t const innerCount = viewdetail::elementsAfter(shape_, dim);
  Box box = box_;
  viewdetail::Carved parts = viewdetail::carveBox(box, shape_[dim], innerCount);
  if (!keepEvery(parts.dim, shape_[dim], step)) {
    box = stage(box_);
    parts = {};
    viewdetail::carve(box.factors, shape_[dim], innerCount, parts);
    keepEvery(parts.dim, shape_[dim], step);
  }
  viewdetail::join(box, parts);
  view.setBox(std::move(box));
  return view;
}

POP_INLINE View View::reinterpret(poplar::Type type) const {
  char const *const where = "poplar::Tensor::reinterpret";
  requireValid(where);
  if (type == poplar::Type() || base::sizeOf(type) != base::sizeOf(type_))
    base::fail<poplar::type_error>(where, "elements of type ", type_, " (", base::sizeOf(type_),
                                   " bytes) cannot be read as ", type, " (", base::sizeOf(type),
                                   " bytes); the sizes must be equal");
  if (type.requiresMetadata() && metadata_ == kNoMetadata)
    base::fail<poplar::tensor_metadata_error>(
        where, "elements of type ", type_, " have no metadata to be read as ", type,
        "; Graph::clone with a metadata tensor makes a variable for their bits");
  View view = *this;
  view.type_ = type;
  if (!type.requiresMetadata())
    view.metadata_ = kNoMetadata;
  return view;
}

POP_INLINE View View::concat(std::span<View const> views, unsigned dim) {
  return concat(
      views.size(), [views](std::size_t i) -> View const & { return views[i]; }, dim);
}

POP_INLINE void failEmptyConcat() {
  base::fail<poplar::tensor_creation_error>("poplar::concat", "no tensors; at least one is needed");
}

namespace viewdetail {

POP_INLINE std::uint64_t elementsBefore(ShapeSpan shape, unsigned dim) {
  std::uint64_t count = 1;
  for (std::size_t const size : shape.first(std::min<std::size_t>(dim, shape.size())))
    count *= size;
  return count;
}

} // namespace viewdetail

POP_INLINE View::Concatenation::Concatenation(View const &first, unsigned dim)
    : first_(first), dim_(dim),
      inner_(dim < first.rank() ? viewdetail::elementsAfter(first.shape_, dim) : 0),
      builder_(viewdetail::elementsBefore(first.shape_, dim)) {
  first.requireDim("poplar::concat", dim);
}

POP_INLINE void View::Concatenation::check(View const &next, std::size_t idx) {
  char const *const where = "poplar::concat";
  if (!next.valid())
    base::fail<poplar::poplar_error>(where, "tensor ", idx,
                                     " is invalid (default-constructed or moved from)");
  if (next.graph_ != first_.graph_)
    base::fail<poplar::poplar_error>(where, "tensor ", idx,
                                     " belongs to another graph than tensor 0");
  if (next.type_ != first_.type_)
    base::fail<poplar::type_error>(where, "tensor ", idx, " has elements of type ", next.type_,
                                   ", tensor 0 of type ", first_.type_,
                                   "; the types must be equal");
  if (next.metadata_ != first_.metadata_)
    base::fail<poplar::tensor_metadata_error>(
        where, "tensor ", idx, " of type ", next.type_,
        " has another metadata tensor than tensor 0; popops::cast makes them alike");
  bool fits = next.rank() == first_.rank();
  for (unsigned d = 0; fits && d != first_.rank(); ++d)
    fits = d == dim_ || next.shape_[d] == first_.shape_[d];
  if (!fits)
    base::fail<poplar::tensor_creation_error>(
        where, "tensor ", idx, " has shape ", base::shapeText(next.shape_), ", tensor 0 has shape ",
        base::shapeText(first_.shape_), "; they may differ in dimension ", dim_, " only");
  if (__builtin_add_overflow(size_, next.shape_[dim_], &size_))
    base::fail<poplar::tensor_creation_error>(where, "the sum of dimensions ", dim_, " overflows");
}

POP_INLINE void View::Concatenation::add(View const &next) {
  if (next.count_ != 0)
    builder_.add(next.box_, next.shape_[dim_] * inner_);
}

POP_INLINE View View::Concatenation::finish() {
  View view = first_.sibling(dim_, size_, "poplar::concat");
  if (view.count_ != 0)
    view.box_ = builder_.finish();
  return view;
}

} // namespace cottonwood::graph
