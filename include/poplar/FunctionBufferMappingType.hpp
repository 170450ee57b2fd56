// Where the code of a function is kept between calls.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_FUNCTIONBUFFERMAPPINGTYPE_HPP
#define POPLAR_FUNCTIONBUFFERMAPPINGTYPE_HPP

namespace poplar {

enum class FunctionBufferMappingType {
  REMOTE ///< in a remote buffer; copied to the tiles by Copy(FunctionBuffer, Function)
};

} // namespace poplar

#endif
