// Names of variables and stretches of them, as Tensor::getVarRegions returns them.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_VARIABLEREF_HPP
#define POPLAR_VARIABLEREF_HPP

#include <cstddef>
#include <poplar/Interval.hpp>
#include <string> // std::hash

namespace cottonwood {
namespace graph {
struct VariableAccess;
} // namespace graph
} // namespace cottonwood

namespace poplar {

/// Names one variable or constant of a graph; a small value. A default-constructed one names
/// nothing.
class VariableRef {
public:
  VariableRef() noexcept : id_(~0u) {}
  VariableRef(unsigned id) noexcept : id_(id) {}
  /// An older form; the number of replicas is the graph's.
  VariableRef(unsigned id, unsigned) noexcept : id_(id) {}

  std::size_t hash() const noexcept { return id_; }

  friend bool operator==(VariableRef const &a, VariableRef const &b) noexcept {
    return a.id_ == b.id_;
  }
  friend bool operator!=(VariableRef const &a, VariableRef const &b) noexcept {
    return a.id_ != b.id_;
  }
  friend bool operator<(VariableRef const &a, VariableRef const &b) noexcept {
    return a.id_ < b.id_;
  }

private:
  friend struct cottonwood::graph::VariableAccess;
  unsigned id_;
};

/// The elements [interval.begin(), interval.end()) of a variable, in its own row-major order.
struct VariableInterval {
  VariableInterval() = default;
  VariableInterval(VariableRef variable, Interval range) : var(variable), interval(range) {}

  VariableRef var;
  Interval interval;
};

inline bool operator==(VariableInterval const &a, VariableInterval const &b) {
  return a.var == b.var && a.interval == b.interval;
}
inline bool operator!=(VariableInterval const &a, VariableInterval const &b) { return !(a == b); }
/// By variable, then by interval.
inline bool operator<(VariableInterval const &a, VariableInterval const &b) {
  return a.var < b.var || (a.var == b.var && a.interval < b.interval);
}

} // namespace poplar

namespace std {
template <> struct hash<poplar::VariableRef> {
  size_t operator()(poplar::VariableRef const &variable) const noexcept { return variable.hash(); }
};
} // namespace std

namespace cottonwood {
namespace graph {
struct VariableAccess {
  static unsigned id(poplar::VariableRef const &variable) noexcept { return variable.id_; }
};
} // namespace graph
} // namespace cottonwood

#endif
