// What the library needs to know of a host C++ type whose values come as `void const *`.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_TYPETRAITS_HPP
#define POPLAR_TYPETRAITS_HPP

#include <cstddef>
#include <poplar/Type.hpp>
#include <type_traits>

namespace poplar {

struct TypeTraits {
  std::size_t size;
  std::size_t align;
  bool isSigned;
  bool isFloat;
  bool isBool; // among the integers of one byte

  template <class T> static constexpr TypeTraits make() {
    return TypeTraits{sizeof(T), alignof(T), std::is_signed<T>::value || isHalf<T>(),
                      std::is_floating_point<T>::value || isHalf<T>(),
                      std::is_same<typename std::remove_cv<T>::type, bool>::value};
  }

  /// True for integers (bool and char included), floating point numbers and the two 16-bit floats.
  template <class T> static constexpr bool isSimpleType() {
    return std::is_integral<T>::value || std::is_floating_point<T>::value || isHalf<T>();
  }
  /// True for the traits of a simple type.
  bool isSimpleType() const { return size != 0 && size <= sizeof(long double); }

  /// No host C++ type needs metadata: QUARTER values cross the host boundary as another type.
  template <class T> static constexpr bool requiresMetadata() { return false; }

private:
  template <class T> static constexpr bool isHalf() {
    return std::is_same<typename std::remove_cv<T>::type, IeeeHalf>::value ||
           std::is_same<typename std::remove_cv<T>::type, half>::value;
  }
};

} // namespace poplar

#endif
