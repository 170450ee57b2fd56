// Random programs against an interpreter that knows element lists only: what lives where, which
// copies were merged and which variables share memory must never show.
#include "Vertices.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

/// Contents of all variables, by variable number.
using State = std::vector<std::vector<int>>;
struct Element {
  std::size_t var, offset;
};
/// A one-dimensional view and the same as a list of elements.
struct Both {
  Tensor tensor;
  std::vector<Element> elements;
};
/// A program and the same as a function.
struct Step {
  Program program;
  std::function<void(State &)> naive;
};

class Generator {
public:
  Generator(Graph &graph, std::mt19937 &random) : graph_(graph), random_(random) {
    std::size_t const numVars = 4 + below(8);
    for (std::size_t i = 0; i < numVars; ++i) {
      visible_.push_back(below(3) == 0);
      std::string const name = "v" + std::to_string(i);
      std::size_t const size = 1 + below(12);
      vars_.push_back(visible_[i] ? variable(graph, INT, {size}, name, below(4))
                                  : temporary(graph, INT, {size}, name, below(4)));
      sizes_.push_back(size);
    }
    flag_ = temporary(graph, BOOL, {}, "flag");
  }

  State fresh() const {
    State state;
    for (std::size_t size : sizes_)
      state.emplace_back(size, 0);
    return state;
  }
  std::size_t numVars() const { return vars_.size(); }
  bool visible(std::size_t var) const { return visible_[var]; }
  std::size_t size(std::size_t var) const { return sizes_[var]; }

  Step sequence(unsigned depth) {
    Sequence all;
    std::vector<std::function<void(State &)>> steps;
    for (std::size_t i = 0, n = 1 + below(5); i < n; ++i) {
      Step const next = step(depth);
      all.add(next.program);
      steps.push_back(next.naive);
    }
    return {all, [steps](State &state) {
              for (auto const &next : steps)
                next(state);
            }};
  }

private:
  unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }

  Both whole(std::size_t var) const {
    Both both{vars_[var], {}};
    for (std::size_t i = 0; i < sizes_[var]; ++i)
      both.elements.push_back({var, i});
    return both;
  }
  static Both slice(Both const &from, std::size_t begin, std::size_t end) {
    return {from.tensor.slice(begin, end),
            {from.elements.begin() + static_cast<std::ptrdiff_t>(begin),
             from.elements.begin() + static_cast<std::ptrdiff_t>(end)}};
  }
  /// `n` elements of random views; distinct ones if the result is to be written.
  Both view(std::size_t n, bool distinct) {
    std::vector<std::size_t> order(vars_.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    Both all;
    for (std::size_t i = 0; all.elements.size() < n; ++i) {
      if (i == order.size() && distinct)
        return view(all.elements.size(), true);
      Both part = whole(order[i % order.size()]);
      if (below(3) == 0) {
        std::size_t const begin = below(part.elements.size());
        part = slice(part, begin, begin + 1 + below(part.elements.size() - begin));
      }
      if (below(3) == 0) {
        part.tensor = part.tensor.reverse(0);
        std::reverse(part.elements.begin(), part.elements.end());
      }
      part = slice(part, 0, std::min(part.elements.size(), n - all.elements.size()));
      all.tensor = all.elements.empty() ? part.tensor : concat(all.tensor, part.tensor);
      all.elements.insert(all.elements.end(), part.elements.begin(), part.elements.end());
    }
    return all;
  }

  Step copy() {
    // Copies of whole variables are what liveness feeds on.
    Both const to = below(2) == 0 ? whole(below(vars_.size())) : view(1 + below(15), true);
    Both const from = view(to.elements.size(), false);
    Sequence program;
    if (below(6) == 0 && !overlap(from, to))
      program.add(WriteUndef(to.tensor));
    program.add(Copy(from.tensor, to.tensor));
    return {program, [from, to](State &state) {
              std::vector<int> values;
              for (Element const &e : from.elements)
                values.push_back(state[e.var][e.offset]);
              for (std::size_t i = 0; i < values.size(); ++i)
                state[to.elements[i].var][to.elements[i].offset] = values[i];
            }};
  }
  static bool overlap(Both const &a, Both const &b) { return a.tensor.intersectsWith(b.tensor); }

  /// A compute set of one or two vertices out = in + 1 on distinct elements.
  Step compute() {
    Both to = below(2) == 0 ? whole(below(vars_.size())) : view(1 + below(15), true);
    Both from = view(to.elements.size(), false);
    if (overlap(from, to))
      return bump();
    ComputeSet const cs = graph_.addComputeSet();
    std::size_t const n = to.elements.size(), cut = below(n + 1);
    for (auto const &[begin, end] : {std::pair<std::size_t, std::size_t>{0, cut}, {cut, n}})
      if (begin != end)
        graph_.setTileMapping(graph_.addVertex(cs, "engineTest::AddOneMulti",
                                               {{"in", from.tensor.slice(begin, end)},
                                                {"out", to.tensor.slice(begin, end)}}),
                              below(graph_.getTarget().getNumTiles()));
    return {Execute(cs), [from, to](State &state) {
              for (std::size_t i = 0; i < from.elements.size(); ++i)
                state[to.elements[i].var][to.elements[i].offset] =
                    state[from.elements[i].var][from.elements[i].offset] + 1;
            }};
  }

  Step bump() {
    std::size_t const var = below(vars_.size()), at = below(sizes_[var]);
    int const by = static_cast<int>(below(7)) - 3;
    return {countUp(graph_, vars_[var].slice(at, at + 1), by),
            [var, at, by](State &state) { state[var][at] += by; }};
  }

  Step choose(unsigned depth) {
    std::size_t const var = below(vars_.size()), at = below(sizes_[var]);
    Step const yes = sequence(depth - 1),
               no = below(2) == 0 ? sequence(depth - 1) : Step{Sequence(), [](State &) {}};
    Tensor const control = vars_[var].slice(at, at + 1);
    if (below(2) == 0)
      return {If(control, yes.program, no.program),
              [=](State &state) { (state[var][at] != 0 ? yes : no).naive(state); }};
    Step const other = sequence(depth - 1);
    return {Switch(control, {{0, yes.program}, {2, other.program}}, no.program), [=](State &state) {
              int const value = state[var][at];
              (value == 0 ? yes : value == 2 ? other : no).naive(state);
            }};
  }

  /// At most three turns, whatever the body does to the counter.
  Step loop(unsigned depth) {
    Step const body = sequence(depth - 1);
    if (below(2) == 0) {
      unsigned const turns = below(4);
      return {Repeat(turns, body.program), [=](State &state) {
                for (unsigned i = 0; i < turns; ++i)
                  body.naive(state);
              }};
    }
    Tensor const counter = temporary(graph_, INT, {1}, "counter");
    Tensor const zero = graph_.addConstant<int>(INT, {1}, 0);
    graph_.setTileMapping(zero, 0);
    Step const before = bump();
    int const turns = static_cast<int>(below(4));
    Sequence const condition({before.program, testBelow(graph_, counter, flag_, turns)});
    Sequence const whole(
        {Copy(zero, counter),
         RepeatWhileTrue(condition, flag_, Sequence({body.program, countUp(graph_, counter, 1)}))});
    return {whole, [=](State &state) {
              for (int i = 0;; ++i) {
                before.naive(state);
                if (i >= turns)
                  return;
                body.naive(state);
              }
            }};
  }

  Step step(unsigned depth) {
    switch (below(depth == 0 ? 6 : 9)) {
    case 0:
    case 1:
    case 2:
      return copy();
    case 3:
    case 4:
      return compute();
    case 5:
      return bump();
    case 6:
      return choose(depth);
    case 7:
      return loop(depth);
    default: {
      Step const body = sequence(depth - 1), between = bump();
      Call const call(graph_.addFunction(body.program));
      return {Sequence({call, between.program, call}), [=](State &state) {
                body.naive(state);
                between.naive(state);
                body.naive(state);
              }};
    }
    }
  }

  Graph &graph_;
  std::mt19937 &random_;
  std::vector<Tensor> vars_;
  std::vector<std::size_t> sizes_;
  std::vector<bool> visible_;
  Tensor flag_;
};

/// Builds a graph of several random programs and runs them in random order.
void checkOne(Device const &device, unsigned seed, OptionFlags const &options) {
  CAPTURE(seed);
  std::mt19937 random(seed);
  Graph graph(device.getTarget());
  Generator generator(graph, random);
  std::vector<Step> steps;
  std::vector<Program> programs;
  for (std::size_t i = 0, n = 1 + random() % 3; i < n; ++i) {
    steps.push_back(generator.sequence(3));
    programs.push_back(steps.back().program);
  }
  Engine engine(graph, programs, options);
  engine.load(device);
  State state = generator.fresh();
  for (std::size_t var = 0; var < generator.numVars(); ++var)
    if (generator.visible(var)) {
      for (int &value : state[var])
        value = static_cast<int>(random() % 5) - 1;
      write(engine, "v" + std::to_string(var), state[var]);
    }
  for (unsigned run = 0; run < 4; ++run) {
    std::size_t const program = random() % programs.size();
    engine.run(static_cast<unsigned>(program));
    steps[program].naive(state);
    for (std::size_t var = 0; var < generator.numVars(); ++var)
      if (generator.visible(var)) {
        CAPTURE(run);
        CAPTURE(var);
        REQUIRE(read<int>(engine, "v" + std::to_string(var), generator.size(var)) == state[var]);
      }
  }
}

} // namespace

TEST_SUITE("poplar/engine/random") {
  TEST_CASE("random programs do what their elements say") {
    Device const cpu = Device::createCPUDevice();
    for (unsigned seed = 0; seed < 600; ++seed)
      checkOne(cpu, seed, {});
  }

  TEST_CASE("random programs on an IPU Model") {
    Device const model = modelDevice();
    for (unsigned seed = 1000; seed < 1150; ++seed)
      checkOne(model, seed, {});
  }

  TEST_CASE("random programs on one thread only") {
    Device const cpu = Device::createCPUDevice();
    for (unsigned seed = 2000; seed < 2100; ++seed)
      checkOne(cpu, seed, {{"debug.cpuMultiThreadExecution", "false"}});
  }
}
