// Copies between views of all shapes: pieces, planes, moves and streams against single elements.
#include "RandomViews.hpp"

#include <poplar/Device.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

using namespace poplar;
using namespace poplar::program;
using fuzz::below;
using fuzz::oneIn;
using fuzz::Random;
using fuzz::Shape;
using fuzz::View;

namespace {

void fillAnything(Random &random, std::vector<unsigned char> &bytes) {
  for (unsigned char &byte : bytes)
    byte = static_cast<unsigned char>(random());
}

void check(Random &random, Device const &device) {
  Type const types[] = {UNSIGNED_CHAR, UNSIGNED_SHORT, HALF, INT, FLOAT, LONGLONG};
  Type const type = types[below(random, std::size(types))];
  std::size_t const largest = oneIn(random, 40) ? 3000000 : oneIn(random, 4) ? 100000 : 5000;
  Graph graph(device.getTarget());
  fuzz::RandomViews views(random, graph,
                          [&](Type const &, auto &bytes) { fillAnything(random, bytes); });
  Sequence program;
  std::vector<std::pair<View, View>> copies;
  for (std::size_t n = 1 + below(random, 3); n != 0; --n) {
    Shape const shape = views.someShape(largest);
    View from;
    if (!copies.empty() && oneIn(random, 2)) // of what was just copied
      from = fuzz::RandomViews::reshaped(copies.back().second, shape);
    if (from.shape != shape)
      from = views.view(type, shape, 4, true);
    View to = views.view(type, shape, 4, false);
    program.add(Copy(from.tensor, to.tensor, oneIn(random, 2)));
    copies.emplace_back(std::move(from), std::move(to));
  }
  Engine engine(graph, program, {{"engine.numThreads", std::to_string(below(random, 3))}});
  engine.load(device);
  views.write(engine);
  engine.run();
  for (auto const &[from, to] : copies)
    for (std::size_t i = 0; i < to.size(); ++i)
      std::memcpy(to.at(i), from.at(i), to.places[i].first->elementBytes);
  views.expectSame(engine, type.toString() + ":");
}

} // namespace

int main(int argc, char **argv) {
  IPUModel model;
  model.tilesPerIPU = 7;
  Device const devices[] = {Device::createCPUDevice(), model.createDevice()};
  return fuzz::run("fuzz-copies", argc, argv,
                   [&](Random &random) { check(random, devices[oneIn(random, 3) ? 1 : 0]); });
}
