// Edges of a vertex: Input, Output and InOut of a scalar, a Vector or a VectorList.
//
// The image of a scalar edge is one `void *`; those of the others are described in FieldTypes.hpp
// and VectorListTypes.hpp. Copying the edge object itself copies the reference, assigning to it
// writes the element.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_INOUTTYPES_HPP
#define POPLAR_INOUTTYPES_HPP

#include <poplar/FieldTypes.hpp>
#include <poplar/VectorListTypes.hpp>

/// Asks for no instrumentation of a vertex or function; there is none on a host.
#define NO_INSTRUMENT

namespace poplar {

struct InOutBase {
  void *p;
};

/// A scalar that is read.
template <class T> class Input : public InOutBase {
public:
  operator T const &() const { return *static_cast<T const *>(p); }
  T const &operator*() const { return *static_cast<T const *>(p); }
  T const *operator->() const { return static_cast<T const *>(p); }
};

} // namespace poplar

namespace cottonwood {
namespace field {

/// A scalar that is written. `edge = value` and `edge = otherEdge` write the element; compound
/// assignments, ++ and -- are the built-in ones on the referenced element.
template <class T> class WritableScalar : public poplar::InOutBase {
public:
  WritableScalar() = default;
  WritableScalar(WritableScalar const &) = default;
  WritableScalar &operator=(WritableScalar const &other) {
    **this = *other;
    return *this;
  }
  operator T &() const { return *static_cast<T *>(p); }
  T &operator*() const { return *static_cast<T *>(p); }
  T *operator->() const { return static_cast<T *>(p); }
};

} // namespace field
} // namespace cottonwood

namespace poplar {

/// A scalar that is written.
template <class T> class Output : public cottonwood::field::WritableScalar<T> {
public:
  Output() = default;
  Output(Output const &) = default;
  Output &operator=(Output const &) = default;
  template <class U> Output &operator=(U const &value) {
    **this = static_cast<T>(value);
    return *this;
  }
};

/// A scalar that is read and written.
template <class T> class InOut : public cottonwood::field::WritableScalar<T> {
public:
  InOut() = default;
  InOut(InOut const &) = default;
  InOut &operator=(InOut const &) = default;
  template <class U> InOut &operator=(U const &value) {
    **this = static_cast<T>(value);
    return *this;
  }
};

/// A vector that is read: the members of Vector, with const elements. `edge->size()` works as well
/// as `edge.size()`.
template <class T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class Input<Vector<T, L, MinAlign, Interleaved>>
    : public cottonwood::field::Elements<T const, cottonwood::field::hasSize(L)> {
public:
  Input const *operator->() const { return this; }
};

/// A vector that is written.
template <class T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class Output<Vector<T, L, MinAlign, Interleaved>>
    : public cottonwood::field::Elements<T, cottonwood::field::hasSize(L)> {
public:
  Output const *operator->() const { return this; }
};

/// A vector that is read and written.
template <class T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class InOut<Vector<T, L, MinAlign, Interleaved>>
    : public cottonwood::field::Elements<T, cottonwood::field::hasSize(L)> {
public:
  InOut const *operator->() const { return this; }
};

/// A list of vectors that is read.
template <class T, VectorListLayout L, unsigned MinAlign, bool Interleaved>
class Input<VectorList<T, L, MinAlign, Interleaved>> : public BaseAndDeltas<T const, MinAlign> {
public:
  Input const *operator->() const { return this; }
};

/// A list of vectors that is written.
template <class T, VectorListLayout L, unsigned MinAlign, bool Interleaved>
class Output<VectorList<T, L, MinAlign, Interleaved>> : public BaseAndDeltas<T, MinAlign> {
public:
  Output const *operator->() const { return this; }
};

/// A list of vectors that is read and written.
template <class T, VectorListLayout L, unsigned MinAlign, bool Interleaved>
class InOut<VectorList<T, L, MinAlign, Interleaved>> : public BaseAndDeltas<T, MinAlign> {
public:
  InOut const *operator->() const { return this; }
};

} // namespace poplar

#endif
