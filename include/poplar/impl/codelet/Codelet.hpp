#pragma once
// A codelet as data: its name, the fields of its state image, its entry point and its cost.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <poplar/Type.hpp>
#include <poplar/VectorLayout.hpp>
#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/codelet/Abi.hpp>
#include <poplar/impl/codelet/CodeObject.hpp>
#include <poplar/impl/codelet/FieldTraits.hpp>

namespace cottonwood::model {
struct Machine;
}

namespace cottonwood::codelet {

struct POP_API Field {
  std::string name;
  Direction direction = Direction::State;
  FieldShape shape = FieldShape::Scalar;
  poplar::Type type;
  poplar::VectorLayout outer =
      poplar::VectorLayout::NOT_A_VECTOR; ///< the only level of a rank-1 field
  poplar::VectorLayout inner =
      poplar::VectorLayout::NOT_A_VECTOR; ///< inner level of VectorOfVectors
  poplar::VectorListLayout list = poplar::VectorListLayout::NOT_A_VECTOR;
  unsigned minAlign = 1;    ///< bytes; what the first element of every region must be aligned to
  std::uint32_t offset = 0; ///< bytes from the start of the state image
  std::uint32_t size = 0;   ///< bytes of the member in the state image
  std::uint32_t lanes = 1;  ///< elements of a value: those of a short vector (float2), else 1
  std::uint32_t count = 1;  ///< values of an Array, else 1
  bool interleaved = false; ///< wants its regions in interleaved memory of a tile
  // Of values in place, set by seal():
  std::uint32_t valueSlot = 0;  ///< offset among the packed values of a vertex
  std::uint32_t valueBytes = 0; ///< of all elements

  bool isEdge() const { return direction != Direction::State; }
  bool isRead() const { return direction == Direction::Input || direction == Direction::InOut; }
  bool isWritten() const { return direction == Direction::Output || direction == Direction::InOut; }
  /// State that lies in the state image itself.
  bool holdsValues() const {
    return !isEdge() && (shape == FieldShape::Scalar || shape == FieldShape::Array);
  }
  unsigned rank() const; ///< 0, 1 or 2: as VertexIntrospector counts
  /// Rank-2 fields and vectors of scalar edges have several regions, each connected on its own.
  bool hasManyRegions() const;
};

/// A field as its class declares it, under `name`.
POP_API Field fieldFrom(FieldDescription const &description, std::string name);

/// What a cost function may see of one vertex: sizes and values fixed at compile time, never data.
class VertexSizes {
public:
  virtual ~VertexSizes() = default;
  virtual std::size_t regions(unsigned field) const = 0;
  /// Of tensors and values: short vectors count with all their lanes.
  virtual std::size_t elements(unsigned field, std::size_t region = 0) const = 0;
  virtual std::int64_t stateInt(unsigned field) const = 0;
};

struct Cost {
  std::uint64_t cycles = 0;
  std::uint64_t flops = 0;
};
using CostFunction = Cost (*)(VertexSizes const &, model::Machine const &);

struct POP_API Codelet {
  std::string name;             ///< normalised, see normaliseName()
  std::string origin;           ///< where the class is defined, `codelets.cpp:12`; empty: built in
  std::uint64_t definition = 0; ///< identifies what the name stands for; 0: not known
  std::vector<Field> fields;
  std::vector<std::string> others; ///< members known to be no fields; for messages
  std::uint32_t stateSize = 0;     ///< bytes of the state image
  std::uint32_t stateAlign = 1;    ///< bytes
  bool multi = false; ///< MultiVertex: compute(worker) is called once per worker context
  bool supervisor = false;
  Entry entry = nullptr;
  std::string isa; ///< tag of the code behind entry; empty: as the program was compiled
  std::shared_ptr<CodeObject const> object; ///< what holds the code; null: the process itself
  CostFunction cost = nullptr;              ///< null: the caller falls back to its default rule
  int omittable = -1;  ///< the output field that is not written where its pointer is null; -1: none
  int scratch = -1;    ///< the output field that holds nothing but intermediate bytes; -1: none
  bool anyIsa = false; ///< whether the code of every instruction set takes the same operands
  std::uint64_t layoutHash =
      0; ///< of fields and sizes; equal hashes mean interchangeable state images
  std::uint32_t valueBytes = 0;         ///< packed bytes of all fields that hold values
  std::vector<std::byte> initialValues; ///< packed, of a new vertex; empty: zeros
  std::uint32_t numRegionFields = 0;    ///< edge fields plus state vectors: those with an edge slot
  std::vector<std::uint32_t> slotOfField; ///< edge slot of each field, kNoSlot if it holds values

  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

  /// Normalises the name, puts the fields in the order of their offsets, and computes layoutHash,
  /// valueBytes, numRegionFields, slotOfField and valueSlot. Called once, before registration.
  void seal();
  /// Index of the field of that name, -1 if there is none.
  int findField(std::string_view name) const;
};

/// The one spelling of a vertex type name: no leading "::", no blanks around , < > ::, "> >"
/// joined, integer types as poplar::Type::toString() spells them ("unsigned" becomes "unsigned
/// int", "uint16_t" "unsigned short").
POP_API std::string normaliseName(std::string_view name);

} // namespace cottonwood::codelet
