#pragma once
#include <poplar/Graph.hpp>

#include <algorithm>
#include <poplar/IeeeHalf.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/FieldAccess.hpp>
#include <poplar/impl/graph/FieldHandle.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <span>
#include <vector>

// Values of vertex state.

namespace cottonwood::graph::detail {

/// Elements of the field's type, on the stack if they are few.
class ConvertedValues {
public:
  ConvertedValues(std::string_view where, FieldHandle const &field, void const *values,
                  std::size_t count, poplar::TypeTraits const &traits)
      : size_(count * base::sizeOf(field.field().type)) {
    if (size_ > sizeof few_)
      many_.resize(size_);
    convertForField(where, field, values, traits, count, data());
  }
  std::byte *data() { return size_ > sizeof few_ ? many_.data() : few_; }
  std::span<std::byte const> bytes() { return {data(), size_}; }

private:
  std::size_t size_;
  std::byte few_[64];
  std::vector<std::byte> many_;
};

/// Replaces one value among the bytes of several.
POP_INLINE std::vector<std::byte> replaced(std::span<std::byte const> all, std::size_t index,
                                           std::span<std::byte const> value) {
  std::vector<std::byte> bytes(all.begin(), all.end());
  std::copy(value.begin(), value.end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(index * value.size()));
  return bytes;
}

POP_INLINE void checkIndex(std::string_view where, FieldHandle const &field, std::size_t size) {
  if (field.index >= size)
    base::fail<poplar::index_error>(where, field.text(), ": index ", field.index,
                                    " is out of range; the field has size ", size);
}

/// Whether a state field, or the value of it that has an index, takes an array of values.
POP_INLINE bool takesArray(FieldHandle const &field) {
  codelet::Field const &declared = field.field();
  bool const isOneValue = declared.shape == codelet::FieldShape::Scalar || field.isIndexed;
  return !isOneValue || declared.lanes > 1;
}

/// What a state field takes must be what it is given.
POP_INLINE void checkState(std::string_view where, FieldHandle const &field, std::size_t count,
                           bool isArray) {
  codelet::Field const &declared = field.field();
  if (declared.shape == codelet::FieldShape::Scalar && field.isIndexed)
    base::fail<poplar::index_error>(where, field.text(), " is a scalar field and takes no index");
  if (isArray != takesArray(field))
    base::fail<poplar::poplar_error>(where, field.text(),
                                     isArray ? " takes one value, not an array of "
                                             : " is a vector: give it an array, not ",
                                     count, isArray ? "" : " value");
  if (!isArray)
    return;
  std::size_t const elements = std::size_t{declared.lanes} * (field.isIndexed ? 1 : declared.count);
  if ((declared.holdsValues() || field.isIndexed) && count != elements)
    base::fail<poplar::poplar_error>(where, field.text(), " has ", elements,
                                     " elements; the array has ", count);
}

/// State that lies in the vertex itself.
POP_INLINE void setHeldState(std::string_view where, FieldHandle const &field,
                             std::span<std::byte const> bytes) {
  GraphData &graph = *field.graph;
  if (!field.isIndexed)
    return graph.setHeldValues(field.vertex, field.fieldId, bytes);
  checkIndex(where, field, field.field().count);
  graph.setHeldValues(field.vertex, field.fieldId,
                      replaced(graph.stateBytes(field.vertex, field.fieldId), field.index, bytes));
}

POP_INLINE void setStateVector(std::string_view where, FieldHandle const &field,
                               std::span<std::byte const> bytes) {
  GraphData &graph = *field.graph;
  std::size_t const size = base::sizeOf(field.field().type);
  if (!field.isIndexed) {
    checkLanes(where, field, "the array", bytes.size() / size);
    checkExtent(where, field, field.field().outer, bytes.size() / size / field.field().lanes);
    return graph.setVectorValue(field.vertex, field.fieldId, {bytes.begin(), bytes.end()},
                                bytes.size() / size);
  }
  // One value of a vector whose size is known.
  if (field.slot().kind != EdgeSlot::Kind::Values)
    throw poplar::no_size_specified(
        base::textOf(where, ": ", field.text(),
                     " is indexed before its size is known; call setFieldSize first"));
  checkIndex(where, field, graph.fieldSize(field.vertex, field.fieldId));
  std::size_t const elements = field.slot().size;
  graph.setVectorValue(field.vertex, field.fieldId,
                       replaced(graph.stateBytes(field.vertex, field.fieldId), field.index, bytes),
                       elements);
}

POP_INLINE void setState(std::string_view where, FieldHandle const &field, void const *values,
                         std::size_t count, poplar::TypeTraits const &traits, bool isArray) {
  checkState(where, field, count, isArray);
  ConvertedValues converted(where, field, values, count, traits);
  if (field.field().holdsValues())
    setHeldState(where, field, converted.bytes());
  else
    setStateVector(where, field, converted.bytes());
}

POP_INLINE poplar::TypeTraits halfTraits() { return poplar::TypeTraits::make<poplar::IeeeHalf>(); }

POP_INLINE void checkHalfField(FieldHandle const &handle) {
  if (handle.field().type != poplar::HALF)
    base::fail<poplar::type_error>("Graph::setInitialValueHalf", handle.text(),
                                   " has elements of type ", handle.field().type, ", not half");
}

} // namespace cottonwood::graph::detail

namespace poplar {

POP_INLINE void Graph::setFieldValue(FieldRef field, void const *values, std::size_t count,
                                     TypeTraits const &traits, bool isArray) {
  using namespace cottonwood::graph;
  char const *const where = "Graph::setInitialValue";
  FieldHandle const handle = checkedField(where, field, data(where));
  bool const isEdge = handle.field().isEdge();
  if (isEdge && handle.field().isWritten())
    cottonwood::base::fail<graph_connection_error>(
        where, handle.text(), " is written by the vertex: connect it to a variable");
  detail::forEachInstance(handle, [&](FieldHandle const &one, unsigned, unsigned) {
    if (isEdge)
      detail::connectConstant(where, one, values, count, traits, isArray);
    else
      detail::setState(where, one, values, count, traits, isArray);
  });
}

POP_INLINE void Graph::setInitialValueHalf(FieldRef field, std::uint16_t val) {
  cottonwood::graph::detail::checkHalfField(cottonwood::graph::checkedField(
      "Graph::setInitialValueHalf", field, data("Graph::setInitialValueHalf")));
  setFieldValue(field, &val, 1, cottonwood::graph::detail::halfTraits(), false);
}

POP_INLINE void Graph::setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> val) {
  cottonwood::graph::detail::checkHalfField(cottonwood::graph::checkedField(
      "Graph::setInitialValueHalf", field, data("Graph::setInitialValueHalf")));
  setFieldValue(field, val.data(), val.size(), cottonwood::graph::detail::halfTraits(), true);
}

} // namespace poplar
