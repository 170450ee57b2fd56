// Variables, constants, mappings, virtual graphs, functions, host handles.
#include "Conformance.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <poplar/CodeletFileType.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace conformance;

TEST_SUITE("conformance/graphs") {
  TEST_CASE("constants convert from host types") {
    onDevices([](Device const &device) {
      Graph graph(device);
      std::vector<Tensor> constants = {
          graph.addConstant<float>(FLOAT, {4}, {1.0, 1.5, 2.0, 2.5}),
          graph.addConstant(FLOAT, {2}, 3),
          graph.addConstant(FLOAT, {}, std::size_t{7}),
          graph.addConstant(HALF, {1}, 0.1),
          graph.addConstantHalf(HALF, {1}, std::uint16_t{0x3c00}),
          graph.addConstant(INT, {2}, -5.0f),
          graph.addConstant(BOOL, {}, true),
          graph.addConstant(FLOAT, {1}, std::numeric_limits<float>::infinity())};
      for (std::size_t i = 0; i != constants.size(); ++i) {
        graph.setTileMapping(constants[i], 0);
        graph.createHostRead("c" + std::to_string(i), constants[i]);
      }
      Engine engine(graph, Sequence());
      engine.load(device);
      CHECK(get<float>(engine, "c0", 4) == std::vector<float>{1, 1.5f, 2, 2.5f});
      CHECK(get<float>(engine, "c1", 2) == std::vector<float>{3, 3});
      CHECK(get<float>(engine, "c2", 1) == std::vector<float>{7});
      CHECK(get<std::uint16_t>(engine, "c3", 1)[0] == IeeeHalf(0.1f).bit16());
      CHECK(get<std::uint16_t>(engine, "c4", 1)[0] == 0x3c00);
      CHECK(get<int>(engine, "c5", 2) == std::vector<int>{-5, -5});
      CHECK(get<char>(engine, "c6", 1)[0] == 1);
      CHECK(std::isinf(get<float>(engine, "c7", 1)[0]));
      CHECK_THROWS_AS(graph.addConstant<int>(INT, {3}, {1, 2}), poplar_error);
      CHECK_THROWS_AS(graph.addConstant(UNSIGNED_CHAR, {}, 300), overflow_error);
      CHECK_THROWS_AS(graph.createHostWrite("w", constants[0]), poplar_error);
    });
  }

  TEST_CASE("initial values hold at every load, and not at every run") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const x = variable(graph, INT, {4}, "x"), h = variable(graph, HALF, {2}, "h");
      graph.setInitialValue(x, 1);
      graph.setInitialValue<int>(x.slice(1, 3), {5, 6});
      graph.setInitialValue(x[2], 7);
      graph.setInitialValueHalf(h, ArrayRef<std::uint16_t>({0x3c00, 0x4000}));
      Engine engine(graph, Copy(constant<int>(graph, INT, {1}, {9}), x.slice(0, 1)));
      engine.load(device);
      CHECK(get<int>(engine, "x", 4) == std::vector<int>{1, 5, 7, 1});
      CHECK(get<std::uint16_t>(engine, "h", 2) == std::vector<std::uint16_t>{0x3c00, 0x4000});
      engine.run();
      CHECK(get<int>(engine, "x", 4) == std::vector<int>{9, 5, 7, 1});
      engine.run();
      engine.load(device);
      CHECK(get<int>(engine, "x", 4) == std::vector<int>{1, 5, 7, 1});
      CHECK_THROWS_AS(graph.setInitialValue<int>(x, {1, 2}), poplar_error);
    });
  }

  TEST_CASE("a linear mapping spreads elements over the tiles in order") {
    Graph graph(smallModel(4));
    Tensor const t = graph.addVariable(FLOAT, {8}, VariableMappingMethod::LINEAR, "t");
    auto const mapping = graph.getTileMapping(t);
    REQUIRE(mapping.size() == 4);
    for (std::size_t tile = 0; tile != 4; ++tile)
      CHECK(mapping[tile] == std::vector<Interval>{{2 * tile, 2 * tile + 2}});
    CHECK(toString(VariableMappingMethod::LINEAR) == "LINEAR");
  }

  TEST_CASE("mappings are set through views, merged, and checked") {
    Graph graph(smallModel(4));
    Tensor const t = graph.addVariable(FLOAT, {2, 3});
    bool complete = true;
    graph.getTileMapping(t, &complete);
    CHECK_FALSE(complete);
    CHECK_THROWS_AS(graph.getTileMapping(t), invalid_tile_mapping);
    graph.setTileMapping(t, 1);
    graph.setTileMapping(t[1][1], 3);
    auto const mapping = graph.getTileMapping(t);
    CHECK(mapping[1] == std::vector<Interval>{{0, 4}, {5, 6}});
    CHECK(mapping[3] == std::vector<Interval>{{4, 5}});
    CHECK(graph.getTileMapping(t.transpose())[3] == std::vector<Interval>{{3, 4}});
    CHECK(graph.getVariableTileMapping(t[0]) == mapping);
    CHECK_THROWS_AS(graph.setTileMapping(t, 4), poplar_error);
    CHECK_THROWS_AS(graph.setTileMapping(t, {{{0, 7}}}), poplar_error);
    Tensor const u = graph.clone(t);
    graph.setTileMapping(u, {{}, {{0, 6}}});
    CHECK(graph.getTileMapping(u)[1] == std::vector<Interval>{{0, 6}});
    Engine(graph, Copy(t, u));
    Tensor const lost = graph.addVariable(FLOAT, {6}, "lost");
    CHECK_THROWS_AS(Engine(graph, Copy(t.flatten(), lost)), invalid_tile_mapping);
  }

  TEST_CASE("virtual graphs number some of the tiles") {
    Graph graph(smallModel(8, 2));
    CHECK(graph.createVirtualGraph(3).getTarget().getNumTiles() == 6);
    Graph part = graph.createVirtualGraph(4, 12);
    CHECK(part.getTarget().getNumTiles() == 8);
    CHECK(part.convertTileToTopLevelGraphTile(1) == 5);
    CHECK(part.convertTopLevelGraphTileToTile(6) == 2);
    Tensor const t = part.addVariable(FLOAT, {8}, VariableMappingMethod::LINEAR);
    CHECK(graph.getTileMapping(t)[4] == std::vector<Interval>{{0, 1}});
    CHECK(graph.getTileMapping(t)[11] == std::vector<Interval>{{7, 8}});
    Graph const top = part.getTopLevelGraph();
    CHECK(top.getTarget().getNumTiles() == 16);
    Graph odd = graph.createVirtualGraph(std::vector<unsigned>{7, 5});
    CHECK(odd.getTarget().getNumTiles() == 4);
    CHECK(odd.convertTileToTopLevelGraphTile(0) == 7);
    CHECK_THROWS_AS(odd.getTileMapping(t), invalid_tile_mapping);
    CHECK(odd.getTileMapping(t, false, true).size() == 4);
  }

  TEST_CASE("a function is called from several places") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const x = variable(graph, INT, {3}, "x"), y = variable(graph, INT, {3}, "y");
      Sequence body{Copy(x, y), Copy(y.slice(0, 2), x.slice(1, 3))};
      Function const f = graph.addFunction(body);
      body.add(Copy(constant<int>(graph, INT, {3}, {0, 0, 0}), x)); // no part of the function
      CHECK(f == Function(f.getId()));
      Engine engine(graph, Sequence{Call(f), Repeat(1, Call(f))});
      engine.load(device);
      put<int>(engine, "x", {1, 2, 3});
      engine.run();
      CHECK(get<int>(engine, "x", 3) == std::vector<int>{1, 1, 1});
    });
  }

  TEST_CASE("host handles name any view, in its own order") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const t = variable(graph, INT, {2, 3}, "t");
      graph.createHostWrite("turned", t.transpose(), true);
      graph.createHostRead("pair", concat(t[1].slice(0, 1), t[0].slice(2, 3)));
      CHECK_THROWS_AS(graph.createHostRead("t", t), poplar_error);
      CHECK_THROWS_AS(graph.createHostWrite("twice", t[0].broadcast(2, 0)), poplar_error);
      Engine engine(graph, Sequence());
      engine.load(device);
      put(engine, "turned", counting(6));
      CHECK(get<int>(engine, "t", 6) == std::vector<int>{0, 2, 4, 1, 3, 5});
      CHECK(get<int>(engine, "pair", 2) == std::vector<int>{1, 4});
      int small = 0;
      CHECK_THROWS_AS(engine.readTensor("t", &small, &small + 1), poplar_error);
      CHECK_THROWS_AS(engine.readTensor("none", &small, &small + 1), poplar_error);
    });
  }

  TEST_CASE("declaring a stream again gives the same stream, and another kind is an error") {
    Graph graph(smallModel());
    DataStream const in = graph.addHostToDeviceFIFO("s", FLOAT, 4, ReplicatedStreamMode::BROADCAST,
                                                    {{"bufferingDepth", "2"}});
    CHECK(in.handle() == "s");
    CHECK(in.numElements() == 4);
    CHECK(in.elementType() == FLOAT);
    CHECK(isHostToDevice(in.type()));
    CHECK_FALSE(isDeviceToHost(in.type()));
    CHECK_FALSE(isRemoteBuffer(in.type()));
    CHECK(in.replicatedMode() == ReplicatedStreamMode::BROADCAST);
    CHECK_NOTHROW(graph.addHostToDeviceFIFO("s", FLOAT, 4, ReplicatedStreamMode::BROADCAST,
                                            {{"bufferingDepth", "2"}}));
    CHECK_THROWS_AS(graph.addHostToDeviceFIFO("s", FLOAT, 5), poplar_error);
    CHECK_THROWS_AS(graph.addDeviceToHostFIFO("s", FLOAT, 4), poplar_error);
    CHECK_THROWS_AS(graph.addDeviceToHostFIFO("t", FLOAT, 4, {{"bufferingDepth", "0"}}),
                    invalid_option);
    CHECK_THROWS_AS(graph.addDeviceToHostFIFO("u", FLOAT, 4, {{"depth", "1"}}), invalid_option);
    CHECK_THROWS_AS(DataStream().handle(), poplar_error);
  }

  TEST_CASE("graphs are made from targets and devices, moved, and stored") {
    Device const device = Device::createCPUDevice();
    std::vector<Graph> graphs;
    graphs.emplace_back(device);
    graphs.push_back(Graph(device.getTarget()));
    graphs.emplace_back(device, 0, replication_factor(1)); // an older form
    Graph empty;
    CHECK_THROWS_AS(empty.addComputeSet(), poplar_error);
    empty = std::move(graphs[0]);
    CHECK(empty.addVariable(FLOAT, {2}).numElements() == 2);
    Graph const constant(device, replication_factor(1));
    CHECK(constant.getReplicationFactor() == 1);
    CHECK(constant.getNumVertices() == 0);
    CHECK(std::string(versionString()).find('.') != std::string::npos);
    CHECK_FALSE(packageHash().empty());
  }

  TEST_CASE("kinds of codelet files") {
    CHECK(getCodeletFileType("a/b.cpp") == CodeletFileType::CppSource);
    CHECK(getCodeletFileType("b.gp") == CodeletFileType::Object);
    CHECK(getCodeletFileType("b.c") == CodeletFileType::CSource);
    CHECK(std::string(getExtensionFromFileType(CodeletFileType::CppSource)) == ".cpp");
    CHECK(std::string(getLanguageOption(CodeletFileType::CppSource)) == "c++");
  }

  TEST_CASE("files of codelets that are not there") {
    Graph graph(Device::createCPUDevice());
    CHECK_THROWS_AS(graph.addCodelets("missing.cpp"), file_load_error);
    CHECK_THROWS_AS(graph.addCodelets("missing.gp"), file_load_error);
  }
}
