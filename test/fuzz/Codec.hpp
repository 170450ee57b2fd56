// Numbers as the types of tensors have them.
#pragma once

#include <poplar/Target.hpp>
#include <poplar/Type.hpp>

#include <cstdint>
#include <cstring>

namespace fuzz {

/// FLOAT, HALF, INT and UNSIGNED_INT.
class Codec {
public:
  explicit Codec(poplar::Target const &target) : target_(target) {}

  double read(poplar::Type const &type, unsigned char const *bytes) const {
    if (type == poplar::HALF) {
      float x = 0;
      poplar::copyDeviceHalfToFloat(target_, bytes, &x, 1);
      return x;
    }
    if (type == poplar::FLOAT)
      return as<float>(bytes);
    return type == poplar::INT ? as<std::int32_t>(bytes) : as<std::uint32_t>(bytes);
  }
  void write(poplar::Type const &type, double x, unsigned char *bytes) const {
    if (type == poplar::HALF) {
      float const single = static_cast<float>(x);
      poplar::copyFloatToDeviceHalf(target_, &single, bytes, 1);
    } else if (type == poplar::FLOAT) {
      store(static_cast<float>(x), bytes);
    } else if (type == poplar::INT) {
      store(static_cast<std::int32_t>(x), bytes);
    } else {
      store(static_cast<std::uint32_t>(x), bytes);
    }
  }
  std::size_t bytesOf(poplar::Type const &type) const { return target_.getTypeSize(type); }
  double rounded(poplar::Type const &type, double x) const {
    unsigned char bytes[8];
    write(type, x, bytes);
    return read(type, bytes);
  }

private:
  template <class T> static double as(unsigned char const *bytes) {
    T x;
    std::memcpy(&x, bytes, sizeof(T));
    return static_cast<double>(x);
  }
  template <class T> static void store(T x, unsigned char *bytes) {
    std::memcpy(bytes, &x, sizeof(T));
  }

  poplar::Target const &target_;
};

} // namespace fuzz
