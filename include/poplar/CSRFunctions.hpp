// How vertices treat exceptional floating point values.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_CSRFUNCTIONS_HPP
#define POPLAR_CSRFUNCTIONS_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

class Graph;

// The behaviour is state of the device: programs set it, it holds from then on for all tiles, and
// stays from run to run until the engine is loaded again, which sets all to false.
//
// Here it is only kept. Vertices compute as IEEE 754 has it, whatever is set: no traps, rounding to
// nearest, and infinity where a half overflows. Programs that set, save and restore it do what they
// did.

/// What is switched on.
struct FloatingPointBehaviour {
  FloatingPointBehaviour() = default;
  FloatingPointBehaviour(bool onInvalid, bool onDivideByZero, bool onOverflow,
                         bool stochasticRounding, bool overflowIsNaN)
      : inv(onInvalid), div0(onDivideByZero), oflo(onOverflow), esr(stochasticRounding),
        nanoo(overflowIsNaN) {}

  bool inv = true;   ///< stop on an invalid operation
  bool div0 = true;  ///< stop on a division by zero
  bool oflo = true;  ///< stop on an overflow
  bool esr = true;   ///< round halves stochastically
  bool nanoo = true; ///< a half that overflows is NaN, else the largest half

  /// Each switch the other way.
  FloatingPointBehaviour operator!() const {
    return FloatingPointBehaviour(!inv, !div0, !oflo, !esr, !nanoo);
  }
};

/// Appends the setting of the whole behaviour to prog.
POP_API void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                       FloatingPointBehaviour const &behaviour,
                                       DebugContext const &debugContext = {});
/// The same with what getAndModifyFloatingPointBehaviour returned.
/// \throws poplar_error  any other tensor.
POP_API void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                       Tensor const &behaviour,
                                       DebugContext const &debugContext = {});
/// Appends the setting of `esr` alone.
POP_API void setStochasticRounding(Graph &graph, program::Sequence &prog, bool behaviour,
                                   DebugContext const &debugContext = {});
/// Appends to prog: a copy of the behaviour, then all that is true in `clear` becomes false, then
/// all that is true in `set` becomes true.
/// \returns the copy, for setFloatingPointBehaviour to restore.
POP_API Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                                  FloatingPointBehaviour const &clear,
                                                  FloatingPointBehaviour const &set,
                                                  DebugContext const &debugContext = {});

} // namespace poplar

#endif
