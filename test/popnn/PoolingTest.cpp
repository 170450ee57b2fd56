#include "NormReference.hpp"

#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

TEST_SUITE_BEGIN("popnn/pooling");

using namespace harness;
using norms::Layout;
using poplar::FLOAT;
using poplar::HALF;
using poplar::INT;
using poplar::Tensor;
using popnn::PoolingType;
using popnn::pooling::PoolParams;
using poputil::poplibs_error;

namespace {

/// One position after another of a shape.
bool step(Shape &index, Shape const &shape) {
  for (std::size_t d = shape.size(); d-- != 0;) {
    if (++index[d] < shape[d])
      return true;
    index[d] = 0;
  }
  return false;
}

std::size_t flat(Shape const &index, Shape const &shape) {
  std::size_t at = 0;
  for (std::size_t d = 0; d != shape.size(); ++d)
    at = at * shape[d] + index[d];
  return at;
}

/// f(window, element, elements of the window) for all elements of all windows of one plane.
template <class F> void forWindows(PoolParams const &p, Shape const &out, F f) {
  if (product(out) == 0)
    return;
  Shape o(out.size(), 0);
  do {
    std::vector<std::size_t> elements;
    Shape k(out.size(), 0);
    do {
      Shape place;
      for (std::size_t d = 0; d != out.size(); ++d) {
        long const at =
            static_cast<long>(o[d] * p.stride[d] + k[d]) - p.inputTruncationOrPaddingLower[d];
        if (at >= 0 && at < static_cast<long>(p.inputFieldShape[d]))
          place.push_back(static_cast<std::size_t>(at));
      }
      if (place.size() == out.size())
        elements.push_back(flat(place, p.inputFieldShape));
    } while (step(k, p.kernelShape));
    for (std::size_t e : elements)
      f(flat(o, out), e, static_cast<double>(elements.size()));
  } while (step(o, out));
}

struct Expected {
  Values out, gradient, scaled;
};

Expected reference(PoolParams const &p, Shape const &outField, Values const &in, Values const &g) {
  std::size_t const planes = p.batchSize * p.numChannels, inSize = product(p.inputFieldShape),
                    outSize = product(outField);
  bool const isMax = p.poolingType == PoolingType::MAX, isMean = p.poolingType == PoolingType::AVG;
  double const least = p.dType == HALF ? -65504 : -INFINITY;
  Expected e{Values(planes * outSize, isMax ? least : 0), Values(in.size(), 0),
             Values(in.size(), 0)};
  for (std::size_t plane = 0; plane != planes; ++plane) {
    double const *x = in.data() + plane * inSize, *d = g.data() + plane * outSize;
    double *out = e.out.data() + plane * outSize;
    double *gradient = e.gradient.data() + plane * inSize,
           *scaled = e.scaled.data() + plane * inSize;
    Values equal(outSize, 0);
    forWindows(p, outField, [&](std::size_t o, std::size_t i, double n) {
      out[o] = isMax ? std::max(out[o], x[i]) : out[o] + x[i] / (isMean ? n : 1);
    });
    forWindows(p, outField,
               [&](std::size_t o, std::size_t i, double) { equal[o] += x[i] == out[o]; });
    forWindows(p, outField, [&](std::size_t o, std::size_t i, double n) {
      double const part = isMax ? (x[i] == out[o] ? d[o] : 0) : d[o] / (isMean ? n : 1);
      gradient[i] += part;
      scaled[i] += isMax && part != 0 ? part / equal[o] : part;
    });
  }
  return e;
}

Shape withField(PoolParams const &p, Shape const &field) {
  Shape shape{p.batchSize, p.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

PoolParams params(PoolingType type, Shape field, Shape kernel, std::vector<unsigned> stride,
                  std::vector<int> lower, std::vector<int> upper, std::size_t channels = 3,
                  std::size_t batch = 2, poplar::Type dType = FLOAT) {
  return PoolParams(type, std::move(field), std::move(kernel), std::move(stride), std::move(lower),
                    std::move(upper), channels, batch, std::move(dType));
}

struct Case {
  Shape field, kernel;
  std::vector<unsigned> stride;
  std::vector<int> lower, upper;
  std::size_t channels, batch;
};

std::vector<Case> const CASES{
    {{8, 8}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 5, 2},
    {{9, 11}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 17, 1},
    {{7, 40}, {3, 5}, {1, 1}, {1, 2}, {1, 2}, 2, 3},
    {{10, 9}, {3, 2}, {2, 3}, {-1, -2}, {-2, 1}, 33, 2}, // truncation
    {{6, 5}, {1, 1}, {2, 2}, {0, 0}, {0, 0}, 4, 2},
    {{5, 5}, {5, 5}, {1, 1}, {0, 0}, {0, 0}, 6, 2}, // the whole field
    {{3, 4}, {2, 2}, {2, 2}, {4, 0}, {3, 2}, 3, 1}, // windows of padding alone
    {{30}, {4}, {3}, {2}, {0}, 9, 2},
    {{300}, {257}, {2}, {100}, {90}, 1, 1}, // a window longer than the field leaves
    {{4, 5, 6}, {2, 3, 2}, {1, 2, 2}, {1, 0, 0}, {0, 1, 1}, 3, 2},
    {{3, 3, 2, 4}, {2, 2, 2, 2}, {1, 1, 1, 2}, {0, 1, 0, 0}, {0, 0, 0, 0}, 2, 1},
    {{}, {}, {}, {}, {}, 5, 3}};

std::vector<Layout> const LAYOUTS{Layout::CHANNELS_FIRST, Layout::CHANNELS_LAST,
                                  Layout::SAMPLES_LAST,   Layout::FIELD_FIRST,
                                  Layout::SLICED,         Layout::EVERY};

struct Result {
  std::size_t output;
  Values expected;
  poplar::Type type;
  double terms, magnitude;
};

/// Adds a forward pass, and the gradients, and what they must give.
void addCase(Run &run, PoolParams const &p, Layout layout, Numbers &numbers,
             std::vector<Result> &results) {
  auto const field = p.getOutputFieldShape();
  Shape const inShape = withField(p, p.inputFieldShape), outShape = withField(p, field);
  // Few values, so that several elements of a window are equal.
  Values const x = numbers.integer(product(inShape), -6, 6),
               g = numbers.real(p.dType, product(outShape));
  Expected const e = reference(p, field, x, g);
  Tensor const in = norms::activations(run, p.dType, inShape, x, layout);
  Tensor const grad = norms::activations(run, p.dType, outShape, g, layout);
  Tensor const out = popnn::pooling::pool(run.graph, p, in, run.prog);
  REQUIRE(out.shape() == outShape);
  bool const isMax = p.poolingType == PoolingType::MAX;
  double const window = static_cast<double>(product(p.kernelShape));
  auto const add = [&](Tensor const &t, Values const &expected, double magnitude) {
    results.push_back({run.output(t), expected, p.dType,
                       p.dType == HALF ? 2 + window / 512 : 4 + window, magnitude});
  };
  add(out, e.out, isMax ? 0 : 6);
  using popnn::pooling::poolInputGradient;
  // Sums of large terms may be small: as large as the windows that hold an element are many.
  double const many = isMax ? 2 * window : 2;
  add(poolInputGradient(run.graph, p, in, out, grad, false, run.prog), e.gradient, many);
  add(poolInputGradient(run.graph, p, in, out, grad, true, run.prog), e.scaled, many);
  if (!isMax)
    add(poolInputGradient(run.graph, p, 1, grad, run.prog), e.gradient, many);
}

void checkAll(Run &run, std::vector<Result> const &results) {
  run.run();
  for (std::size_t i = 0; i != results.size(); ++i) {
    CAPTURE(i);
    checkClose(run.values(results[i].output), results[i].expected, epsilonOf(results[i].type),
               results[i].terms, results[i].magnitude);
  }
}

std::vector<PoolingType> const ALL_TYPES{PoolingType::MAX, PoolingType::AVG, PoolingType::SUM};

/// On every device, one program of all that addCases(type, add) gives to add(params, layout).
template <class F>
void checkCases(unsigned seed, std::vector<PoolingType> const &types, F const &addCases) {
  onDevices([&](DeviceMaker const &device) {
    Numbers numbers(seed);
    Run run(device);
    popnn::addCodelets(run.graph);
    std::vector<Result> results;
    for (PoolingType type : types)
      addCases(type, [&](PoolParams const &p, Layout layout) {
        addCase(run, p, layout, numbers, results);
      });
    checkAll(run, results);
  });
}

} // namespace

TEST_CASE("pooling and its gradients follow their definition") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(23);
    for (PoolingType type : {PoolingType::MAX, PoolingType::AVG, PoolingType::SUM}) {
      CAPTURE(popnn::pooling::asString(type));
      Run run(device);
      popnn::addCodelets(run.graph);
      std::vector<Result> results;
      for (std::size_t i = 0; i != CASES.size(); ++i)
        for (std::size_t l = 0; l != LAYOUTS.size(); l += 2) {
          Case const &c = CASES[i];
          addCase(run,
                  params(type, c.field, c.kernel, c.stride, c.lower, c.upper, c.channels, c.batch,
                         (i + l / 2) % 3 == 0 ? HALF : FLOAT),
                  LAYOUTS[l + (i + static_cast<std::size_t>(type)) % 2], numbers, results);
        }
      checkAll(run, results);
    }
  });
}

TEST_CASE("many channels, long lines and huge windows") {
  checkCases(29, {PoolingType::MAX, PoolingType::AVG}, [](PoolingType type, auto const &add) {
    // Beyond the kernels' blocks of inner elements, of columns and of windows.
    add(params(type, {5, 4}, {3, 2}, {1, 1}, {1, 0}, {0, 1}, 600, 1), Layout::CHANNELS_LAST);
    add(params(type, {2, 9000}, {2, 3}, {2, 2}, {0, 1}, {0, 0}, 1, 1), Layout::CHANNELS_FIRST);
    add(params(type, {6000}, {5000}, {499}, {0}, {0}, 1, 1), Layout::CHANNELS_FIRST);
    add(params(type, {40, 3}, {30, 1}, {5, 1}, {0, 0}, {0, 0}, 300, 1), Layout::CHANNELS_LAST);
  });
}

TEST_CASE("ranges of outputs that go from image to image and from channel to channel") {
  checkCases(31, ALL_TYPES, [](PoolingType type, auto const &add) {
    for (Layout layout : {Layout::CHANNELS_FIRST, Layout::CHANNELS_LAST, Layout::SAMPLES_LAST}) {
      poplar::Type const element = layout == Layout::CHANNELS_LAST ? HALF : FLOAT;
      add(params(type, {37, 41}, {3, 3}, {2, 2}, {1, 1}, {0, 1}, 5, 3, element), layout);
      add(params(type, {9, 17, 19}, {2, 3, 2}, {2, 1, 3}, {0, 1, 0}, {1, 1, 2}, 3, 2), layout);
      add(params(type, {1023}, {5}, {2}, {-3}, {4}, 4, 3, element), layout);
    }
  });
}

TEST_CASE("planes of few and of many elements") {
  checkCases(41, ALL_TYPES, [](PoolingType type, auto const &add) {
    auto const both = [&](Shape field, Shape kernel, std::vector<unsigned> stride,
                          std::vector<int> lower, std::vector<int> upper, std::size_t channels) {
      for (poplar::Type const &element : {FLOAT, HALF})
        add(params(type, field, kernel, stride, lower, upper, channels, 2, element),
            Layout::CHANNELS_FIRST);
    };
    both({7, 7}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 37);
    both({7, 7}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 40);
    both({14, 13}, {3, 3}, {2, 2}, {1, 0}, {0, 1}, 19);
    both({9, 1}, {3, 1}, {2, 1}, {1, 0}, {1, 0}, 33);   // one column
    both({3, 4}, {9, 7}, {1, 1}, {6, 3}, {5, 3}, 18);   // windows larger than planes
    both({11, 13}, {2, 2}, {3, 5}, {0, 1}, {0, 0}, 21); // elements of no window
    both({30, 58}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 5);
    both({13, 75}, {5, 4}, {3, 3}, {2, 0}, {2, 3}, 3);
  });
}

TEST_CASE("maxima of planes pass NaN over and keep the first of two zeros") {
  // Two rows of four columns: windows of 2 x 2. Lines come first, then neighbours.
  float const nan = NAN;
  for (std::size_t const planes : {std::size_t{1}, std::size_t{40}}) {
    Run run(cpu);
    popnn::addCodelets(run.graph);
    Values x;
    for (std::size_t i = 0; i != planes; ++i)
      x.insert(x.end(), {nan, 1, -0.0, 0.0, 0.5, nan, -0.0, 0.0});
    auto const p =
        params(PoolingType::MAX, {2, 4}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, planes, 1, FLOAT);
    Tensor const in = run.input(FLOAT, {1, planes, 2, 4}, x);
    run.output(popnn::pooling::pool(run.graph, p, in, run.prog));
    run.run();
    Values const out = run.values(0);
    for (std::size_t i = 0; i != planes; ++i) {
      CHECK(out[2 * i] == 1);
      CHECK(out[2 * i + 1] == 0);
      CHECK(std::signbit(out[2 * i + 1]));
    }
  }
}

TEST_CASE("blocks of channels, in small pieces on tiles") {
  checkCases(37, ALL_TYPES, [](PoolingType type, auto const &add) {
    for (PoolParams const &p :
         {params(type, {17, 13}, {3, 3}, {2, 2}, {1, 1}, {0, 1}, 12, 3, HALF),
          params(type, {9, 5, 7}, {2, 3, 2}, {2, 1, 3}, {0, 1, 0}, {1, 1, 2}, 6, 2),
          params(type, {203}, {5}, {2}, {-3}, {4}, 4, 3, HALF),
          params(type, {7, 6}, {7, 6}, {1, 1}, {0, 0}, {0, 0}, 8, 2),
          params(type, {7, 6}, {7, 6}, {1, 1}, {0, 0}, {1, 0}, 8, 1, HALF)})
      add(p, Layout::BLOCKED);
  });
}

TEST_CASE("pooling without elements") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    popnn::addCodelets(run.graph);
    auto &g = run.graph;
    for (PoolingType type : {PoolingType::MAX, PoolingType::SUM}) {
      auto const noBatch = params(type, {4, 4}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 3, 0);
      Tensor const none = g.addVariable(FLOAT, {0, 3, 4, 4});
      Tensor const out = popnn::pooling::pool(g, noBatch, none, run.prog);
      CHECK(out.shape() == Shape{0, 3, 2, 2});
      CHECK(popnn::pooling::poolInputGradient(g, noBatch, none, out, out, true, run.prog).shape() ==
            Shape{0, 3, 4, 4});
      // A kernel that does not fit gives no outputs, and gradients of 0.
      auto const noOutput = params(type, {3}, {4}, {1}, {0}, {0}, 2, 1);
      Tensor const in = run.input(FLOAT, {1, 2, 3}, Values(6, 1));
      Tensor const nothing = popnn::pooling::pool(g, noOutput, in, run.prog);
      CHECK(nothing.shape() == Shape{1, 2, 0});
      run.output(
          popnn::pooling::poolInputGradient(g, noOutput, in, nothing, nothing, false, run.prog));
      // A field without elements, padded.
      auto const noField = params(type, {0}, {2}, {1}, {1}, {1}, 2, 1);
      run.output(popnn::pooling::pool(g, noField, g.addVariable(FLOAT, {1, 2, 0}), run.prog));
    }
    run.run();
    CHECK(run.values(0) == Values(6, 0));
    CHECK(run.values(1) == Values(2, -INFINITY));
    CHECK(run.values(2) == Values(6, 0));
    CHECK(run.values(3) == Values(2, 0));
  });
}

TEST_CASE("outputs are spread over the tiles, gradients lie as the input does") {
  Run run(model);
  popnn::addCodelets(run.graph);
  auto const p = params(PoolingType::AVG, {8, 8}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 4, 2);
  Tensor const in = run.graph.addVariable(FLOAT, {2, 4, 8, 8});
  run.graph.setTileMapping(in.slice(0, 1), 2);
  run.graph.setTileMapping(in.slice(1, 2), 3);
  Tensor const out = popnn::pooling::pool(run.graph, p, in, run.prog);
  for (auto const &intervals : run.graph.getTileMapping(out))
    CHECK(!intervals.empty());
  Tensor const gradient =
      popnn::pooling::poolInputGradient(run.graph, p, in, out, out, false, run.prog);
  CHECK(run.graph.getTileMapping(gradient) == run.graph.getTileMapping(in));
}

TEST_CASE("large fields take few vertices") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  auto const p = params(PoolingType::MAX, {1000, 1000}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 64, 8);
  Tensor const in = run.graph.addVariable(HALF, {8, 64, 1000, 1000});
  run.graph.setTileMapping(in, 0);
  PoolParams half = p;
  half.dType = HALF;
  Tensor const out = popnn::pooling::pool(run.graph, half, in, run.prog);
  popnn::pooling::poolInputGradient(run.graph, half, in, out, out, true, run.prog);
  CHECK(run.graph.getNumVertices() < 100);
}

TEST_CASE("output shapes, operations and texts") {
  auto const p = params(PoolingType::AVG, {5, 7}, {3, 2}, {2, 3}, {1, -1}, {1, 0}, 4, 2);
  CHECK(p.getNumFieldDims() == 2);
  CHECK(p.getOutputFieldShape() == Shape{3, 2});
  CHECK(popnn::pooling::getOutputFieldShape(p) == Shape{3, 2});
  // Rows hold 2, 3 and 2 elements, columns 2 and 2.
  CHECK(popnn::pooling::getFwdFlops(p) == (7 * 4 + 6) * 8);
  CHECK(popnn::pooling::getBwdFlops(p) == popnn::pooling::getFwdFlops(p));
  auto max = p;
  max.poolingType = PoolingType::MAX;
  CHECK(popnn::pooling::getFwdFlops(max) == 7 * 4 * 8);
  Run run(model);
  double const cycles = popnn::pooling::getFwdPerfectCycleCount(run.graph, p);
  CHECK(cycles > 0);
  CHECK(popnn::pooling::getBwdPerfectCycleCount(run.graph, p) == 2 * cycles);
  CHECK(std::string(popnn::pooling::asString(PoolingType::MAX)) == "max");
  CHECK(std::string(popnn::pooling::asString(PoolingType::AVG)) == "avg");
  CHECK(std::string(popnn::pooling::asString(PoolingType::SUM)) == "sum");
  std::ostringstream text;
  text << p;
  CHECK(text.str().find("kernelShape {3,2}") != std::string::npos);
}

TEST_CASE("arguments that do not fit are named in the error") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  auto &g = run.graph;
  auto const p = params(PoolingType::MAX, {4, 4}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 3, 2);
  Tensor const in = g.addVariable(FLOAT, {2, 3, 4, 4}), out = g.addVariable(FLOAT, {2, 3, 2, 2});
  using popnn::pooling::pool;
  using popnn::pooling::poolInputGradient;
  auto wrong = p;
  wrong.stride = {2};
  CHECK_THROWS_WITH_AS(pool(g, wrong, in, run.prog),
                       "popnn::pooling: Mismatched window dimensions on poplibs pool operation: "
                       "inputFieldShape has 2 dimensions, kernelShape 2, stride 1, "
                       "inputTruncationOrPaddingLower 2, Upper 2",
                       poplibs_error);
  wrong.stride = {2, 0};
  CHECK_THROWS_WITH_AS(pool(g, wrong, in, run.prog),
                       "popnn::pooling: dimension 1 of the field has kernel 2 and stride 0; both "
                       "must be at least 1",
                       poplibs_error);
  wrong = p;
  for (int const pad : {std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    wrong.inputTruncationOrPaddingUpper = {0, pad};
    std::string const text = "popnn::pooling: dimension 1 of the field has padding 0 and " +
                             std::to_string(pad) +
                             "; both must lie between -536870911 and 536870911";
    CHECK_THROWS_WITH_AS(pool(g, wrong, in, run.prog), text.c_str(), poplibs_error);
  }
  CHECK_THROWS_WITH_AS(pool(g, p, out, run.prog),
                       "popnn::pooling::pool: 'in' has shape [2, 3, 2, 2]; for these parameters it "
                       "must be [2, 3, 4, 4]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(pool(g, p, in.flatten(), run.prog),
                       "popnn::pooling::pool: 'in' has shape [96]; it must have at least rank 2: "
                       "[batch, channels, ...field]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(pool(g, p, g.addVariable(HALF, {2, 3, 4, 4}), run.prog),
                       "popnn::pooling::pool: 'in' is of type half; for these parameters it must "
                       "be float",
                       poplibs_error);
  CHECK_THROWS_AS(pool(g, p, g.addVariable(INT, {2, 3, 4, 4}), run.prog), poplibs_error);
  CHECK_THROWS_AS(pool(g, p, Tensor(), run.prog), poplibs_error);
  CHECK_THROWS_WITH_AS(poolInputGradient(g, p, in, out, in, false, run.prog),
                       "popnn::pooling::poolInputGradient: 'pooledGradient' has shape [2, 3, 4, "
                       "4]; for these parameters it must be [2, 3, 2, 2]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(poolInputGradient(g, p, 1, out, run.prog),
                       "popnn::pooling::poolInputGradient: the gradient of MAX needs the input; "
                       "use the form that takes 'in' and 'pooled'",
                       poplibs_error);
  CHECK_THROWS_AS(pool(g, p, in, run.prog, {}, {{"optimiseForSpeed", "true"}}),
                  poplar::invalid_option);
  CHECK_THROWS_AS(pool(g, p, in, run.prog, {}, {{"optimizeForSpeed", "yes"}}),
                  poplar::invalid_option);
  CHECK_NOTHROW(pool(g, p, run.input(FLOAT, {2, 3, 4, 4}, Values(96)), run.prog, {},
                     {{"optimizeForSpeed", "true"},
                      {"poolUseIntrospectiveMapping", "false"},
                      {"useFloatPartialsWhereBeneficial", "true"}}));
}

TEST_SUITE_END();
