// A foreign program, C++11, that adds a file of codelets (a source, or what popc made of it), runs
// one of them and lets another one fail. Prints one line and returns 0 when all is right; what went
// wrong goes to the standard error.
#include <cstdio>
#include <exception>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <string>
#include <vector>

using namespace poplar;

static float run(const char *file, const std::string &vertexType, float x) {
  Device device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  graph.addCodelets(file);
  Tensor in = graph.addVariable(FLOAT, {1}, "in"), out = graph.addVariable(FLOAT, {1}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 0);
  graph.setInitialValue<float>(in, ArrayRef<float>(&x, 1));
  ComputeSet cs = graph.addComputeSet("cs");
  VertexRef v = graph.addVertex(cs, vertexType, {{"in", in[0]}});
  if (vertexType == "Scale") {
    graph.connect(v["out"], out[0]);
    graph.setInitialValue(v["factor"], 2.0f);
  }
  graph.setTileMapping(v, 0);
  graph.createHostRead("out", out, true);
  Engine engine(graph, program::Execute(cs));
  engine.load(device);
  engine.run(0);
  float result = 0;
  engine.readTensor("out", &result, &result + 1);
  return result;
}

int main(int, char **arguments) try {
  const char *const file = arguments[1];
  std::string failed = "nothing";
  try {
    run(file, "Positive", -1);
  } catch (const application_runtime_error &error) {
    failed = std::string(error.what()).find("*in > 0") != std::string::npos ? "its assertion"
                                                                            : error.what();
  }
  std::printf("scaled: %g, failed: %s\n", static_cast<double>(run(file, "Scale", 21)),
              failed.c_str());
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
