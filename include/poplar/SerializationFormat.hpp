// Formats of saved graphs and tensors.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_SERIALIZATIONFORMAT_HPP
#define POPLAR_SERIALIZATIONFORMAT_HPP

namespace poplar {

enum class SerializationFormat { Binary, JSON };

} // namespace poplar

#endif
