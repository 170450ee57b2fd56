// A program as they are published: device code, host code and its streams in one file, which is its
// own codelet source. The program checks itself; argv[1] chooses the device.
#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

class ScaleAndSum : public MultiVertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<float, VectorLayout::SPAN>> out;
  Output<Vector<float>> partials;
  float factor;

  bool compute(unsigned worker) {
    float sum = 0;
    for (unsigned i = worker; i < out.size(); i += numWorkers()) {
      out[i] = in[i] * factor;
      sum += out[i];
    }
    partials[worker] = sum;
    return true;
  }
};

template <typename T> class Total : public Vertex {
public:
  Vector<Input<Vector<T>>> partials;
  InOut<T> total;
  bool compute() {
    for (const auto &row : partials)
      for (const auto &x : row)
        *total += x;
    return true;
  }
};
template class Total<float>;

#else

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

const unsigned numElements = 60, numBatches = 5;

// Hands out batches, the next one ahead of time when it is asked to.
class Batches final : public StreamCallback {
public:
  Result prefetch(void *__restrict p) noexcept override {
    if (prefetched_ == numBatches)
      return Result::NotAvailable;
    fill(p, prefetched_++);
    return Result::Success;
  }
  void fetch(void *__restrict p) noexcept override { fill(p, completed_); }
  void complete() noexcept override {
    ++completed_;
    prefetched_ = std::max(prefetched_, completed_);
  }
  void invalidatePrefetched() noexcept override { prefetched_ = completed_; }

private:
  static void fill(void *p, unsigned batch) {
    std::vector<float> values(numElements);
    for (unsigned i = 0; i < numElements; ++i)
      values[i] = static_cast<float>(batch * numElements + i);
    std::memcpy(p, values.data(), numElements * sizeof(float));
  }
  unsigned prefetched_ = 0, completed_ = 0;
};

static Device getDevice(const std::string &kind) {
  if (kind == "cpu")
    return Device::createCPUDevice();
  if (kind == "model") {
    IPUModel ipuModel;
    ipuModel.numIPUs = 1;
    ipuModel.tilesPerIPU = 10;
    return ipuModel.createDevice();
  }
  auto manager = DeviceManager::createDeviceManager();
  auto devices = manager.getDevices(TargetType::IPU, 1);
  auto it = std::find_if(devices.begin(), devices.end(), [](Device &d) { return d.attach(); });
  if (it == devices.end())
    throw std::runtime_error("no device");
  return std::move(*it);
}

int main(int argc, char **argv) try {
  Device device = getDevice(argc > 1 ? argv[1] : "cpu");
  Graph graph(device.getTarget());
  graph.addCodelets(__FILE__);

  const unsigned numTiles = std::min(graph.getTarget().getNumTiles(), 10u);
  Tensor x = graph.addVariable(FLOAT, {numElements}, "x");
  Tensor y = graph.addVariable(FLOAT, {numElements}, "y");
  Tensor partials = graph.addVariable(FLOAT, {numTiles, 6}, "partials");
  Tensor total = graph.addVariable(FLOAT, {}, "total");
  graph.setTileMapping(total, 0);
  graph.setInitialValue(total, 0.0f);

  ComputeSet scale = graph.addComputeSet("scale"), sum = graph.addComputeSet("sum");
  const unsigned perTile = numElements / numTiles;
  for (unsigned tile = 0; tile < numTiles; ++tile) {
    auto xs = x.slice(tile * perTile, (tile + 1) * perTile);
    auto ys = y.slice(tile * perTile, (tile + 1) * perTile);
    graph.setTileMapping(xs, tile);
    graph.setTileMapping(ys, tile);
    graph.setTileMapping(partials[tile], tile);
    VertexRef v = graph.addVertex(scale, "ScaleAndSum", {{"in", xs}, {"out", ys}});
    graph.connect(v["partials"], partials[tile]);
    graph.setInitialValue(v["factor"], 2.0f);
    graph.setTileMapping(v, tile);
    graph.setPerfEstimate(v, 40);
  }
  VertexRef v = graph.addVertex(sum, "Total<float>", {{"partials", partials}, {"total", total}});
  graph.setTileMapping(v, 0);

  auto in = graph.addHostToDeviceFIFO("in", FLOAT, numElements, ReplicatedStreamMode::REPLICATE,
                                      {{"bufferingDepth", "2"}});
  auto out = graph.addDeviceToHostFIFO("out", FLOAT, numElements);
  graph.createHostRead("total", total);
  Sequence batch{Copy(in, x), Execute(scale), Execute(sum), Copy(y, out)};

  Engine engine(graph, Repeat(numBatches, batch), {{"exchange.streamBufferOverlap", "any"}});
  engine.load(device);
  engine.connectStreamToCallback("in", std::unique_ptr<Batches>(new Batches()));
  std::vector<float> results;
  engine.connectStreamToCallback("out", [&](void *p) {
    const float *values = static_cast<const float *>(p);
    results.insert(results.end(), values, values + numElements);
  });
  engine.run(0);

  // The sums of whole numbers below 2^24 are exact in any order.
  float expected = 0, found = 0;
  bool good = results.size() == numElements * numBatches;
  for (unsigned i = 0; i < results.size(); ++i) {
    good = good && results[i] == 2.0f * static_cast<float>(i);
    expected += 2.0f * static_cast<float>(i);
  }
  engine.readTensor("total", &found, &found + 1);
  std::cout << "total " << found << ", expected " << expected << "\n";
  return good && found == expected ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const poplar_error &e) {
  std::cerr << e.what() << "\n";
  return EXIT_FAILURE;
}

#endif
