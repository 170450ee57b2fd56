// Body of SimulatedErrors.hpp.
#pragma once

#include <poplar/impl/engine/SimulatedErrors.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::engine {

POP_INLINE void raiseDeviceError(poplar::ErrorCode code, std::string const &what) {
  using poplar::ErrorCode;
  using poplar::RecoveryAction;
  std::string const text = base::textOf(what, ": ", poplar::errorCodeToString(code));
  switch (code) {
  case ErrorCode::NONE:
    return;
  case ErrorCode::TRAP:
  case ErrorCode::FLOATING_POINT_INVALID_OPERATION:
  case ErrorCode::FLOATING_POINT_DIVIDE_BY_ZERO:
  case ErrorCode::FLOATING_POINT_OVERFLOW:
  case ErrorCode::TILE_MEMORY_BANK_CONFLICT:
  case ErrorCode::INVALID_EXCHANGE_CONFIGURATION:
  case ErrorCode::INVALID_ADDRESS:
  case ErrorCode::INVALID_OPERAND:
  case ErrorCode::INVALID_PROGRAM_COUNTER:
  case ErrorCode::INVALID_INSTRUCTION:
    throw poplar::application_runtime_error(text);
  case ErrorCode::EXCHANGE_ERROR:
  case ErrorCode::MEMORY_ERROR:
  case ErrorCode::IPUSOFTERR:
    throw poplar::recoverable_runtime_error(RecoveryAction::IPU_RESET, text);
  case ErrorCode::LINK_DOWN:
    throw poplar::recoverable_runtime_error(RecoveryAction::LINK_RESET, text);
  case ErrorCode::HOST_LINK_DOWN:
  case ErrorCode::HOST_SYNC_TIMEOUT:
    throw poplar::recoverable_runtime_error(RecoveryAction::PARTITION_RESET, text);
  case ErrorCode::IPU_MEMORY_FAILURE:
    throw poplar::unrecoverable_runtime_error(text);
  case ErrorCode::UNKNOWN:
    break;
  }
  throw poplar::unknown_runtime_error(text);
}

POP_INLINE void SimulatedErrors::check(lower::ExecutableData const &executable,
                                       std::uint32_t set) const {
  lower::ComputeSetPlan const &plan = executable.computeSets[set];
  for (std::uint64_t i = plan.firstCall; i < plan.firstCall + plan.numCalls; ++i) {
    auto const found = codes_.find(executable.calls[i].tile);
    if (found != codes_.end())
      raiseDeviceError(found->second,
                       base::textOf("Engine::run: simulated error on tile ", found->first,
                                    " in compute set ", base::quoted(plan.name)));
  }
}

} // namespace cottonwood::engine
