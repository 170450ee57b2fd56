#pragma once
#include <poplar/impl/codelet/Codelet.hpp>

#include <algorithm>
#include <poplar/impl/base/TypeInfo.hpp>

namespace cottonwood::codelet {

POP_INLINE unsigned Field::rank() const {
  switch (shape) {
  case FieldShape::Scalar:
    return 0;
  case FieldShape::Vector:
  case FieldShape::VectorOfScalars:
  case FieldShape::Array:
    return 1;
  case FieldShape::VectorOfVectors:
  case FieldShape::VectorList:
    break;
  }
  return 2;
}

POP_INLINE bool Field::hasManyRegions() const {
  return isEdge() && shape != FieldShape::Scalar && shape != FieldShape::Vector;
}

namespace detail {

/// FNV-1a over the values it is given.
struct LayoutHash {
  std::uint64_t value = 0xcbf29ce484222325u;

  void add(std::uint64_t number) {
    for (unsigned byte = 0; byte != 8; ++byte, number >>= 8)
      value = (value ^ (number & 0xff)) * 0x100000001b3u;
  }
  void add(std::string const &text) {
    add(text.size());
    for (char const c : text)
      value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
};

POP_INLINE std::uint64_t layoutHashOf(Codelet const &codelet) {
  LayoutHash hash;
  hash.add(codelet.stateSize);
  hash.add(codelet.stateAlign);
  hash.add((codelet.multi ? 1u : 0u) + (codelet.supervisor ? 2u : 0u));
  for (Field const &field : codelet.fields) {
    hash.add(field.name);
    hash.add(static_cast<std::uint64_t>(field.direction));
    hash.add(static_cast<std::uint64_t>(field.shape));
    hash.add(static_cast<std::uint64_t>(field.type.id()));
    hash.add(static_cast<std::uint64_t>(field.outer));
    hash.add(static_cast<std::uint64_t>(field.inner));
    hash.add(static_cast<std::uint64_t>(field.list));
    hash.add(field.minAlign);
    hash.add(std::uint64_t{field.interleaved});
    hash.add(field.offset);
    hash.add(field.size);
    if (field.lanes == 1 && field.shape != FieldShape::Array)
      continue;
    hash.add(field.lanes);
    hash.add(field.count);
  }
  return hash.value;
}

} // namespace detail

POP_INLINE Field fieldFrom(FieldDescription const &description, std::string name) {
  Field field;
  field.name = std::move(name);
  field.direction = description.direction;
  field.shape = description.shape;
  field.type = poplar::Type(description.type);
  field.outer = description.outer;
  field.inner = description.inner;
  field.list = description.list;
  field.minAlign = description.minAlign;
  field.offset = description.offset;
  field.size = description.size;
  field.lanes = description.lanes;
  field.count = description.count;
  field.interleaved = description.interleaved;
  return field;
}

POP_INLINE void Codelet::seal() {
  name = normaliseName(name);
  std::stable_sort(fields.begin(), fields.end(),
                   [](Field const &a, Field const &b) { return a.offset < b.offset; });
  valueBytes = numRegionFields = 0;
  slotOfField.clear();
  for (Field &field : fields) {
    slotOfField.push_back(field.holdsValues() ? kNoSlot : numRegionFields++);
    if (!field.holdsValues())
      continue;
    field.valueSlot = valueBytes;
    field.valueBytes =
        static_cast<std::uint32_t>(base::sizeOf(field.type)) * field.lanes * field.count;
    // The byte behind the values says whether they were set.
    valueBytes += field.valueBytes + 1;
  }
  layoutHash = detail::layoutHashOf(*this);
}

POP_INLINE int Codelet::findField(std::string_view fieldName) const {
  for (std::size_t i = 0; i != fields.size(); ++i)
    if (fields[i].name == fieldName)
      return static_cast<int>(i);
  return -1;
}

} // namespace cottonwood::codelet
