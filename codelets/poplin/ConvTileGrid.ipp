#pragma once

#include <codelets/poplin/ConvTileGrid.hpp>

namespace cottonwood::kernels {

POP_INLINE bool ConvGridDim::fit(const ConvDim &dim, bool lines) {
  outputs = dim.outputs, taps = dim.taps, inStride = dim.inStride;
  if (dim.numClasses == 0 || !fitSteps(dim))
    return false;
  first = dim.classes[0].in - dim.classes[0].out * step - dim.classes[0].tap * tapStep;
  low = high = dim.classes[0].in;
  long long meetings = 0;
  for (std::size_t x = 0; x < dim.numClasses; ++x) {
    const ConvClass &c = dim.classes[x];
    meetings += static_cast<long long>(c.outCount) * c.tapCount;
    const int byOutputs = (c.outCount - 1) * c.inOut, byTaps = (c.tapCount - 1) * c.inTap;
    for (const int in : {c.in, c.in + byOutputs, c.in + byTaps, c.in + byOutputs + byTaps})
      low = in < low ? in : low, high = in > high ? in : high;
  }
  // All that meet are within; so do exactly those, if there are no more.
  for (int t = 0; t < taps; ++t) {
    const int within =
        detail::termsWithin(first + t * tapStep, step, outputs, {low, high + 1}).size();
    meetings -= within > 0 ? within : 0;
  }
  if (meetings != 0)
    return false;
  if (lines)
    residues = 1, firstCell = 0, cells = outputs;
  else
    fitCells();
  return true;
}

/// Steps that explain all classes.
POP_INLINE bool ConvGridDim::fitSteps(const ConvDim &dim) {
  const ConvClass &o = dim.classes[0];
  bool known = false, tapKnown = false;
  const auto learn = [](bool &isKnown, int &value, int by, int over) {
    if (over != 0 && !isKnown)
      value = by / over, isKnown = true;
  };
  step = 1, tapStep = 0;
  for (const bool both : {false, true})
    for (std::size_t x = 0; x < dim.numClasses; ++x) {
      const ConvClass &c = dim.classes[x];
      const int in = c.in - o.in, out = c.out - o.out, tap = c.tap - o.tap;
      learn(known, step, c.inOut, c.outCount > 1 ? c.outStep : 0);
      learn(tapKnown, tapStep, c.inTap, c.tapCount > 1 ? c.tapStep : 0);
      learn(known, step, in - tap * tapStep, tap == 0 || (both && tapKnown) ? out : 0);
      learn(tapKnown, tapStep, in - out * step, out == 0 || (both && known) ? tap : 0);
    }
  // One output has any step: taps get grids of their own.
  if (outputs == 1)
    step = (taps - 1) * (tapStep < 0 ? -tapStep : tapStep) + 1;
  if (step < 1)
    return false;
  for (std::size_t x = 0; x < dim.numClasses; ++x) {
    const ConvClass &c = dim.classes[x];
    if ((c.outCount > 1 && c.inOut != c.outStep * step) ||
        (c.tapCount > 1 && c.inTap != c.tapStep * tapStep) ||
        c.in - o.in != (c.out - o.out) * step + (c.tap - o.tap) * tapStep)
      return false;
  }
  return true;
}

POP_INLINE void ConvGridDim::fitCells() {
  int rest = tapStep < 0 ? -tapStep : tapStep, period = step; // the greatest common divisor
  while (rest != 0) {
    const int next = period % rest;
    period = rest, rest = next;
  }
  period = step / period;
  residues = period < taps ? period : taps;
  firstCell = 0;
  int last = 0;
  for (int t = 0; t < taps; ++t) {
    const int cell = floorDiv(t * tapStep);
    firstCell = cell < firstCell ? cell : firstCell;
    last = cell > last ? cell : last;
  }
  cells = outputs + last - firstCell;
}

POP_INLINE bool ConvGrid::fit(const ConvGeometry &geometry) {
  *this = {};
  if (geometry.dims < 2)
    return false;
  dims = geometry.dims - 1;
  channels = static_cast<std::size_t>(geometry.dim[dims].taps);
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  const std::size_t lastTaps = size(geometry.dim[dims - 1].taps);
  lines = convTapLines(channels, lastTaps);
  values = lines ? channels * lastTaps : channels;
  std::size_t next = 1;
  for (unsigned d = dims; d-- > 0;) {
    const bool line = lines && d + 1 == dims;
    if (!dim[d].fit(geometry.dim[d], line))
      return false;
    pitch[d] = next;
    outputs *= size(dim[d].outputs), taps *= line ? 1 : size(dim[d].taps);
    grids *= size(dim[d].residues);
    positions += size(dim[d].outputs - 1) * next;
    reach += size(dim[d].cells - dim[d].outputs) * next;
    next *= size(dim[d].cells);
  }
  return true;
}

POP_INLINE ConvGridPlan convGridPlan(ConvGrid &grid, const ConvGeometry &geometry,
                                     std::size_t columns, MatMulMethod method) {
  if (!onMatMulTiles(method) || !grid.fit(geometry) || grid.channels == 0)
    return {};
  constexpr std::size_t SIDE = MATMUL_TILE_BLOCK, STEP = 32, LINE = 64;
  constexpr std::size_t INPUT = 1024 * 1024, PANEL = 640 * 1024, ALL_OF_B = 512 * 1024;
  const std::size_t pieces = matMulTilePieces(method), chunks = convTileSteps(grid.values);
  const std::size_t cell = grid.grids * chunks * pieces * LINE; // all that a position needs
  const std::size_t all = (grid.positions + SIDE - 1) / SIDE * SIDE;
  if (grid.outputs == 0 || grid.taps * grid.values == grid.channels ||
      cell * (grid.reach + SIDE) > INPUT)
    return {};
  ConvGridPlan plan;
  const std::size_t most = (INPUT / cell - grid.reach) / SIDE * SIDE;
  const std::size_t bands = (all + most - 1) / most;
  plan.band = ((all + bands - 1) / bands + SIDE - 1) / SIDE * SIDE;
  const std::size_t depth = grid.taps * chunks * STEP, deepest = PANEL / (2 * pieces * SIDE);
  const std::size_t passes = (depth + deepest - 1) / deepest;
  plan.depth = ((depth + passes - 1) / passes + STEP - 1) / STEP * STEP;

  const std::size_t sizeOfB = (columns + SIDE - 1) / SIDE * SIDE * 2 * pieces * depth;
  plan.keepsB = bands > 1 && passes == 1 && sizeOfB <= ALL_OF_B;

  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  const double pair = 10 + 7 * number(pieces);
  const double products = number(matMulTileProducts(method));
  const double panels = number((columns + SIDE - 1) / SIDE), steps = number(grid.taps * chunks);
  const double rows = number((grid.outputs + SIDE - 1) / SIDE);
  const double tiles = 64 * products * panels * steps;
  const double packedB = SIDE * pair * panels * steps;
  const double gathered =
      rows * (tiles + SIDE * pair * steps *
                          number((columns + MATMUL_TILE_COLUMNS - 1) / MATMUL_TILE_COLUMNS)) +
      packedB * number((grid.outputs + 1023) / 1024);
  const double inGrids = number(all / SIDE) * tiles + number(plan.keepsB ? 1 : bands) * packedB +
                         number(bands * (plan.band + grid.reach) * cell / (pieces * LINE)) * pair;
  return inGrids < gathered ? plan : ConvGridPlan{};
}

} // namespace cottonwood::kernels
