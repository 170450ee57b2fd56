// The element types of tensors and vertex fields.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_TYPE_HPP
#define POPLAR_TYPE_HPP

#include <cstddef>
#include <iosfwd>
#include <poplar/StringRef.hpp>
#include <poplar/impl/base/TypeId.hpp>

namespace poplar {

class half;
class IeeeHalf;
class QuarterMetadata;

/// An element type: a small value, constant-initialised, so that it may be used in initialisers of
/// static objects. A default-constructed Type is unset: it equals only other unset ones and its
/// text is "<unset type>".
class POP_API Type {
public:
  constexpr Type() noexcept : id_(cottonwood::base::TypeId::Invalid) {}
  explicit constexpr Type(cottonwood::base::TypeId id) noexcept : id_(id) {}

  /// The C++ spelling: "float", "half", "unsigned int"; the text used in vertex names.
  StringRef toString() const;
  std::size_t hash() const noexcept { return static_cast<std::size_t>(id_); }
  /// QUARTER, HALF and FLOAT.
  bool isFloatingPoint() const noexcept;
  /// QUARTER only: its tensors carry a scale and a format.
  bool requiresMetadata() const noexcept { return id_ == cottonwood::base::TypeId::Quarter; }

  constexpr bool operator==(Type const &other) const noexcept { return id_ == other.id_; }
  constexpr bool operator!=(Type const &other) const noexcept { return id_ != other.id_; }
  constexpr bool operator<(Type const &other) const noexcept { return id_ < other.id_; }

  /// The enumerator behind the type, for switches inside the library.
  constexpr cottonwood::base::TypeId id() const noexcept { return id_; }

private:
  cottonwood::base::TypeId id_;
};

/// Prints toString().
POP_API std::ostream &operator<<(std::ostream &stream, Type const &type);

// Objects, not enumerators. The library's own are constant-initialised: they are ready before any
// dynamic initialiser of a client runs.
#if defined(POPLAR_HEADER_ONLY)
#define POP_TYPE_CONSTANT(name, id)                                                                \
  inline constexpr Type name { cottonwood::base::TypeId::id }
#else
#define POP_TYPE_CONSTANT(name, id) extern POP_API const Type name
#endif
POP_TYPE_CONSTANT(BOOL, Bool);
POP_TYPE_CONSTANT(CHAR, Char);
POP_TYPE_CONSTANT(UNSIGNED_CHAR, UnsignedChar);
POP_TYPE_CONSTANT(SIGNED_CHAR, SignedChar);
POP_TYPE_CONSTANT(UNSIGNED_SHORT, UnsignedShort);
POP_TYPE_CONSTANT(SHORT, Short);
POP_TYPE_CONSTANT(UNSIGNED_INT, UnsignedInt);
POP_TYPE_CONSTANT(INT, Int);
POP_TYPE_CONSTANT(UNSIGNED_LONG, UnsignedLong);
POP_TYPE_CONSTANT(LONG, Long);
POP_TYPE_CONSTANT(UNSIGNED_LONGLONG, UnsignedLongLong);
POP_TYPE_CONSTANT(LONGLONG, LongLong);
POP_TYPE_CONSTANT(QUARTER, Quarter);
POP_TYPE_CONSTANT(QUARTER_METADATA, QuarterMetadata);
POP_TYPE_CONSTANT(HALF, Half);
POP_TYPE_CONSTANT(FLOAT, Float);
#undef POP_TYPE_CONSTANT

/// The Type that holds values of the C++ type T: `equivalent_device_type<float>().value` is FLOAT.
/// Defined for the element types of the list above; there is none for double.
template <class T> struct equivalent_device_type;

/// Declares (inside namespace poplar) that values of the C++ type T1 are elements of the Type T2.
#define POPLAR_DECLARE_EQUIV_TYPE(T1, T2)                                                          \
  template <> struct equivalent_device_type<T1> { const Type value = T2; }

POPLAR_DECLARE_EQUIV_TYPE(bool, BOOL);
POPLAR_DECLARE_EQUIV_TYPE(char, CHAR);
POPLAR_DECLARE_EQUIV_TYPE(unsigned char, UNSIGNED_CHAR);
POPLAR_DECLARE_EQUIV_TYPE(signed char, SIGNED_CHAR);
POPLAR_DECLARE_EQUIV_TYPE(unsigned short, UNSIGNED_SHORT);
POPLAR_DECLARE_EQUIV_TYPE(short, SHORT);
POPLAR_DECLARE_EQUIV_TYPE(unsigned int, UNSIGNED_INT);
POPLAR_DECLARE_EQUIV_TYPE(int, INT);
POPLAR_DECLARE_EQUIV_TYPE(unsigned long, UNSIGNED_LONG);
POPLAR_DECLARE_EQUIV_TYPE(long, LONG);
POPLAR_DECLARE_EQUIV_TYPE(unsigned long long, UNSIGNED_LONGLONG);
POPLAR_DECLARE_EQUIV_TYPE(long long, LONGLONG);
POPLAR_DECLARE_EQUIV_TYPE(float, FLOAT);
POPLAR_DECLARE_EQUIV_TYPE(half, HALF);
POPLAR_DECLARE_EQUIV_TYPE(IeeeHalf, HALF);
POPLAR_DECLARE_EQUIV_TYPE(QuarterMetadata, QUARTER_METADATA);

} // namespace poplar

namespace std {
template <> struct hash<poplar::Type> {
  std::size_t operator()(poplar::Type const &type) const noexcept { return type.hash(); }
};
} // namespace std

#endif
