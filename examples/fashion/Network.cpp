#include "Network.hpp"

#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <random>

namespace fashion {
namespace {

using poplar::FLOAT;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Repeat;
using poplar::program::Sequence;

// Gradients of a network that is nearly right are small. Half numbers below 2^-14 lose digits, so
// gradients are multiplied by this on their way through the network, and divided again in the
// learning rate.
constexpr float LOSS_SCALE = 64;

/// One tensor for each array of weights; or for its gradient, or its velocity.
struct Parameters {
  Tensor hiddenWeights, hiddenBias, outWeights, outBias;

  /// All elements as one view, so that one operation updates all arrays.
  Tensor all() const {
    return poplar::concat({hiddenWeights.flatten(), hiddenBias, outWeights.flatten(), outBias});
  }
  /// Those that the network reads in its own type.
  Tensor typed() const {
    return poplar::concat({hiddenWeights.flatten(), hiddenBias, outWeights.flatten()});
  }
};

/// The stages of the forward pass that the backward pass needs.
struct Activations {
  Tensor input;         // [batch, inputs]
  Tensor hidden;        // [batch, hidden]
  Tensor probabilities; // [batch, classes] FLOAT
};

class Builder {
public:
  Builder(Graph &graph, NetworkConfig const &config) : graph_(graph), config_(config) {}

  std::vector<poplar::program::Program> build() {
    poplin::addCodelets(graph_);
    popops::addCodelets(graph_);
    popnn::addCodelets(graph_);
    addParameters();
    addInputs();
    return {prepareProgram(), Repeat(config_.trainSteps, trainStep()),
            Repeat(config_.testSteps, testStep())};
  }

private:
  // The weights that the products read are laid out as poplin likes them. For HALF they are a copy:
  // updates go to the FLOAT master, because they are often too small to change a half.
  void addParameters() {
    poplar::Type const type = config_.type;
    std::size_t const batch = config_.batch, hidden = config_.hidden, classes = config_.classes;
    used_.hiddenWeights = poplin::createMatMulInputRHS(graph_, type, {batch, config_.inputs},
                                                       {config_.inputs, hidden}, "hiddenWeights");
    used_.outWeights = poplin::createMatMulInputRHS(graph_, type, {batch, hidden},
                                                    {hidden, classes}, "outWeights");
    used_.hiddenBias = linear(type, {hidden}, "hiddenBias");
    used_.outBias = linear(FLOAT, {classes}, "outBias");
    master_ = type == FLOAT ? used_ : cloned(used_, "master");
    used_.outBias = master_.outBias;
    velocity_ = cloned(used_, "velocity");
    graph_.createHostWrite(handle::WEIGHTS, master_.all());
    graph_.createHostRead(handle::WEIGHTS, master_.all());
  }

  void addInputs() {
    pixels_ = linear(poplar::UNSIGNED_CHAR, {config_.batch, config_.inputs}, "pixels");
    labels_ = linear(poplar::UNSIGNED_INT, {config_.batch}, "labels");
    rate_ = linear(FLOAT, {}, "rate");
    images_ =
        graph_.addHostToDeviceFIFO(handle::IMAGES, poplar::UNSIGNED_CHAR, pixels_.numElements());
  }

  poplar::program::Program prepareProgram() {
    Sequence prepare;
    popops::zero(graph_, velocity_.all(), prepare, "startVelocity");
    refresh(prepare);
    return prepare;
  }

  poplar::program::Program trainStep() {
    auto const labels =
        graph_.addHostToDeviceFIFO(handle::LABELS, poplar::UNSIGNED_INT, config_.batch);
    auto const rate = graph_.addHostToDeviceFIFO(handle::RATE, FLOAT, 1);
    Sequence step;
    step.add(Copy(labels, labels_));
    step.add(Copy(rate, rate_));
    Activations const activations = forward(step, "train");
    Tensor const outGradient = lossGradient(activations, step);
    Parameters const gradient = backward(activations, outGradient, step);
    update(gradient, step);
    return step;
  }

  poplar::program::Program testStep() {
    auto const answers =
        graph_.addDeviceToHostFIFO(handle::ANSWERS, FLOAT, config_.batch * config_.classes);
    Sequence step;
    step.add(Copy(forward(step, "test").probabilities, answers));
    return step;
  }

  /// softmax(relu(x W1 + b1) W2 + b2). The last product gives FLOAT: it is small, and the softmax
  /// and the loss are what half would hurt most.
  Activations forward(Sequence &step, std::string const &name) {
    step.add(Copy(images_, pixels_));
    Activations a;
    a.input = normalised(step);
    a.hidden = poplin::matMul(graph_, a.input, used_.hiddenWeights, step, name + "/hidden");
    popops::addInPlace(graph_, a.hidden, used_.hiddenBias, step, name + "/hiddenBias");
    popnn::reluInPlace(graph_, a.hidden, step, name + "/relu");
    a.probabilities =
        poplin::matMul(graph_, a.hidden, used_.outWeights, step, FLOAT, name + "/out");
    popops::addInPlace(graph_, a.probabilities, used_.outBias, step, name + "/outBias");
    popnn::softmaxStableInPlace(graph_, a.probabilities, step, name + "/softmax");
    return a;
  }

  /// The pixels as numbers around 0.
  Tensor normalised(Sequence &step) {
    namespace pe = popops::expr;
    Tensor const numbers = popops::cast(graph_, pixels_, config_.type, step, "pixels");
    popops::mapInPlace(
        graph_, (pe::_1 - pe::Const(config_.inputMean)) * pe::Const(1 / config_.inputDeviation),
        {numbers}, step, "normalise");
    return numbers;
  }

  /// Sends the mean loss to the host. \returns  [batch, classes] of the network's type: the
  /// gradient of the summed loss before the softmax, times LOSS_SCALE.
  Tensor lossGradient(Activations const &a, Sequence &step) {
    auto const lossStream = graph_.addDeviceToHostFIFO(handle::LOSS, FLOAT, 1);
    Tensor const losses = linear(FLOAT, {config_.batch}, "losses");
    Tensor const gradient = graph_.clone(a.probabilities, "outGradient");
    step.add(popnn::calcLoss(graph_, a.probabilities, labels_, losses, gradient,
                             constant(LOSS_SCALE), constant(1), popnn::CROSS_ENTROPY_LOSS, "loss"));
    Tensor const mean = popops::reduce(
        graph_, losses, FLOAT, {0},
        {popops::Operation::ADD, false, constant(1 / static_cast<float>(config_.batch))}, step,
        "meanLoss");
    step.add(Copy(mean, lossStream));
    if (config_.type == FLOAT)
      return gradient;
    return popops::cast(graph_, gradient, config_.type, step, "outGradient");
  }

  /// Gradients with respect to the parameters, in FLOAT: sums over the batch, times LOSS_SCALE.
  Parameters backward(Activations const &a, Tensor const &outGradient, Sequence &step) {
    Parameters g;
    g.outWeights = poplin::matMul(graph_, a.hidden.transpose(), outGradient, step, FLOAT,
                                  "backward/outWeights");
    g.outBias = sumOverBatch(outGradient, step);
    Tensor const relu =
        poplin::matMul(graph_, outGradient, used_.outWeights.transpose(), step, "backward/hidden");
    Tensor const hidden = popnn::nonLinearityInputGradient(graph_, popnn::NonLinearityType::RELU,
                                                           a.hidden, relu, step, "backward/relu");
    g.hiddenWeights =
        poplin::matMul(graph_, a.input.transpose(), hidden, step, FLOAT, "backward/hiddenWeights");
    g.hiddenBias = sumOverBatch(hidden, step);
    return g;
  }

  Tensor sumOverBatch(Tensor const &t, Sequence &step) {
    return popops::reduce(graph_, t, FLOAT, {0}, popops::Operation::ADD, step, "backward/bias");
  }

  /// velocity = momentum * velocity + gradient; weights -= rate * velocity. The host's rate is for
  /// the mean over the batch.
  void update(Parameters const &gradient, Sequence &step) {
    Tensor const rate = popops::mul(
        graph_, rate_, 1 / (LOSS_SCALE * static_cast<float>(config_.batch)), step, "rate");
    popops::scaledAddTo(graph_, velocity_.all(), config_.momentum, gradient.all(), 1.f, step,
                        "velocity");
    popops::scaledSubtractFrom(graph_, master_.all(), velocity_.all(), rate, step, "update");
    refresh(step);
  }

  void refresh(Sequence &program) {
    if (config_.type != FLOAT)
      popops::castWithOutput(graph_, master_.typed(), used_.typed(), program, "refresh");
  }

  Tensor linear(poplar::Type const &type, std::vector<std::size_t> const &shape, char const *name) {
    Tensor const t = graph_.addVariable(type, shape, name);
    poputil::mapTensorLinearly(graph_, t);
    return t;
  }

  Tensor constant(float value) {
    Tensor const t = graph_.addConstant(FLOAT, {}, value);
    graph_.setTileMapping(t, 0);
    return t;
  }

  Parameters cloned(Parameters const &p, std::string const &name) {
    return {graph_.clone(FLOAT, p.hiddenWeights, name + "/hiddenWeights"),
            graph_.clone(FLOAT, p.hiddenBias, name + "/hiddenBias"),
            graph_.clone(FLOAT, p.outWeights, name + "/outWeights"),
            graph_.clone(FLOAT, p.outBias, name + "/outBias")};
  }

  Graph &graph_;
  NetworkConfig const &config_;
  Parameters used_, master_, velocity_;
  Tensor pixels_, labels_, rate_;
  poplar::DataStream images_;
};

} // namespace

std::vector<NamedShape> weightArrays(NetworkConfig const &config) {
  return {{"hiddenWeights", {config.inputs, config.hidden}},
          {"hiddenBias", {config.hidden}},
          {"outWeights", {config.hidden, config.classes}},
          {"outBias", {config.classes}}};
}

std::vector<float> initialWeights(NetworkConfig const &config, std::uint64_t seed) {
  std::mt19937_64 numbers(seed);
  std::vector<float> weights;
  for (NamedShape const &array : weightArrays(config)) {
    bool const isBias = array.shape.size() == 1;
    // A uniform number in [-r, r) has variance r^2 / 3.
    double const range = isBias ? 0 : std::sqrt(6.0 / static_cast<double>(array.shape[0]));
    for (std::size_t i = 0; i != array.numElements(); ++i) {
      // Not a standard distribution: those differ between libraries.
      double const unit = std::ldexp(static_cast<double>(numbers() >> 11), -53);
      weights.push_back(static_cast<float>(range * (2 * unit - 1)));
    }
  }
  return weights;
}

std::vector<poplar::program::Program> buildNetwork(poplar::Graph &graph,
                                                   NetworkConfig const &config) {
  return Builder(graph, config).build();
}

} // namespace fashion
