// Machines that plans of products and convolutions are tested on.
#pragma once

#include <planners/poplin/MatMulTypes.hpp>

namespace cottonwood::planner {

/// Tiles for numbers of a type.
inline TileMachine machineOf(std::uint64_t tiles, MatMulType type = MatMulType::FLOAT,
                             std::uint64_t bytes = 600000) {
  TileMachine machine;
  machine.tiles = tiles;
  machine.bytesPerTile = bytes;
  if (type == MatMulType::FLOAT) {
    machine.amp.halfInput = machine.amp.halfPartials = false;
    machine.amp.inputsPerGroup = 8, machine.amp.inputsPerCycle = 1;
  }
  return machine;
}

inline TileProblem product(std::uint64_t g, std::uint64_t m, std::uint64_t k, std::uint64_t n,
                           MatMulType type = MatMulType::FLOAT) {
  TileProblem p;
  p.g = g, p.n = n, p.i = k;
  p.field[0].outputs = p.field[0].inputs = m;
  p.input = p.output = p.partials = type;
  p.isMatMul = p.flattens = true;
  return p;
}

/// 3 x 3 over a square field.
inline TileProblem layer(std::uint64_t batch, std::uint64_t size, std::uint64_t in,
                         std::uint64_t out, MatMulType type = MatMulType::FLOAT) {
  TileProblem p;
  p.b = batch, p.i = in, p.n = out;
  p.field[0] = p.field[1] = {size, 3, size};
  p.input = p.output = p.partials = type;
  return p;
}

inline MatMulCpu cpuOf(unsigned threads) {
  MatMulCpu cpu;
  cpu.threads = threads;
  return cpu;
}

} // namespace cottonwood::planner
