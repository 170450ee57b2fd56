#include "Graphs.hpp"

#include <poplar/Engine.hpp>
#include <poputil/GraphFunction.hpp>

TEST_SUITE_BEGIN("poputil/graphFunction");

using namespace graphs;
using namespace poputil::graphfn;
using poplar::FLOAT;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;
using Values = std::vector<float>;

namespace {

struct Fixture {
  poplar::Device device = poplar::Device::createCPUDevice();
  poplar::Graph graph{device};
  Sequence prog;

  Tensor variable(Values const &values) {
    Tensor const t = graph.addVariable(FLOAT, {values.size()});
    graph.setTileMapping(t, 0);
    graph.setInitialValue(t, poplar::ArrayRef<float>(values));
    return t;
  }
  Values read(Tensor const &t) {
    std::string const handle = "out" + std::to_string(reads_++);
    graph.createHostRead(handle, t);
    poplar::Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    Values values(t.numElements());
    engine.readTensor(handle, gccs::ArrayRef<float>(values));
    return values;
  }
  int reads_ = 0;
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "inputs go in, outputs come out, both do both") {
  for (bool inlined : {false, true}) {
    CAPTURE(inlined);
    Tensor const a = variable({1, 2}), b = variable({3, 4}), c = variable({5, 6});
    Tensor const d = variable({7, 8}), e = variable({9, 10}), f = variable({11, 12});
    int calls = 0;
    VoidFunction swap(
        graph, {input(a, "a"), output(b), inout(c, "c")},
        [&](Tensors &args, Sequence &seq) {
          ++calls;
          REQUIRE(args.size() == 3);
          CHECK_FALSE(args[0].intersectsWith(a));
          seq.add(Copy(args[2], args[1]));
          seq.add(Copy(args[0], args[2]));
        },
        inlined);
    prog = Sequence();
    Tensors args{a, b, c};
    swap(args, prog);
    VoidFunction moved(std::move(swap));
    args = {d, e, f};
    moved(args, prog);
    CHECK(calls == 1);
    CHECK(args[1] == e);
    CHECK(read(poplar::concat({a, b, c, d, e, f})) == Values{1, 2, 5, 6, 1, 2, 7, 8, 11, 12, 7, 8});
  }
}

TEST_CASE_FIXTURE(Fixture, "created arguments are new tensors in every call") {
  Tensor const a = variable({1, 2}), b = variable({3, 4});
  VoidFunction twice(graph, {input(a), created("pair")},
                     [&](Tensors &args, Sequence &seq, poplar::DebugNameAndId const &) {
                       CHECK_FALSE(args[1].valid());
                       args[1] = graph.addVariable(FLOAT, {2, 2});
                       graph.setTileMapping(args[1], 0);
                       seq.add(Copy(args[0], args[1][0]));
                       seq.add(Copy(args[0], args[1][1]));
                     });
  Tensors first{a, Tensor()}, second{b, Tensor()};
  twice(first, prog);
  twice(second, prog);
  CHECK_FALSE(first[1].intersectsWith(second[1]));
  CHECK(read(poplar::concat(first[1].flatten(), second[1].flatten())) ==
        Values{1, 2, 1, 2, 3, 4, 3, 4});
}

TEST_CASE_FIXTURE(Fixture, "a result may be a tensor of the function's own") {
  Tensor const a = variable({1, 2}), b = variable({0, 0});
  VoidFunction reversed(graph, {input(a), output(b)},
                        [](Tensors &args, Sequence &) { args[1] = args[0].reverse(0); });
  Tensors args{a, b};
  reversed(args, prog);
  CHECK(read(b) == Values{2, 1});
}

TEST_CASE_FIXTURE(Fixture, "programs as code and as calls") {
  Tensor const a = variable({1, 2}), b = variable({0, 0});
  ProgramFunction copy(graph, {input(a), output(b)},
                       [](Tensors &args) -> Program { return Copy(args[0], args[1]); });
  ProgramFunction named(graph, {input(a), output(b)},
                        [](Tensors &args, poplar::DebugNameAndId const &) -> Program {
                          return Copy(args[0], args[1]);
                        });
  Tensor const c = variable({0, 0});
  Tensors args{a, b}, other{b, c};
  prog.add(copy(args));
  prog.add(named(other));
  CHECK(read(c) == Values{1, 2});
}

TEST_CASE_FIXTURE(Fixture, "functions with a result") {
  Tensor const a = variable({1, 2}), b = variable({3, 4});
  TensorFunction reversed(graph, {input(a, "a")},
                          [](Tensors &args, Sequence &) { return args[0].reverse(0); });
  TensorFunction same(
      graph, {input(a, "a")},
      [](Tensors &args, Sequence &, poplar::DebugNameAndId const &) { return args[0]; }, true);
  Tensors args{a}, other{b};
  Tensor const x = reversed(args, prog), y = reversed(other, prog), z = same(other, prog);
  CHECK(args.size() == 1);
  CHECK(args[0] == a);
  CHECK(read(poplar::concat({x, y, z})) == Values{2, 1, 4, 3, 3, 4});
}

TEST_CASE_FIXTURE(Fixture, "errors name the argument") {
  Tensor const a = variable({1, 2});
  auto const nothing = [](Tensors &, Sequence &) {};
  VoidFunction function(graph, {input(a, "a"), output(a)}, nothing);
  Tensors none, invalid{a, Tensor()}, longer{variable({1, 2, 3}), a};
  CHECK(messageOf([&] { function(none, prog); }) ==
        "poputil::graphfn: 0 arguments for a function of 2");
  CHECK(messageOf([&] { function(invalid, prog); }) ==
        "poputil::graphfn: argument 1 is an invalid tensor");
  CHECK(messageOf([&] { function(longer, prog); }) ==
        "poputil::graphfn: argument 0 ('a') has shape [3] of type float; it must be [2] of type "
        "float");
  CHECK(messageOf([&] { VoidFunction(graph, {created("c")}, nothing); }) ==
        "poputil::graphfn: the function left argument 0 ('c') unset");
  CHECK(messageOf([&] { VoidFunction(graph, {input(Tensor(), "c")}, nothing); }) ==
        "poputil::graphfn: the similar tensor of argument 0 ('c') is invalid");
}

TEST_CASE_FIXTURE(Fixture, "functions that are empty are refused") {
  using Name = poplar::DebugNameAndId;
  char const *const empty =
      "poputil::graphfn: the function is empty; it must be one that can be called";
  CHECK(messageOf([&] { VoidFunction(graph, {}, std::function<void(Tensors &, Sequence &)>()); }) ==
        empty);
  CHECK(messageOf([&] {
          VoidFunction(graph, {}, std::function<void(Tensors &, Sequence &, Name const &)>());
        }) == empty);
  CHECK(messageOf([&] { ProgramFunction(graph, {}, std::function<Program(Tensors &)>()); }) ==
        empty);
  CHECK(messageOf([&] {
          ProgramFunction(graph, {}, std::function<Program(Tensors &, Name const &)>());
        }) == empty);
  CHECK(messageOf([&] {
          TensorFunction(graph, {}, std::function<Tensor(Tensors &, Sequence &)>());
        }) == empty);
  CHECK(messageOf([&] {
          TensorFunction(graph, {}, std::function<Tensor(Tensors &, Sequence &, Name const &)>());
        }) == empty);
}

TEST_SUITE_END();
