// Programs of library operations with loops, branches and functions, on views of variables that
// they share and of each other's results; compiled at once or by way of a serialised executable,
// run twice, and compared with the same steps on the host.
#include "ProgramOperations.hpp"

#include <poplar/Executable.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>

using namespace poplar;
using namespace poplar::program;
using namespace popops::expr;
using fuzz::oneIn;
using fuzz::Part;
using fuzz::Random;
using fuzz::View;

namespace {

class Generator : public fuzz::ProgramOperations {
public:
  using ProgramOperations::ProgramOperations;

  void check() {
    for (Type const &type : {FLOAT, FLOAT, HALF, HALF, INT, UNSIGNED_INT})
      addVariable(type);
    Part all;
    addSome(all, 3 + number(22), 0);
    // What is read lives on, and what is not may make room for others.
    for (std::size_t i = 0; i != values_.size(); ++i)
      if (oneIn(random_, 2))
        graph_.createHostRead("value" + std::to_string(i), values_[i].view.tensor, true),
            read_.push_back(i);
    Engine engine = compiled(all.prog);
    engine.load(device_);
    views_.write(engine);
    for (int run = 0; run != 2; ++run) {
      engine.run(0);
      all.run();
      // Numbers, not bits: which zero the largest of 0 and -0 is is open.
      for (Value const &variable : variables_)
        compare(engine, variable.view.places[0].first->handle, variable);
      for (std::size_t const i : read_)
        compare(engine, "value" + std::to_string(i), values_[i]);
    }
  }

private:
  Engine compiled(Program const &prog) {
    OptionFlags options;
    if (oneIn(random_, 2))
      options.set("engine.numThreads", oneIn(random_, 2) ? "3" : "1");
    std::size_t const way = number(3);
    if (way == 0)
      return Engine(top_, prog, options);
    Executable executable = compileGraph(top_, {prog}, options);
    if (way == 1)
      return Engine(std::move(executable), options);
    std::stringstream file;
    executable.serialize(file);
    return Engine(Executable::deserialize(file), options);
  }
  void compare(Engine &engine, std::string const &handle, Value const &value) const {
    fuzz::expectNumbers(engine, handle, codec_, value.type, numbers(value.view), 0, story_);
  }

  void addSome(Part &block, std::size_t count, std::size_t depth) {
    for (; count != 0; --count)
      add(block, depth);
  }
  void add(Part &block, std::size_t depth) {
    using Add = void (Generator::*)(Part &, std::size_t);
    constexpr std::pair<char const *, Add> blocks[] = {{"repeat", &Generator::addRepeat},
                                                       {"if", &Generator::addIf},
                                                       {"switch", &Generator::addSwitch},
                                                       {"call", &Generator::addCalls}};
    if (depth < 3 && oneIn(random_, 6)) {
      auto const &[name, function] = blocks[number(std::size(blocks))];
      tell(name, depth);
      return (this->*function)(block, depth + 1);
    }
    addOperation(block, depth);
  }

  void addRepeat(Part &block, std::size_t depth) {
    auto const times = static_cast<unsigned>(1 + number(3));
    Part body;
    addSome(body, 1 + number(4), depth);
    if (oneIn(random_, 4))
      block.prog.add(popops::countedLoop(graph_, times, [&](Tensor const &) { return body.prog; }));
    else
      block.prog.add(Repeat(times, body.prog));
    block.steps.push_back([body, times] {
      for (unsigned i = 0; i != times; ++i)
        body.run();
    });
  }
  /// What a branch makes is not there behind it.
  Part branch(std::size_t most, std::size_t depth) {
    std::size_t const before = values_.size();
    Part result;
    addSome(result, number(most + 1), depth);
    values_.resize(before, values_.front());
    return result;
  }
  void addIf(Part &block, std::size_t depth) {
    View const x = pickOf(someType(), {});
    Tensor const isPositive = popops::map(graph_, _1 > Const(0), {x.tensor}, block.prog);
    Part const yes = branch(3, depth), no = branch(2, depth);
    block.prog.add(If(isPositive, yes.prog, no.prog));
    block.steps.push_back([=, this] { (numbers(x)[0] > 0 ? yes : no).run(); });
  }
  void addSwitch(Part &block, std::size_t depth) {
    View const any = offsets(block, {}, 3);
    Tensor const which = popops::cast(graph_, any.tensor, INT, block.prog);
    std::vector<Part> const cases = {branch(3, depth), branch(3, depth)};
    Switch choice(which);
    for (std::size_t i = 0; i != cases.size(); ++i)
      choice.add(static_cast<std::int32_t>(i), cases[i].prog);
    block.prog.add(choice);
    block.steps.push_back([=, this] {
      auto const i = static_cast<std::size_t>(numbers(any)[0]);
      if (i < cases.size())
        cases[i].run();
    });
  }
  void addCalls(Part &block, std::size_t depth) {
    Part body;
    addSome(body, 1 + number(3), depth);
    Function const function = graph_.addFunction(body.prog);
    for (std::size_t times = 1 + number(3); times != 0; --times) {
      block.prog.add(Call(function));
      block.steps.push_back([body] { body.run(); });
    }
  }

  std::vector<std::size_t> read_;
};

} // namespace

int main(int argc, char **argv) {
  Device const cpu = Device::createCPUDevice();
  IPUModel model;
  model.tilesPerIPU = 16;
  Device const tiles = model.createDevice();
  return fuzz::run("fuzz-programs", argc, argv, [&](Random &random) {
    Generator(random, oneIn(random, 2) ? tiles : cpu).check();
  });
}
