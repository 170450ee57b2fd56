// Random graphs and programs: what the engine computes is what the program says, read element by
// element.
#include "Fuzz.hpp"
#include "Vertices.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;
using fuzz::below;
using fuzz::oneIn;
using fuzz::Random;

namespace {

using Memory = std::vector<int>; ///< all variables, one after another
using Action = std::function<void(Memory &)>;

/// A program, and what it does to the memory.
struct Step {
  Program program;
  Action act;
};
/// A tensor of rank 1, and which places of the memory it shows.
struct Region {
  Tensor tensor;
  std::vector<std::size_t> places;
};

unsigned bits(int value) { return static_cast<unsigned>(value); }

class Generator {
public:
  Generator(Random &random, Target const &target) : random_(random), graph_(target) {
    for (std::size_t v = 0, n = 3 + number(6); v < n; ++v) {
      std::size_t const rows = 1 + number(4), columns = 1 + number(5);
      Tensor const t = graph_.addVariable(INT, {rows, columns}, "v" + std::to_string(v));
      for (std::size_t row = 0; row < rows; ++row)
        graph_.setTileMapping(t[row], tile());
      if (oneIn(random_, 2)) {
        graph_.createHostWrite(handle(v), t);
        graph_.createHostRead(handle(v), t);
        visible_.push_back(v);
      }
      variables_.push_back(t);
      begins_.push_back(size_);
      size_ += rows * columns;
    }
    flag_ = graph_.addVariable(BOOL, {}, "flag");
    graph_.setTileMapping(flag_, 0);
  }

  Step sequence(unsigned depth) {
    Sequence program;
    std::vector<Action> actions;
    for (std::size_t n = 1 + number(5); n != 0; --n) {
      Step const next = step(depth);
      program.add(next.program);
      actions.push_back(next.act);
    }
    return {program, [actions](Memory &memory) {
              for (Action const &act : actions)
                act(memory);
            }};
  }

  /// Compiles, perhaps stores and loads, runs, and compares all that the host can see.
  void check(Device const &device) {
    Step const all = sequence(3);
    std::string const threads = std::to_string(number(3));
    Executable executable = compileGraph(graph_, {Program(Sequence(zeros(), all.program))},
                                         {{"engine.numThreads", threads}});
    if (oneIn(random_, 3)) {
      std::stringstream file;
      executable.serialize(file);
      executable = Executable::deserialize(file);
    }
    Engine engine(executable);
    engine.load(device);
    Memory memory(size_, 0);
    for (std::size_t v : visible_) {
      auto const end = begins_[v] + variables_[v].numElements();
      for (std::size_t i = begins_[v]; i < end; ++i)
        memory[i] = static_cast<int>(random_());
      engine.writeTensor(handle(v), memory.data() + begins_[v], memory.data() + end);
    }
    engine.run();
    all.act(memory);
    for (std::size_t v : visible_) {
      std::vector<int> read(variables_[v].numElements());
      engine.readTensor(handle(v), read.data(), read.data() + read.size());
      fuzz::expect(std::equal(read.begin(), read.end(),
                              memory.begin() + static_cast<std::ptrdiff_t>(begins_[v])),
                   handle(v) + " has other contents");
    }
  }

private:
  std::size_t number(std::size_t limit) { return below(random_, limit); }
  unsigned tile() { return static_cast<unsigned>(number(graph_.getTarget().getNumTiles())); }
  static std::string handle(std::size_t v) { return "v" + std::to_string(v); }

  /// What the host cannot write is zeroed: a program must write what it reads.
  Program zeros() {
    Sequence program;
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      if (std::count(visible_.begin(), visible_.end(), v))
        continue;
      Tensor const zero = graph_.addConstant(INT, variables_[v].shape(), 0, "zero");
      graph_.setTileMapping(zero, tile());
      program.add(Copy(zero, variables_[v]));
    }
    return program;
  }

  /// All of a variable, in storage order, transposed or backwards.
  Region whole(std::size_t v) {
    std::size_t const rows = variables_[v].dim(0), columns = variables_[v].dim(1);
    Region region{variables_[v].flatten(), std::vector<std::size_t>(rows * columns)};
    std::iota(region.places.begin(), region.places.end(), begins_[v]);
    if (oneIn(random_, 3)) {
      region.tensor = variables_[v].transpose().flatten();
      for (std::size_t i = 0; i < rows * columns; ++i)
        region.places[i] = begins_[v] + i % rows * columns + i / rows;
    }
    if (oneIn(random_, 4)) {
      region.tensor = region.tensor.reverse(0);
      std::reverse(region.places.begin(), region.places.end());
    }
    return region;
  }

  /// Parts of variables not in `taken`; each variable once if the region will be written.
  Region region(std::vector<bool> &taken, bool written) {
    Region all;
    for (std::size_t parts = 1 + number(3); parts != 0; --parts) {
      std::size_t const v = number(variables_.size());
      if (taken[v])
        continue;
      taken[v] = written;
      Region part = whole(v);
      std::size_t const n = part.places.size(), begin = number(n),
                        end = begin + 1 + number(n - begin);
      part.tensor = part.tensor.slice(begin, end);
      all.tensor = all.places.empty() ? part.tensor : concat(all.tensor, part.tensor);
      all.places.insert(all.places.end(), part.places.begin() + static_cast<std::ptrdiff_t>(begin),
                        part.places.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return all;
  }

  /// The first n elements, repeated if there are fewer.
  static Region sized(Region region, std::size_t n) {
    std::size_t const have = region.places.size(), times = (n + have - 1) / have;
    region.tensor = region.tensor.broadcast(static_cast<unsigned>(times), 0).slice(0, n);
    region.places.resize(n);
    for (std::size_t i = have; i < n; ++i)
      region.places[i] = region.places[i - have];
    return region;
  }

  Step nothing() {
    return {Sequence(), [](Memory &) {}};
  }

  Step copy() {
    std::vector<bool> none(variables_.size()), taken(variables_.size());
    Region const to = region(taken, true), any = region(none, false);
    if (to.places.empty())
      return nothing();
    Region const from = sized(any, to.places.size());
    return {Copy(from.tensor, to.tensor), [from, to](Memory &memory) {
              std::vector<int> values;
              for (std::size_t p : from.places)
                values.push_back(memory[p]);
              for (std::size_t i = 0; i < values.size(); ++i)
                memory[to.places[i]] = values[i];
            }};
  }

  /// Vertices that write different variables and read none that is written.
  Step compute() {
    ComputeSet const cs = graph_.addComputeSet();
    std::vector<bool> taken(variables_.size());
    std::vector<Region> outs;
    for (std::size_t n = 1 + number(3); n != 0; --n)
      if (Region out = region(taken, true); !out.places.empty())
        outs.push_back(std::move(out));
    std::vector<Action> actions;
    for (Region const &out : outs)
      actions.push_back(vertex(cs, taken, out));
    return {Execute(cs), [actions](Memory &memory) {
              for (Action const &act : actions)
                act(memory);
            }};
  }

  Action vertex(ComputeSet cs, std::vector<bool> &taken, Region const &out) {
    Region const a = region(taken, false), b = region(taken, false);
    if (a.places.empty() || b.places.empty() || oneIn(random_, 4)) {
      graph_.setTileMapping(graph_.addVertex(cs, "fuzzTest::Ramp", {{"x", out.tensor}}), tile());
      return [out](Memory &memory) {
        for (std::size_t i = 0; i < out.places.size(); ++i)
          memory[out.places[i]] = static_cast<int>(bits(memory[out.places[i]]) + unsigned(i));
      };
    }
    Region const wide = sized(a, out.places.size());
    int const factor = static_cast<int>(number(7)) - 3;
    VertexRef const v = graph_.addVertex(
        cs, "fuzzTest::Mix",
        {{"a", wide.tensor}, {"b", b.tensor}, {"out", out.tensor}, {"factor", factor}});
    graph_.setTileMapping(v, tile());
    return [=](Memory &memory) {
      for (std::size_t i = 0; i < out.places.size(); ++i)
        memory[out.places[i]] = static_cast<int>(bits(factor) * bits(memory[wide.places[i]]) +
                                                 bits(memory[b.places[i % b.places.size()]]));
    };
  }

  Step branch(unsigned depth) {
    std::size_t const v = number(variables_.size()), at = begins_[v];
    ComputeSet const cs = graph_.addComputeSet();
    graph_.setTileMapping(
        graph_.addVertex(cs, "fuzzTest::Odd", {{"x", variables_[v][0][0]}, {"flag", flag_}}),
        tile());
    Step const then = sequence(depth - 1), otherwise = sequence(depth - 1);
    return {Sequence(Execute(cs), If(flag_, then.program, otherwise.program)),
            [=](Memory &memory) { ((memory[at] & 1) != 0 ? then : otherwise).act(memory); }};
  }

  Step repeat(unsigned depth) {
    Step const body = sequence(depth - 1);
    unsigned const turns = static_cast<unsigned>(number(4));
    return {Repeat(turns, body.program), [=](Memory &memory) {
              for (unsigned i = 0; i < turns; ++i)
                body.act(memory);
            }};
  }

  Step call(unsigned depth) {
    Step const body = sequence(depth - 1);
    Function const function = graph_.addFunction(body.program);
    return {Sequence(Call(function), Call(function)), [body](Memory &memory) {
              body.act(memory);
              body.act(memory);
            }};
  }

  Step step(unsigned depth) {
    switch (number(depth == 0 ? 6 : 9)) {
    case 6:
      return repeat(depth);
    case 7:
      return branch(depth);
    case 8:
      return call(depth);
    default:
      return oneIn(random_, 2) ? copy() : compute();
    }
  }

  Random &random_;
  Graph graph_;
  std::vector<Tensor> variables_;
  std::vector<std::size_t> begins_, visible_;
  std::size_t size_ = 0;
  Tensor flag_;
};

} // namespace

int main(int argc, char **argv) {
  IPUModel model;
  model.tilesPerIPU = 5;
  Device const devices[] = {Device::createCPUDevice(), model.createDevice()};
  return fuzz::run("fuzz-graphs", argc, argv, [&](Random &random) {
    Device const &device = devices[below(random, 2)];
    Generator(random, device.getTarget()).check(device);
  });
}
