#include <bench/poplin/Bed.hpp>

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>

#include <sstream>

namespace cottonwood::bench {
namespace {

using namespace poplar;
using Params = ::poplin::ConvParams;

Params paramsOf(Conv const &conv, Type const &type) {
  Params params(type, conv.batch, {conv.size, conv.size}, {conv.kernel, conv.kernel}, conv.in,
                conv.out, conv.groups);
  std::vector<unsigned> const padding(2, static_cast<unsigned>(conv.padding()));
  params.inputTransform.paddingLower = params.inputTransform.paddingUpper = padding;
  params.outputTransform.stride.assign(2, static_cast<unsigned>(conv.stride));
  return params.canonicalize();
}

OptionFlags optionsOf(Conv const &conv, OptionFlags options) {
  if (conv.halfPartials)
    options.set("partialsType", "half");
  return options;
}

/// Builds one convolution with operands and result in the layout that the problem asks for.
class Builder {
public:
  Builder(Bed &bed, Conv const &conv, OptionFlags const &options)
      : bed_(bed), conv_(conv), options_(optionsOf(conv, options)), type_(bed.typeOf(conv.half)),
        params_(paramsOf(conv, type_)) {}

  void forward() {
    Tensor const in = input("a");
    Tensor const weights = ::poplin::createWeights(bed_.graph, params_, "b", options_);
    bed_.graph.createHostWrite("b", weights);
    convolution(in, weights, params_, outputShape());
  }

  /// The weights are turned round beforehand, as everybody may.
  void dataGradient() {
    Params const params = ::poplin::getGradientParams(params_);
    Tensor const deltas = own() ? ::poplin::createInput(bed_.graph, params, "a", options_)
                                : bed_.plain(type_, outputShape(), "a");
    bed_.graph.createHostWrite("a", deltas);
    Tensor const weights = ::poplin::createWeights(bed_.graph, params_, "b", options_);
    bed_.graph.createHostWrite("b", weights);
    Tensor const turned = ::poplin::createWeights(bed_.graph, params, "turned", options_);
    ::poplin::weightsTransposeChansFlipXY(bed_.graph, weights, turned, bed_.arrange, "turn");
    convolution(deltas, turned, params, inputShape());
  }

  void weightGradient() {
    Tensor const in = input("a");
    Tensor const deltas = own() ? ::poplin::createConvOutput(bed_.graph, params_, "b", options_)
                                : bed_.plain(type_, outputShape(), "b");
    bed_.graph.createHostWrite("b", deltas);
    Tensor c =
        ::poplin::calculateWeightDeltas(bed_.graph, deltas, in, params_, bed_.once, "c", options_);
    if (!own()) {
      Tensor const plain = bed_.plain(type_, c.shape(), "c");
      bed_.once.add(poplar::program::Copy(c, plain));
      c = plain;
    }
    bed_.graph.createHostRead("c", c);
  }

private:
  bool own() const { return conv_.layout == Conv::Layout::OWN; }
  std::vector<std::size_t> inputShape() const {
    return {conv_.batch, conv_.groups * conv_.in, conv_.size, conv_.size};
  }
  std::vector<std::size_t> outputShape() const {
    return {conv_.batch, conv_.groups * conv_.out, conv_.outSize(), conv_.outSize()};
  }

  Tensor input(char const *name) {
    Tensor const in = own() ? ::poplin::createInput(bed_.graph, params_, name, options_)
                            : bed_.plain(type_, inputShape(), name);
    bed_.graph.createHostWrite(name, in);
    return in;
  }

  void convolution(Tensor const &in, Tensor const &weights, Params const &params,
                   std::vector<std::size_t> const &shape) {
    Tensor c;
    if (own()) {
      c = ::poplin::convolution(bed_.graph, in, weights, params, false, bed_.once, "c", options_);
    } else {
      c = bed_.plain(type_, shape, "c");
      ::poplin::convolutionWithOutput(bed_.graph, in, weights, c, params, false, bed_.once, "c",
                                      options_);
    }
    bed_.graph.createHostRead("c", c);
  }

  Bed &bed_;
  Conv conv_;
  OptionFlags options_;
  Type type_;
  Params params_;
};

} // namespace

void build(Bed &bed, Conv const &conv, OptionFlags const &options) {
  Builder builder(bed, conv, options);
  if (conv.pass == Conv::Pass::FORWARD)
    builder.forward();
  else if (conv.pass == Conv::Pass::DATA_GRADIENT)
    builder.dataGradient();
  else
    builder.weightGradient();
}

std::string planReportOf(Conv const &conv, OptionFlags const &options) {
  Bed const bed;
  std::ostringstream text;
  ::poplin::reportPlanInfo(text, bed.graph, paramsOf(conv, bed.typeOf(conv.half)),
                           optionsOf(conv, options));
  return text.str();
}

} // namespace cottonwood::bench
