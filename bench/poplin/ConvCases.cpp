#include <bench/poplin/ConvCases.hpp>

namespace cottonwood::bench {
namespace {

struct Layer {
  Set set; ///< at batch 1
  unsigned count;
  std::size_t in, out, size, kernel, stride;
};

/// ResNet-50 with strides in its 3x3 convolutions: 53 convolutions, 23 different ones.
constexpr Layer RESNET50[] = {
    {Set::Smoke, 1, 3, 64, 224, 7, 2},   // stem
    {Set::Ci, 1, 64, 64, 56, 1, 1},      // stage 1
    {Set::Ci, 3, 64, 64, 56, 3, 1},      //
    {Set::Ci, 4, 64, 256, 56, 1, 1},     //
    {Set::All, 2, 256, 64, 56, 1, 1},    //
    {Set::All, 1, 256, 128, 56, 1, 1},   // stage 2
    {Set::Ci, 1, 128, 128, 56, 3, 2},    //
    {Set::Ci, 3, 128, 128, 28, 3, 1},    //
    {Set::All, 4, 128, 512, 28, 1, 1},   //
    {Set::Ci, 3, 512, 128, 28, 1, 1},    //
    {Set::All, 1, 256, 512, 56, 1, 2},   //
    {Set::All, 1, 512, 256, 28, 1, 1},   // stage 3
    {Set::All, 1, 256, 256, 28, 3, 2},   //
    {Set::Ci, 5, 256, 256, 14, 3, 1},    //
    {Set::Ci, 6, 256, 1024, 14, 1, 1},   //
    {Set::All, 5, 1024, 256, 14, 1, 1},  //
    {Set::Ci, 1, 512, 1024, 28, 1, 2},   //
    {Set::All, 1, 1024, 512, 14, 1, 1},  // stage 4
    {Set::All, 1, 512, 512, 14, 3, 2},   //
    {Set::Ci, 2, 512, 512, 7, 3, 1},     //
    {Set::All, 3, 512, 2048, 7, 1, 1},   //
    {Set::Ci, 2, 2048, 512, 7, 1, 1},    //
    {Set::All, 1, 1024, 2048, 14, 1, 2}, //
};

struct Depthwise {
  Set set;
  std::size_t channels, size, stride;
};

/// 3x3, of MobileNet
constexpr Depthwise DEPTHWISE[] = {
    {Set::Ci, 32, 112, 1}, {Set::Ci, 64, 112, 2},  {Set::Smoke, 128, 56, 1}, {Set::All, 256, 28, 1},
    {Set::Ci, 512, 14, 1}, {Set::All, 1024, 7, 1}, {Set::All, 128, 56, 2},   {Set::All, 512, 14, 2},
};

struct Grouped {
  Set set;
  std::size_t groups, in, out, size, batch = 1, stride = 1;
};

/// 3x3 with few channels a group, of ResNeXt-50 32x4d and 32x8d, and depthwise with multipliers.
constexpr Grouped GROUPED[] = {
    {Set::Ci, 32, 4, 4, 56},        {Set::All, 32, 8, 8, 28},         {Set::All, 32, 16, 16, 14},
    {Set::All, 64, 2, 2, 28, 4},    {Set::All, 128, 1, 2, 28, 4},     {Set::All, 128, 1, 4, 28, 4},
    {Set::All, 32, 8, 8, 56, 1, 2}, {Set::All, 32, 16, 16, 28, 1, 2},
};

/// Layers whose gradients are measured at batch 4.
constexpr Layer TRAINED[] = {
    {Set::Ci, 1, 64, 64, 56, 3, 1},    {Set::All, 1, 3, 64, 224, 7, 2},
    {Set::All, 1, 128, 128, 56, 3, 2}, {Set::Ci, 1, 256, 1024, 14, 1, 1},
    {Set::All, 1, 512, 128, 28, 1, 1}, {Set::All, 1, 512, 512, 7, 3, 1},
};

Conv convOf(Layer const &layer, std::size_t batch) {
  return {.batch = batch,
          .in = layer.in,
          .out = layer.out,
          .size = layer.size,
          .kernel = layer.kernel,
          .stride = layer.stride};
}

Conv convOf(Grouped const &g, std::size_t batch) {
  return {.batch = batch,
          .groups = g.groups,
          .in = g.in,
          .out = g.out,
          .size = g.size,
          .kernel = 3,
          .stride = g.stride};
}

char const *kindOf(Layer const &layer) {
  return layer.kernel == 7 ? "stem" : layer.kernel == 1 ? "one-by-one" : "three-by-three";
}

/// A problem in both layouts.
class Collector {
public:
  explicit Collector(bool half) : half_(half) {}

  void add(Set set, std::vector<std::string> const &groups, Conv conv, unsigned count = 1) {
    conv.half = half_;
    for (Conv::Layout layout : {Conv::Layout::OWN, Conv::Layout::PLAIN}) {
      conv.layout = layout;
      Case next{.set = set, .groups = {}, .problem = conv, .count = count};
      for (std::string const &group : groups)
        next.groups.push_back(group + (layout == Conv::Layout::OWN ? "/own" : "/plain"));
      (layout == Conv::Layout::OWN ? own_ : plain_).push_back(std::move(next));
    }
  }

  std::vector<Case> take() {
    own_.insert(own_.end(), plain_.begin(), plain_.end());
    return std::move(own_);
  }

private:
  bool half_;
  std::vector<Case> own_, plain_;
};

void addResnet(Collector &cases) {
  for (Layer const &layer : RESNET50)
    cases.add(layer.set, {"resnet50-b1", kindOf(layer)}, convOf(layer, 1), layer.count);
  for (Layer const &layer : RESNET50)
    cases.add(Set::All, {"resnet50-b4", kindOf(layer)}, convOf(layer, 4), layer.count);
}

void addDepthwise(Collector &cases) {
  for (Depthwise const &d : DEPTHWISE)
    cases.add(d.set, {"depthwise"},
              {.groups = d.channels, .size = d.size, .kernel = 3, .stride = d.stride});
  cases.add(Set::All, {"depthwise"}, {.batch = 4, .groups = 128, .size = 56, .kernel = 3});
  for (Grouped const &g : GROUPED)
    cases.add(g.set, {"grouped"}, convOf(g, g.batch));
}

void addGradients(Collector &cases) {
  for (Conv::Pass pass : {Conv::Pass::DATA_GRADIENT, Conv::Pass::WEIGHT_GRADIENT}) {
    auto const add = [&](Set set, Conv conv) {
      conv.pass = pass;
      cases.add(set, {"gradients"}, conv);
    };
    for (Layer const &layer : TRAINED)
      add(layer.set, convOf(layer, 4));
    add(Set::All, {.batch = 4, .groups = 128, .size = 56, .kernel = 3});
    for (Grouped const &g : GROUPED)
      add(Set::All, convOf(g, 4));
  }
}

/// Layers of ResNet-50 and gradients at batch 4 whose sums may be half.
void addPartials(Collector &cases) {
  auto const add = [&](Set set, Conv conv, unsigned count) {
    conv.halfPartials = true;
    cases.add(set, {"partials"}, conv, count);
  };
  for (Layer const &layer : RESNET50)
    add(layer.set, convOf(layer, 1), layer.count);
  for (Conv::Pass pass : {Conv::Pass::DATA_GRADIENT, Conv::Pass::WEIGHT_GRADIENT})
    for (Layer const &layer : TRAINED) {
      Conv conv = convOf(layer, 4);
      conv.pass = pass;
      add(Set::All, conv, 1);
    }
}

std::vector<Case> casesOf(bool half) {
  Collector cases(half);
  addResnet(cases);
  addDepthwise(cases);
  addGradients(cases);
  if (half)
    addPartials(cases);
  return cases.take();
}

} // namespace

std::vector<Case> convCases() { return casesOf(false); }
std::vector<Case> convHalfCases() { return casesOf(true); }

} // namespace cottonwood::bench
