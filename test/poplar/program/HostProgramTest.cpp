// Programs that the host takes part in, and what they are made of: how they are put together.
#include <poplar/Graph.hpp>
#include <poplar/LateInitCallback.hpp>
#include <poplar/Program.hpp>
#include <poplar/RemoteBuffer.hpp>
#include <poplar/exceptions.hpp>

#include "../graph/GraphTestUtil.hpp"

#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

struct Fixture {
  Graph graph = test::graphWithTiles(4);
  Tensor a = graph.addVariable(FLOAT, {2, 3}, "a");
  Tensor flag = graph.addVariable(BOOL, {}, "flag");
  Tensor offsets = graph.addVariable(UNSIGNED_INT, {2}, "offsets");
  RemoteBuffer one = graph.addRemoteBuffer("one", FLOAT, 6);
  RemoteBuffer many = graph.addRemoteBuffer("many", FLOAT, 3, 10, true);
  HostFunction host = graph.addHostFunction("f", {{FLOAT, 6}, {BOOL, 1}}, {{FLOAT, 6}});
};

} // namespace

TEST_SUITE_BEGIN("poplar/program/host");

TEST_CASE_FIXTURE(Fixture, "a remote buffer tells what it was made with") {
  CHECK(many.handle() == "many");
  CHECK(many.numElements() == 3);
  CHECK(many.getRepeats() == 10);
  CHECK(many.elementType() == FLOAT);
  CHECK(many.isRearrangeOnHost());
  CHECK_FALSE(many.isOptimisedForMemory());
  CHECK(graph.addRemoteBuffer("late", HALF, 1, 1, false, true).isOptimisedForMemory());
  CHECK(many.getIpuToHostStream().type() == DataStreamType::DeviceToHostBuffer);
  CHECK(many.getHostToIpuStream().type() == DataStreamType::HostToDeviceBuffer);
  CHECK(many.getHostToIpuStream().numElements() == 3);
  CHECK(many.getHostToIpuStream().handle() == "many");
  RemoteBuffer const copy = many;
  CHECK(copy == many);
  CHECK(graph.addRemoteBuffer("many", FLOAT, 3, 10, true) == many);
  CHECK(many != one);
  CHECK(RemoteBuffer() == RemoteBuffer());
  test::checkThrows<poplar_error>([] { RemoteBuffer().handle(); },
                                  "RemoteBuffer::handle: the buffer is default-constructed");
}

TEST_CASE_FIXTURE(Fixture, "remote buffers that cannot be") {
  test::checkThrows<poplar_error>([&] { graph.addRemoteBuffer("many", FLOAT, 3, 9, true); },
                                  "the handle 'many' is taken by a buffer of 10 x 3 elements of "
                                  "type float; this one has 9 x 3");
  test::checkThrows<poplar_error>([&] { graph.addRemoteBuffer("many", HALF, 3, 10, true); },
                                  "elements of type half");
  test::checkThrows<poplar_error>([&] { graph.addRemoteBuffer("many", FLOAT, 3, 10); }, "flags");
  test::checkThrows<poplar_error>([&] { graph.addRemoteBuffer("x", FLOAT, 3, 0); }, "0 repeats");
  test::checkThrows<poplar_error>([&] { graph.addRemoteBuffer("x", Type(), 3); }, "unset");
  std::size_t const huge = std::size_t{1} << 40;
  test::checkThrows<poplar_error>([&] { graph.addRemoteBuffer("x", FLOAT, huge, huge); },
                                  "larger than any memory");
}

TEST_CASE_FIXTURE(Fixture, "copies of remote buffers check types, counts and offsets") {
  Copy(a, one);
  Copy(one, a.flatten());
  Copy(many, a, offsets);
  Copy(a[0], many, offsets[1]);
  test::checkThrows<poplar_error>(
      [&] { Copy(a[0], many); }, "the remote buffer 'many' has 10 repeats; name one with 'offset'");
  test::checkThrows<poplar_error>(
      [&] { Copy(one, a[0]); },
      "Copy: a row of the remote buffer 'one' has 6 elements, 'dst' has shape [3] with 3");
  test::checkThrows<poplar_error>([&] { Copy(a[0], many, offsets); },
                                  "2 rows of the remote buffer 'many' has 6 elements, 'src'");
  Tensor const ints = graph.addVariable(INT, {6}, "ints");
  test::checkThrows<type_error>([&] { Copy(ints, one); }, "'src' of type int");
  test::checkThrows<poplar_error>([&] { Copy(many, a, a[0].slice(0, 2)); },
                                  "'offset' has elements of type float");
  test::checkThrows<poplar_error>(
      [&] {
        Copy(many, a, offsets.reshape({2, 1}));
      },
      "'offset' has shape [2, 1]");
  test::checkThrows<poplar_error>([&] { Copy(one, a[0].expand({0}).broadcast(2, 0)); },
                                  "the same element more than once");
  test::checkThrows<poplar_error>([&] { Copy(RemoteBuffer(), a); }, "default-constructed");
  test::checkThrows<poplar_error>([&] { Copy(many.getHostToIpuStream(), a[0]); },
                                  "one half of the remote buffer 'many'");
  Graph other = test::graphWithTiles(1);
  test::checkThrows<poplar_error>([&] { Copy(other.addVariable(FLOAT, {6}), one); },
                                  "another graph");
}

TEST_CASE_FIXTURE(Fixture, "calls of host functions check their arguments") {
  Call(host, {a, flag}, {a});
  test::checkThrows<poplar_error>([&] { Call(host, {a}, {a}); },
                                  "Call: the host function 'f' has 2 inputs, and is called with 1");
  test::checkThrows<poplar_error>([&] { Call(host, {a, flag}, {}); }, "has 1 output, and");
  test::checkThrows<type_error>([&] { Call(host, {a, a[0][0]}, {a}); }, "'input[1]' of type float");
  test::checkThrows<poplar_error>(
      [&] {
        Call(host, {a[0], flag}, {a});
      },
      "'input[0]' has shape [3]");
  Tensor const zero = graph.addConstant(FLOAT, {6}, 0, "zero");
  Call(host, {zero, flag}, {a});
  test::checkThrows<poplar_error>([&] { Call(host, {a, flag}, {zero}); }, "constant");
  test::checkThrows<poplar_error>([&] { Call(HostFunction(), {}, {}); }, "addHostFunction");
  test::checkThrows<poplar_error>([&] { graph.addHostFunction("f", {}, {}); },
                                  "the handle 'f' is taken");
  test::checkThrows<poplar_error>(
      [&] {
        graph.addHostFunction("g", {{Type(), 2}}, {});
      },
      "argument 0 of 'g'");
  HostFunction const two = graph.addHostFunction("two", {}, {{FLOAT, 3}, {FLOAT, 3}});
  test::checkThrows<poplar_error>(
      [&] {
        Call(two, {}, {a[0], a[0]});
      },
      "output[0] and output[1] have elements in common");
}

TEST_CASE_FIXTURE(Fixture,
                  "errors, loops and blocks check their operands, compare and are listed") {
  test::checkThrows<control_program_error>([&] { AbortOnCondition{a}; },
                                           "AbortOnCondition: the predicate has shape [2, 3]");
  test::checkThrows<control_program_error>([&] { AbortOnCondition{a[0][0]}; },
                                           "type float; allowed are bool and the integer types");
  test::checkThrows<poplar_error>([&] { ErrorProgram("text", Tensor()); }, "invalid");
  test::checkThrows<poplar_error>([&] { Copy(FunctionBuffer(), graph.addFunction(Abort())); },
                                  "the function buffer is default-constructed");
  test::checkThrows<poplar_error>(
      [&] { graph.addFunctionBuffer(Function(), FunctionBufferMappingType::REMOTE); },
      "addFunction returned");
  CHECK(Copy(one, a) == Copy(one, a, "name"));
  CHECK_FALSE(Copy(one, a) == Copy(a, one));
  CHECK_FALSE(Loop(Abort()) == Block(Abort()));
  CHECK_FALSE(ErrorProgram("x", a) == ErrorProgram("y", a));
  std::ostringstream out;
  dumpProgram(
      graph,
      Sequence({Copy(many, a, offsets), Call(host, {a, flag}, {a}), Loop(Abort("stop", "here")),
                Block(AbortOnCondition(flag), "block"), ErrorProgram("bad", flag)}),
      out);
  CHECK(out.str() ==
        "Sequence\n"
        "  RemoteToDevice: remote buffer 'many': float{2,3} a -> unsigned int{2} offsets\n"
        "  HostCall: host function 'f': float{2,3} a -> bool{} flag -> float{2,3} a\n"
        "  Loop\n"
        "    Abort 'here': \"stop\"\n"
        "  Block 'block'\n"
        "    Abort: \"\": bool{} flag\n"
        "  ErrorProgram: \"bad\": bool{} flag\n");
}

TEST_CASE("a late initialiser sees where fields lie") {
  LateInitCallback<unsigned> const callback = [](VertexEdgeInfo const &info) {
    return static_cast<unsigned>(info.storage.at("in")[0].startOffs) + info.storage.at("in")[0].len;
  };
  VertexEdgeInfo info;
  info.storage["in"] = {{40, 2}};
  CHECK(callback(info) == 42);
}

TEST_SUITE_END();
