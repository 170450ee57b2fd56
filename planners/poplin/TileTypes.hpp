// A product or convolution as the planner for tiles of an IPU sees it: the problem, the machine,
// what is charged, and the plan.
//
// A matrix product [g, m, k] x [g, k, n] is the convolution of a field of m positions with k input
// and n output channels, or, with the operands swapped, of a field of n positions with m output
// channels.
#pragma once

#include "ProductTypes.hpp"

#include <codelets/poplin/AmpCost.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace cottonwood::planner {

/// One dimension of the field.
struct TileField {
  std::uint64_t outputs = 1, taps = 1, inputs = 1;
  std::uint64_t stride = 1;    ///< inputs from one output to the next
  std::uint64_t tapStep = 1;   ///< inputs from one tap to the next: dilation of the kernel
  std::uint64_t inputStep = 1; ///< dilation of the input: places from one input to the next
  bool padded = false;         ///< some taps meet places without an input
  bool meetsAll = false;       ///< every output meets every input by some tap
  friend bool operator==(TileField const &, TileField const &) = default;

  /// Inputs that some outputs need for some taps.
  std::uint64_t inputsFor(std::uint64_t someOutputs, std::uint64_t someTaps) const {
    std::uint64_t const reach = (someOutputs - 1) * stride + (someTaps - 1) * tapStep + 1;
    return std::min(inputs, detail::ceilDiv(reach, inputStep));
  }
};

/// Sizes of a convolution; all above 0 but for `gatheredI`.
struct TileProblem {
  static constexpr std::string_view NAME = "tile-problem";
  std::uint64_t g = 1, b = 1, n = 1, i = 1; ///< groups, batch, output and input channels of a group
  std::array<TileField, 3> field;
  MatMulType input = MatMulType::HALF, output = MatMulType::HALF, partials = MatMulType::HALF;
  bool isMatMul = false; ///< operands may be swapped; tables of published plans take that for free
  bool flattens = false; ///< each output meets one input of its own: positions are like rows
  bool expands = false;  ///< windows lie side by side: taps are like channels, and then it flattens
  bool lastIsMany = false; ///< the last dimension stands for several and is not split

  /// As a plan sees it whose tiles lay taps out as channels themselves: channels and fields before
  /// that. Otherwise 0 channels.
  std::uint64_t gatheredI = 0;
  std::array<TileField, 3> gathered;

  /// As a plan sees it in which outputs of some dimensions are output channels and their inputs
  /// input channels: channels before that and taps of these dimensions. Otherwise 0 channels.
  std::uint64_t flattenedN = 0, flattenedI = 0, flattenedTaps = 1;

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("g", self.g);
    visit("b", self.b);
    visit("n", self.n);
    visit("i", self.i);
    static constexpr std::string_view names[3][8] = {
        {"outputs0", "taps0", "inputs0", "stride0", "tapStep0", "inputStep0", "padded0",
         "meetsAll0"},
        {"outputs1", "taps1", "inputs1", "stride1", "tapStep1", "inputStep1", "padded1",
         "meetsAll1"},
        {"outputs2", "taps2", "inputs2", "stride2", "tapStep2", "inputStep2", "padded2",
         "meetsAll2"}};
    for (std::size_t d = 0; d != 3; ++d) {
      auto &f = self.field[d];
      visit(names[d][0], f.outputs);
      visit(names[d][1], f.taps);
      visit(names[d][2], f.inputs);
      visit(names[d][3], f.stride);
      visit(names[d][4], f.tapStep);
      visit(names[d][5], f.inputStep);
      visit(names[d][6], f.padded);
      visit(names[d][7], f.meetsAll);
    }
    visit("input", self.input);
    visit("output", self.output);
    visit("partials", self.partials);
    visit("isMatMul", self.isMatMul);
    visit("flattens", self.flattens);
    visit("expands", self.expands);
    visit("lastIsMany", self.lastIsMany);
  }
  friend bool operator==(TileProblem const &, TileProblem const &) = default;

  /// Bits of the dimensions with more than one tap.
  std::uint32_t windows() const {
    std::uint32_t dims = 0;
    for (std::uint32_t d = 0; d != 3; ++d)
      dims |= field[d].taps > 1 ? 1U << d : 0U;
    return dims;
  }

  /// Bits of the dimensions in which some taps meet no input.
  std::uint32_t padded() const {
    std::uint32_t dims = 0;
    for (std::uint32_t d = 0; d != 3; ++d)
      dims |= field[d].padded ? 1U << d : 0U;
    return dims;
  }

  /// Bits of the dimensions whose outputs may be output channels. \param zeros  even if some of
  /// their weights are zeros then
  std::uint32_t flattenable(bool zeros) const {
    std::uint32_t dims = 0;
    for (std::uint32_t d = 0; d != (lastIsMany ? 2 : 3); ++d)
      if (field[d].outputs > 1 && field[d].inputs <= field[d].taps && (zeros || field[d].meetsAll))
        dims |= 1U << d;
    return dims;
  }

  std::uint64_t taps() const { return field[0].taps * field[1].taps * field[2].taps; }
  std::uint64_t positions() const {
    return b * field[0].outputs * field[1].outputs * field[2].outputs;
  }
  /// Multiply-adds, those with padding included.
  double macs() const {
    return static_cast<double>(g) * static_cast<double>(n) * static_cast<double>(i) *
           static_cast<double>(taps()) * static_cast<double>(positions());
  }
};

/// What computes a block on a tile.
enum class TileMethod : std::uint32_t {
  AMP_1X1, ///< positions of one tap each as the rows of a matrix product
  AMP_NX1, ///< general filters, row by row
  SLIC,    ///< windows of four taps that slide along rows, for groups of few channels
  HMAC,    ///< vector arithmetic: sums along channels
  VMAC,    ///< vector arithmetic: groups of one channel side by side
  OUTER    ///< vector arithmetic: one input channel times all output channels
};
template <> struct EnumNames<TileMethod> {
  static constexpr std::string_view names[] = {"amp1x1", "ampNx1", "slic", "hmac", "vmac", "outer"};
};

/// Which parts are neighbours among tiles, outermost first: I are parts of sums (input channels and
/// taps), Y positions (batch and field), N output channels.
enum class TileOrder : std::uint32_t { IYN, NYI, YIN, NIY, YNI, INY };
template <> struct EnumNames<TileOrder> {
  static constexpr std::string_view names[] = {"iyn", "nyi", "yin", "niy", "yni", "iny"};
};

/// How a convolution is cut into blocks for tiles. Channels are cut between whole groups. Parts are
/// equal but for the last: part i of s takes the units [i * ceil(n / s), ...).
struct TilePlan {
  static constexpr std::string_view NAME = "tiles";
  TileMethod method = TileMethod::AMP_1X1;
  bool flat = true;         ///< positions are cut as one row of all of them
  bool swap = false;        ///< of a product: columns are positions, rows are output channels
  std::uint32_t expand = 0; ///< bits of dimensions whose taps are laid out as input channels first
  /// Bits of dimensions whose outputs are output channels, and their inputs input channels.
  std::uint32_t flatten = 0;
  std::uint32_t inGroup = 16, outGroup = 16; ///< channels of a group
  std::uint32_t convGroup = 1;               ///< groups that are computed at a time
  std::uint32_t filterHeight = 1;            ///< taps in the first dimension held at a time
  std::uint32_t units = 0;                   ///< of the matrix unit; 0: it is not used
  std::uint32_t grain = 1;                   ///< flat: parts are so many positions, or a multiple
  std::uint64_t splitG = 1, splitB = 1;
  std::uint64_t splitY0 = 1, splitY1 = 1, splitY2 = 1; ///< outputs; flat: splitY0 cuts positions
  std::uint64_t splitN = 1;
  std::uint64_t splitI = 1, splitK0 = 1, splitK1 = 1, splitK2 = 1; ///< partial sums are added
  std::uint64_t serialN = 1, serialI = 1; ///< parts of channels, one after another
  std::uint64_t stages = 1;               ///< of the addition of partial sums
  TileOrder order = TileOrder::IYN;
  std::uint64_t firstTile = 0;
  std::uint64_t otherSplits = 1; ///< what constraints may ask for and no plan has: 1

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("method", self.method);
    visit("flat", self.flat);
    visit("swap", self.swap);
    visit("expand", self.expand);
    visit("flatten", self.flatten);
    visit("inGroup", self.inGroup);
    visit("outGroup", self.outGroup);
    visit("convGroup", self.convGroup);
    visit("filterHeight", self.filterHeight);
    visit("units", self.units);
    visit("grain", self.grain);
    visit("splitG", self.splitG);
    visit("splitB", self.splitB);
    visit("splitY0", self.splitY0);
    visit("splitY1", self.splitY1);
    visit("splitY2", self.splitY2);
    visit("splitN", self.splitN);
    visit("splitI", self.splitI);
    visit("splitK0", self.splitK0);
    visit("splitK1", self.splitK1);
    visit("splitK2", self.splitK2);
    visit("serialN", self.serialN);
    visit("serialI", self.serialI);
    visit("stages", self.stages);
    visit("order", self.order);
    visit("firstTile", self.firstTile);
    visit("otherSplits", self.otherSplits);
  }
  friend bool operator==(TilePlan const &, TilePlan const &) = default;

  /// Tiles that compute.
  std::uint64_t parts() const { return splitG * places() * splitN * sums(); }
  /// Parts of the positions.
  std::uint64_t places() const { return splitB * splitY0 * splitY1 * splitY2; }
  /// Partial sums of each element that are computed at a time.
  std::uint64_t sums() const { return splitI * splitK0 * splitK1 * splitK2; }
  std::uint64_t serialParts() const { return serialN * serialI; }
  bool onAmp() const { return method == TileMethod::AMP_1X1 || method == TileMethod::AMP_NX1; }
};

/// What callers of the API name plans by, derived from a plan: constraints may speak of these, too.
struct TileTraits {
  static constexpr std::string_view NAME = "tile-traits";
  std::string unit; ///< amp, slic, hmac, vmac, outer_product
  std::uint64_t convUnits = 0;
  std::uint64_t chains = 0, window = 0; ///< of SLIC; others have none
  std::uint64_t convGroupsPerGroup = 1, inChansPerGroup = 1, partialChansPerGroup = 1;
  std::uint64_t combine = 1; ///< groups whose channels are computed as those of one

  template <class Self, class Visit> static void fields(Self &self, Visit &&visit) {
    visit("unit", self.unit);
    visit("convUnits", self.convUnits);
    visit("chains", self.chains);
    visit("window", self.window);
    visit("convGroupsPerGroup", self.convGroupsPerGroup);
    visit("inChansPerGroup", self.inChansPerGroup);
    visit("partialChansPerGroup", self.partialChansPerGroup);
    visit("combine", self.combine);
  }
};

inline TileTraits traitsOf(TilePlan const &plan, bool halfPartials) {
  static constexpr std::string_view UNITS[] = {"amp",  "amp",  "slic",
                                               "hmac", "vmac", "outer_product"};
  TileTraits traits;
  traits.unit = UNITS[static_cast<std::size_t>(plan.method)];
  traits.convUnits = plan.units;
  bool const slic = plan.method == TileMethod::SLIC, vmac = plan.method == TileMethod::VMAC;
  if (slic)
    traits.chains = halfPartials ? 2 : 4, traits.window = 4;
  // Groups that vertices know of, or those of channels with zeros between them.
  std::uint64_t const groups = slic || vmac ? plan.convGroup : 1;
  traits.convGroupsPerGroup = groups;
  traits.inChansPerGroup = plan.inGroup / groups;
  traits.partialChansPerGroup = plan.outGroup / groups;
  traits.combine = plan.convGroup / groups;
  return traits;
}

/// What a plan is charged for besides its vertices.
struct TileCharges {
  /// The charges that published planners know: no synchronisation, every block as large as the
  /// largest, padded to whole groups, and partial sums exchanged even where there is but one.
  /// Otherwise the charges of the model that runs emitted graphs.
  bool published = false;
  bool paddingMoves = true;      ///< of published charges: padded operands are laid out anew
  std::uint64_t syncCycles = 83; ///< before each compute set and each exchange
  std::uint64_t exchangeStartCycles = 100;
  std::uint64_t messageCycles = 1;
};

/// Flows between IPUs, (source, destination), that share a bandwidth.
struct TileLink {
  double bytesPerCycle = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> flows;
};

/// What a plan for tiles depends on.
struct TileMachine {
  std::uint64_t tiles = 1;       ///< of all IPUs
  std::uint64_t tilesPerIPU = 0; ///< 0: there is one IPU
  std::uint64_t globalSyncCycles = 0;
  std::vector<TileLink> links; ///< between IPUs
  std::uint64_t bytesPerTile = 0;
  double memoryProportion = 0.6; ///< of a tile's memory that temporaries may take
  std::uint64_t exchangeBytesPerCycle = 4;
  bool sharedExchangeBus = true; ///< neighbouring tiles receive the same data at twice the rate
  bool multiStage = true;        ///< partial sums may be added in several stages
  kernels::AmpUnit amp;          ///< for the types of the problem
  TileCharges charges;

  /// Bytes of a tile that temporaries may take.
  double allowedBytes() const { return memoryProportion * static_cast<double>(bytesPerTile); }
  /// Multiply-adds a cycle of all tiles.
  double peak() const {
    return static_cast<double>(tiles) * static_cast<double>(amp.macsPerCycle());
  }
};

/// Cycles of the parts of a plan.
struct TileTerms {
  std::uint64_t transform = 0; ///< laying operands and results out anew
  std::uint64_t slice = 0;     ///< of serial parts: taking a part of the weights
  std::uint64_t exchange = 0, compute = 0, reduction = 0;
  std::uint64_t update = 0; ///< of serial parts: writing a part of the result
  std::uint64_t total() const {
    return transform + slice + exchange + compute + reduction + update;
  }
};

/// A plan with its reasons.
struct TileChoice {
  TilePlan plan;
  Cost cost;
  TileTerms terms;
  std::uint64_t considered = 0;            ///< plans whose cost was computed
  std::vector<Candidate<TilePlan>> others; ///< the best ones that lost, cheapest first
  std::string explanation;                 ///< how the plan was found
};

} // namespace cottonwood::planner
