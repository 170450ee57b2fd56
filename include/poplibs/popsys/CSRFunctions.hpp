// The older names of <poplar/CSRFunctions.hpp>.
#include <poplar/impl/base/Config.hpp>

#ifndef POPSYS_CSRFUNCTIONS_HPP
#define POPSYS_CSRFUNCTIONS_HPP

#include <poplar/CSRFunctions.hpp>

namespace popsys {

using poplar::FloatingPointBehaviour;
using poplar::getAndModifyFloatingPointBehaviour;
using poplar::setFloatingPointBehaviour;
using poplar::setStochasticRounding;

} // namespace popsys

#endif
