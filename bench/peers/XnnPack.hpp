// What the sources of the XNNPACK peer have in common.
#pragma once

#include <bench/race/Peer.hpp>

#include <xnnpack.h>

#include <cmath>
#include <memory>

namespace cottonwood::bench {

inline constexpr float INF = INFINITY;

inline pthreadpool_t poolOf(unsigned threads) {
  static pthreadpool_t const pool = threads > 1 ? pthreadpool_create(threads) : nullptr;
  return pool;
}

struct DeleteOperator {
  void operator()(xnn_operator_t op) const { xnn_delete_operator(op); }
};
using Operator = std::shared_ptr<xnn_operator>;

/// Null if XNNPACK has no such operator.
inline Operator created(xnn_status status, xnn_operator_t op) {
  return status == xnn_status_success ? Operator(op, DeleteOperator{}) : nullptr;
}

} // namespace cottonwood::bench
