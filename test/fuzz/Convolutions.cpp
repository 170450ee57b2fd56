// Convolutions and their gradients against the sums of the definition. All numbers are small
// integers, so that sums are exact in any order and each element must be the expected one.
#include "../poplin/ConvPairs.hpp"
#include "Cases.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <map>

using namespace poplar;
using convolutions::Triples;
using fuzz::below;
using fuzz::Numbers;
using fuzz::oneIn;
using fuzz::product;
using fuzz::Random;
using fuzz::Shape;
using poplin::ConvParams;

namespace {

/// Shapes of layers: many channels in few groups, few in many, small and large fields.
class Shapes {
public:
  explicit Shapes(Random &random) : random_(random) {}

  ConvParams make() {
    constexpr double MOST_PRODUCTS = 4e6;
    for (;;) {
      std::size_t const dims = oneIn(random_, 6) ? 1 : oneIn(random_, 10) ? 3 : 2;
      Shape field, kernel;
      for (std::size_t d = 0; d != dims; ++d) {
        field.push_back(1 + below(random_, oneIn(random_, 3) ? 70 : 20));
        kernel.push_back(oneIn(random_, 3) ? 1 : 1 + below(random_, oneIn(random_, 4) ? 7 : 3));
      }
      std::size_t const groups = oneIn(random_, 2) ? 1 : channels(), in = channels(),
                        out = oneIn(random_, 3) ? in : channels();
      Type const type = oneIn(random_, 3) ? HALF : FLOAT;
      ConvParams p(type, 1 + below(random_, 3), field, kernel, in, out, groups);
      for (std::size_t d = 0; d != dims; ++d)
        transform(p, d);
      if (convolutions::isValid(p) && products(p) <= MOST_PRODUCTS)
        return p;
    }
  }

private:
  std::size_t channels() {
    std::size_t const some[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 20, 24, 32, 33, 48, 64};
    return some[below(random_, std::size(some))];
  }
  unsigned number(std::size_t limit) { return static_cast<unsigned>(below(random_, limit)); }
  unsigned rarely(std::size_t limit) { return oneIn(random_, 12) ? number(limit) : 0; }

  void transform(ConvParams &p, std::size_t d) {
    auto &in = p.inputTransform, &kernel = p.kernelTransform;
    if (!oneIn(random_, 3)) {
      in.paddingLower[d] = number(p.kernelShape[d] + 1);
      in.paddingUpper[d] = oneIn(random_, 2) ? in.paddingLower[d] : number(p.kernelShape[d] + 1);
    }
    p.outputTransform.stride[d] = oneIn(random_, 3) ? 1 + number(3) : 1;
    kernel.dilation[d] = 1 + rarely(3);
    in.dilation[d] = 1 + rarely(3);
    in.truncationLower[d] = rarely(3);
    in.truncationUpper[d] = rarely(3);
    in.flip[d] = rarely(2) != 0;
    kernel.paddingLower[d] = rarely(3);
    kernel.paddingUpper[d] = rarely(3);
    kernel.truncationLower[d] = rarely(2);
    kernel.truncationUpper[d] = rarely(2);
    kernel.flip[d] = rarely(2) != 0;
    p.outputTransform.truncationLower[d] = rarely(3);
    p.outputTransform.truncationUpper[d] = rarely(3);
    p.outputTransform.paddingLower[d] = rarely(3);
    p.outputTransform.paddingUpper[d] = rarely(3);
  }

  static double products(ConvParams const &p) {
    double all = static_cast<double>(p.batchSize * p.numConvGroups) *
                 static_cast<double>(p.inputChannelsPerConvGroup * p.outputChannelsPerConvGroup);
    for (std::size_t size : p.getOutputFieldShape())
      all *= static_cast<double>(size);
    return all * static_cast<double>(product(p.kernelShape));
  }

  Random &random_;
};

/// Sums over what meets in the fields of a layer.
class Reference {
public:
  explicit Reference(ConvParams const &p) : p_(p), outField_(p.getOutputFieldShape()) {
    for (unsigned d = 0; d != p.getNumFieldDims(); ++d)
      dims_.push_back(convolutions::triplesOf(p, d));
  }

  std::size_t inSize() const {
    return p_.batchSize * p_.getNumInputChans() * product(p_.inputFieldShape);
  }
  std::size_t outSize() const { return p_.batchSize * p_.getNumOutputChans() * product(outField_); }
  std::size_t weightSize() const {
    return p_.getNumOutputChans() * p_.inputChannelsPerConvGroup * product(p_.kernelShape);
  }

  /// f(output, weight, input) for every product.
  template <class F> void forEachProduct(F const &f) const { walk(0, 0, 0, 0, f); }

private:
  template <class F>
  void walk(std::size_t d, std::size_t o, std::size_t k, std::size_t i, F const &f) const {
    if (d == dims_.size())
      return channels(o, k, i, f);
    for (auto const &[o1, k1, i1] : dims_[d])
      walk(d + 1, o * outField_[d] + o1, k * p_.kernelShape[d] + k1, i * p_.inputFieldShape[d] + i1,
           f);
  }
  template <class F> void channels(std::size_t y, std::size_t k, std::size_t x, F const &f) const {
    std::size_t const O = p_.outputChannelsPerConvGroup, I = p_.inputChannelsPerConvGroup,
                      outField = product(outField_), inField = product(p_.inputFieldShape),
                      kernel = product(p_.kernelShape);
    for (std::size_t b = 0; b != p_.batchSize; ++b)
      for (std::size_t g = 0; g != p_.numConvGroups; ++g)
        for (std::size_t o = 0; o != O; ++o)
          for (std::size_t i = 0; i != I; ++i)
            f(((b * p_.numConvGroups + g) * O + o) * outField + y,
              ((g * O + o) * I + i) * kernel + k,
              ((b * p_.numConvGroups + g) * I + i) * inField + x);
  }

  ConvParams const &p_;
  Shape outField_;
  std::vector<Triples> dims_;
};

class Generator {
public:
  Generator(Random &random, Device const &device)
      : random_(random), device_(device), graph_(device.getTarget()), codec_(device.getTarget()),
        p_(Shapes(random).make()) {
    poplin::addCodelets(graph_);
    popops::addCodelets(graph_);
  }

  void check() {
    Reference const reference(p_);
    Numbers const in = numbers(reference.inSize()), weights = numbers(reference.weightSize()),
                  deltas = numbers(reference.outSize());
    Tensor const x = input("x", oneIn(random_, 2)
                                    ? poplin::createInput(graph_, p_)
                                    : plain(shapeOf(p_.batchSize, p_.getNumInputChans(),
                                                    p_.inputFieldShape))),
                 w = input("w", oneIn(random_, 2) ? poplin::createWeights(graph_, p_)
                                                  : plain(weightsShape())),
                 d = input("d", oneIn(random_, 2)
                                    ? poplin::createInput(graph_, poplin::getGradientParams(p_))
                                    : plain(shapeOf(p_.batchSize, p_.getNumOutputChans(),
                                                    p_.getOutputFieldShape())));
    Numbers out(deltas.size()), inGradient(in.size()), weightGradient(weights.size());
    reference.forEachProduct([&](std::size_t o, std::size_t k, std::size_t i) {
      out[o] += weights[k] * in[i];
      inGradient[i] += weights[k] * deltas[o];
      weightGradient[k] += in[i] * deltas[o];
    });
    unsigned const passes = 1 + static_cast<unsigned>(below(random_, 7)); // some of three
    program::Sequence prog;
    if (passes & 1)
      result("forward", forward(x, w, prog), out);
    if (passes & 2)
      result("input gradient",
             poplin::convolution(graph_, d, w, poplin::getGradientParams(p_), true, prog, "dx"),
             inGradient);
    if (passes & 4)
      result("weight gradient", poplin::calculateWeightDeltas(graph_, d, x, p_, prog, "dw"),
             weightGradient);
    Engine engine(graph_, prog, {{"engine.numThreads", std::to_string(below(random_, 3))}});
    engine.load(device_);
    write(engine, "x", in);
    write(engine, "w", weights);
    write(engine, "d", deltas);
    engine.run();
    for (auto const &[name, expected] : results_)
      compare(name, read(engine, name, expected.size()), expected);
  }

private:
  /// Into an output of the library, or a plain one.
  Tensor forward(Tensor const &x, Tensor const &w, program::Sequence &prog) {
    if (oneIn(random_, 2))
      return poplin::convolution(graph_, x, w, p_, false, prog, "forward");
    Tensor const out = graph_.addVariable(
        p_.outputType, shapeOf(p_.batchSize, p_.getNumOutputChans(), p_.getOutputFieldShape()));
    poputil::mapTensorLinearly(graph_, out);
    poplin::convolutionWithOutput(graph_, x, w, out, p_, false, prog, "forward");
    return out;
  }

  static Shape shapeOf(std::size_t batch, std::size_t channels, Shape const &field) {
    Shape shape{batch, channels};
    shape.insert(shape.end(), field.begin(), field.end());
    return shape;
  }
  Shape weightsShape() const {
    Shape shape =
        shapeOf(p_.outputChannelsPerConvGroup, p_.inputChannelsPerConvGroup, p_.kernelShape);
    shape.insert(shape.begin(), p_.numConvGroups);
    return shape;
  }
  Numbers numbers(std::size_t n) {
    Numbers values(n);
    for (double &value : values)
      value = static_cast<double>(below(random_, 9)) - 4;
    return values;
  }
  Tensor plain(Shape const &shape) {
    Tensor const t = graph_.addVariable(p_.inputType, shape);
    poputil::mapTensorLinearly(graph_, t);
    return t;
  }
  Tensor input(std::string const &name, Tensor const &t) {
    graph_.createHostWrite(name, t);
    return t;
  }
  void result(std::string const &name, Tensor const &t, Numbers const &expected) {
    graph_.createHostRead(name, t);
    results_[name] = expected;
  }
  std::size_t elementBytes() const { return device_.getTarget().getTypeSize(p_.inputType); }
  void write(Engine &engine, std::string const &name, Numbers const &values) const {
    std::vector<unsigned char> bytes(values.size() * elementBytes());
    for (std::size_t i = 0; i != values.size(); ++i)
      codec_.write(p_.inputType, values[i], &bytes[i * elementBytes()]);
    engine.writeTensor(name, bytes.data(), bytes.data() + bytes.size());
  }
  Numbers read(Engine &engine, std::string const &name, std::size_t n) const {
    std::vector<unsigned char> bytes(n * elementBytes());
    engine.readTensor(name, bytes.data(), bytes.data() + bytes.size());
    Numbers values(n);
    for (std::size_t i = 0; i != n; ++i)
      values[i] = codec_.read(p_.inputType, &bytes[i * elementBytes()]);
    return values;
  }
  void compare(std::string const &name, Numbers const &actual, Numbers const &expected) const {
    for (std::size_t i = 0; i != expected.size(); ++i)
      if (double const right = codec_.rounded(p_.outputType, expected[i]); actual[i] != right) {
        std::ostringstream text;
        text << name << ": element " << i << " of " << expected.size() << " is " << actual[i]
             << " instead of " << right << "\n"
             << p_;
        fuzz::finding(text.str());
      }
  }

  Random &random_;
  Device const &device_;
  Graph graph_;
  fuzz::Codec codec_;
  ConvParams p_;
  std::map<std::string, Numbers> results_;
};

} // namespace

int main(int argc, char **argv) {
  IPUModel model, pair;
  model.tilesPerIPU = 16;
  pair.numIPUs = 2;
  pair.tilesPerIPU = 3;
  Device const devices[] = {Device::createCPUDevice(), model.createDevice(), pair.createDevice()};
  return fuzz::run("fuzz-convolutions", argc, argv, [&](Random &random) {
    Generator(random, devices[oneIn(random, 4) ? 1 + below(random, 2) : 0]).check();
  });
}
