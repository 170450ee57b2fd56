// What the tests of Graph share.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <doctest/doctest.h>
#include <random>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace test {

inline poplar::Graph graphWithTiles(unsigned tilesPerIPU, unsigned numIPUs = 1) {
  poplar::IPUModel model;
  model.numIPUs = numIPUs;
  model.tilesPerIPU = tilesPerIPU;
  return poplar::Graph(model.createDevice());
}

/// f() throws exactly an E whose text contains `part`.
template <class E, class F> void checkThrows(F &&f, std::string const &part) {
  std::string text = "nothing was thrown";
  bool isE = false;
  try {
    f();
  } catch (E const &e) {
    text = e.what();
    isE = typeid(e) == typeid(E);
  } catch (std::exception const &e) {
    text = std::string("of another class: ") + e.what();
  }
  CAPTURE(part);
  CHECK_MESSAGE((isE && text.find(part) != std::string::npos), text);
}

/// A random view of t, and the elements of t's variable that it shows.
inline poplar::Tensor randomView(poplar::Tensor t, std::mt19937 &random,
                                 std::vector<std::size_t> &elements) {
  auto const below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (std::size_t step = below(5); step-- > 0;) {
    unsigned const dim = static_cast<unsigned>(below(t.rank()));
    std::size_t const size = t.dim(dim);
    switch (below(7)) {
    case 0: {
      std::size_t const begin = below(size);
      t = t.slice(begin, begin + 1 + below(size - begin), dim);
      break;
    }
    case 1:
      t = t.dimRoll(dim);
      break;
    case 2:
      t = t.reverse(dim);
      break;
    case 3:
      t = t.flatten().reshape({1, t.numElements()});
      break;
    case 4:
      t = poplar::concat(t.slice(size / 2, size, dim), t.slice(0, size / 2, dim), dim);
      break;
    case 5:
      if (t.numElements() < 500)
        t = t.broadcast(2, dim);
      break;
    default:
      t = t.subSample(2, dim);
      break;
    }
  }
  elements.clear();
  for (poplar::VariableInterval const &region : t.getVarRegions())
    for (std::size_t i = region.interval.begin(); i < region.interval.end(); ++i)
      elements.push_back(i);
  return t;
}

} // namespace test
