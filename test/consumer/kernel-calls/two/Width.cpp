#include "../Width.hpp"

#include <popops/MapFunctor.hpp>

struct Two {
  template <class V> V operator()(V) const { return V::splat(V::width); }
};

int widthTwo() {
  float width = 0;
  popops::kernels::map(Two{}, &width, 1, &width);
  return static_cast<int>(width);
}
