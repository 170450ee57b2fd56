// What a vertex class says about itself through its types: the shape of a field, where it lies, how
// compute() is called. C++11, because the registration of vertices written in a program
// instantiates it.
#ifndef POPLAR_IMPL_CODELET_FIELDTRAITS_HPP
#define POPLAR_IMPL_CODELET_FIELDTRAITS_HPP

#include <cstddef>
#include <cstdint>
#include <poplar/VectorLayout.hpp>
#include <poplar/impl/base/TypeId.hpp>
#include <poplar/impl/codelet/Abi.hpp>
#include <type_traits>
#include <utility>

namespace poplar {
// Defined by the device headers, which host code need not include.
template <class T> class Input;
template <class T> class Output;
template <class T> class InOut;
template <class T, VectorLayout L, unsigned MinAlign, bool Interleaved> class Vector;
template <class T, VectorListLayout L, unsigned MinAlign, bool Interleaved> class VectorList;
class MultiVertexBase;
class SupervisorVertex;
class half;
} // namespace poplar
struct quarter;

namespace cottonwood {
namespace field {
template <unsigned count> class HalfVector;
} // namespace field

namespace codelet {

enum class Direction : unsigned char { State, Input, Output, InOut };

/// Scalar          one value: Input<T>, or a plain member (State)
/// Vector          Input<Vector<T>>, or Vector<T> (State)
/// VectorOfScalars Vector<Input<T>>: every element is an edge of its own
/// VectorOfVectors Vector<Input<Vector<T>>>
/// VectorList      Input<VectorList<T>>
/// Array           a member T[N] (State), of any number of dimensions
enum class FieldShape : unsigned char {
  Scalar,
  Vector,
  VectorOfScalars,
  VectorOfVectors,
  VectorList,
  Array
};

/// A field as its class declares it.
struct FieldDescription {
  char const *name;
  Direction direction;
  FieldShape shape;
  base::TypeId type;
  poplar::VectorLayout outer; ///< of a rank-1 field, or of the outer level
  poplar::VectorLayout inner; ///< of the inner level of VectorOfVectors
  poplar::VectorListLayout list;
  std::uint32_t minAlign; ///< bytes: alignment of the first element of every region
  std::uint32_t offset;   ///< bytes from the start of the state image
  std::uint32_t size;     ///< bytes of the member
  std::uint32_t lanes;    ///< elements of a value: those of a short vector, else 1
  std::uint32_t count;    ///< values of an Array, else 1
  bool interleaved;       ///< wants its regions in interleaved memory of a tile
};

/// The element type behind a field's T; enumerations are held as their underlying integers.
template <class T, bool isEnum = std::is_enum<T>::value> struct StoredAs { typedef T type; };
template <class T> struct StoredAs<T, true> {
  typedef typename std::underlying_type<T>::type type;
};

/// The element type of tensors that holds a T; Invalid if there is none.
template <class T> struct TypeIdOf { static constexpr base::TypeId value = base::TypeId::Invalid; };
#define POP_TYPE_ID(T, ID)                                                                         \
  template <> struct TypeIdOf<T> { static constexpr base::TypeId value = base::TypeId::ID; }
POP_TYPE_ID(bool, Bool);
POP_TYPE_ID(char, Char);
POP_TYPE_ID(unsigned char, UnsignedChar);
POP_TYPE_ID(signed char, SignedChar);
POP_TYPE_ID(unsigned short, UnsignedShort);
POP_TYPE_ID(short, Short);
POP_TYPE_ID(unsigned int, UnsignedInt);
POP_TYPE_ID(int, Int);
POP_TYPE_ID(unsigned long, UnsignedLong);
POP_TYPE_ID(long, Long);
POP_TYPE_ID(unsigned long long, UnsignedLongLong);
POP_TYPE_ID(long long, LongLong);
POP_TYPE_ID(float, Float);
POP_TYPE_ID(poplar::half, Half);
POP_TYPE_ID(::quarter, Quarter);
#undef POP_TYPE_ID

/// Types of the compiler's own beside the fundamental ones, vectors among them.
template <class T> struct IsExtension {
  static const bool value = std::is_object<T>::value && !std::is_scalar<T>::value &&
                            !std::is_class<T>::value && !std::is_union<T>::value &&
                            !std::is_array<T>::value;
};

/// The elements of a value: itself, or those of a short vector.
template <class T, class = void> struct ValueTraits {
  typedef typename StoredAs<T>::type Element;
  static const std::uint32_t lanes = 1;
};
template <class T>
struct ValueTraits<T, typename std::enable_if<IsExtension<T>::value,
                                              decltype(void(std::declval<T &>()[0]))>::type> {
  typedef typename std::decay<decltype(std::declval<T &>()[0])>::type Element;
  static const std::uint32_t lanes = sizeof(T) / sizeof(Element);
};
template <unsigned count> struct ValueTraits<field::HalfVector<count>> {
  typedef poplar::half Element;
  static const std::uint32_t lanes = count;
};

/// The values of a scalar, of an array, or at the end of an edge.
template <class T> void describeValue(FieldDescription &field) {
  typedef ValueTraits<typename std::remove_cv<T>::type> Traits;
  typedef typename Traits::Element Element;
  static_assert(TypeIdOf<Element>::value != base::TypeId::Invalid,
                "a vertex field holds bool, integers, half, quarter, float, an enumeration or a "
                "short vector; leave other members out: they start as zero");
  field.type = TypeIdOf<Element>::value;
  field.lanes = Traits::lanes;
  field.minAlign = alignof(T);
}

/// What an edge connects to: a scalar, a Vector or a VectorList.
template <class T> struct EdgeData {
  static void describe(FieldDescription &field) {
    field.shape = FieldShape::Scalar;
    describeValue<T>(field);
  }
};
template <class T, poplar::VectorLayout L, unsigned A, bool I>
struct EdgeData<poplar::Vector<T, L, A, I>> {
  static void describe(FieldDescription &field) {
    field.shape = FieldShape::Vector;
    describeValue<T>(field);
    field.outer = L;
    if (A > field.minAlign)
      field.minAlign = A;
    field.interleaved = I;
  }
};
template <class T, poplar::VectorListLayout L, unsigned A, bool I>
struct EdgeData<poplar::VectorList<T, L, A, I>> {
  static void describe(FieldDescription &field) {
    field.shape = FieldShape::VectorList;
    describeValue<T>(field);
    field.list = L;
    if (A > field.minAlign)
      field.minAlign = A;
    field.interleaved = I;
  }
};

/// A member of type T: state unless it is an edge or a vector of edges.
template <class T> struct FieldTraits {
  static const bool isEdge = false, isValue = true;
  static void describe(FieldDescription &field) {
    field.direction = Direction::State;
    field.shape = FieldShape::Scalar;
    describeValue<T>(field);
  }
};
template <class T, std::size_t N> struct FieldTraits<T[N]> {
  typedef FieldTraits<typename std::remove_cv<T>::type> Value;
  static const bool isEdge = false, isValue = true;
  static_assert(Value::isValue, "an array of edges or vectors is no vertex field; there are "
                                "Vector<Input<T>> and Vector<Input<Vector<T>>>");
  static void describe(FieldDescription &field) {
    Value::describe(field);
    field.shape = FieldShape::Array;
    field.count *= static_cast<std::uint32_t>(N);
  }
};
template <class T, Direction direction_> struct EdgeTraits {
  static const bool isEdge = true, isValue = false;
  static void describe(FieldDescription &field) {
    field.direction = direction_;
    EdgeData<T>::describe(field);
  }
};
template <class T> struct FieldTraits<poplar::Input<T>> : EdgeTraits<T, Direction::Input> {};
template <class T> struct FieldTraits<poplar::Output<T>> : EdgeTraits<T, Direction::Output> {};
template <class T> struct FieldTraits<poplar::InOut<T>> : EdgeTraits<T, Direction::InOut> {};
template <class T, poplar::VectorLayout L, unsigned A, bool I>
struct FieldTraits<poplar::Vector<T, L, A, I>> {
  static const bool isEdge = false, isValue = false;
  static void describe(FieldDescription &field) {
    describe(field, std::integral_constant<bool, FieldTraits<T>::isEdge>());
  }

private:
  static void describe(FieldDescription &field, std::true_type) {
    FieldTraits<T>::describe(field);
    field.inner = field.outer;
    field.outer = L;
    field.shape = field.shape == FieldShape::Scalar ? FieldShape::VectorOfScalars
                                                    : FieldShape::VectorOfVectors;
  }
  static void describe(FieldDescription &field, std::false_type) {
    EdgeData<poplar::Vector<T, L, A, I>>::describe(field);
    field.direction = Direction::State;
  }
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
/// A base of a vertex. This cast ignores its accessibility, others do not: vertex classes may
/// inherit privately.
template <class B, class V> B &baseOf(V &vertex) { return (B &)vertex; }
#pragma GCC diagnostic pop

/// Where a member lies in the image of V, found without constructing a V.
template <class V, class T, class B> std::uint32_t memberOffset(T B::*member) {
  alignas(V) static unsigned char image[sizeof(V)];
  B &base = baseOf<B>(reinterpret_cast<V &>(image));
  unsigned char const volatile *const address =
      reinterpret_cast<unsigned char const volatile *>(&(base.*member));
  return static_cast<std::uint32_t>(address - image);
}

/// Describes a member of V or of one of its bases.
template <class V, class T, class B>
FieldDescription describeMember(char const *name, T B::*member) {
  FieldDescription field = {name,
                            Direction::State,
                            FieldShape::Scalar,
                            base::TypeId::Invalid,
                            poplar::VectorLayout::NOT_A_VECTOR,
                            poplar::VectorLayout::NOT_A_VECTOR,
                            poplar::VectorListLayout::NOT_A_VECTOR,
                            1,
                            memberOffset<V>(member),
                            static_cast<std::uint32_t>(sizeof(T)),
                            1,
                            1,
                            false};
  FieldTraits<typename std::remove_cv<T>::type>::describe(field);
  return field;
}

template <class V> struct VertexKind {
  static const bool isMulti = std::is_base_of<poplar::MultiVertexBase, V>::value;
  static const bool isSupervisor = std::is_base_of<poplar::SupervisorVertex, V>::value;
};

/// Calls compute() through a member pointer; true stands for a compute() that returns void.
template <class V, class Method, Method method> struct EntryThrough;
template <class V, class R, class B, R (B::*method)()> struct EntryThrough<V, R (B::*)(), method> {
  static bool enter(void *state, unsigned, VertexContext *) {
    return static_cast<bool>((baseOf<B>(*static_cast<V *>(state)).*method)());
  }
};
template <class V, class B, void (B::*method)()> struct EntryThrough<V, void (B::*)(), method> {
  static bool enter(void *state, unsigned, VertexContext *) {
    (baseOf<B>(*static_cast<V *>(state)).*method)();
    return true;
  }
};
template <class V, class R, class B, R (B::*method)(unsigned)>
struct EntryThrough<V, R (B::*)(unsigned), method> {
  static bool enter(void *state, unsigned worker, VertexContext *) {
    return static_cast<bool>((baseOf<B>(*static_cast<V *>(state)).*method)(worker));
  }
};
template <class V, class B, void (B::*method)(unsigned)>
struct EntryThrough<V, void (B::*)(unsigned), method> {
  static bool enter(void *state, unsigned worker, VertexContext *) {
    (baseOf<B>(*static_cast<V *>(state)).*method)(worker);
    return true;
  }
};

/// Picks compute() out of an overload set by the kind of the vertex.
template <bool isMulti> struct ComputeMethod {
  template <class R, class B> static auto pick(R (B::*method)()) -> R (B::*)();
};
template <> struct ComputeMethod<true> {
  template <class R, class B> static auto pick(R (B::*method)(unsigned)) -> R (B::*)(unsigned);
};

} // namespace codelet
} // namespace cottonwood

#endif
