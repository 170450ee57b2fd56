#include "../Width.hpp"

#include <popops/MapFunctor.hpp>

struct One {
  template <class V> V operator()(V) const { return V::splat(V::width); }
};

int widthOne() {
  float width = 0;
  popops::kernels::map(One{}, &width, 1, &width);
  return static_cast<int>(width);
}
