#pragma once

#include <poplin/FullyConnected.hpp>

namespace poplin {

namespace fc {

POP_INLINE std::vector<std::pair<MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(FullyConnectedParams parameters, poplar::OptionFlags matmulOptions,
                           poplar::Type type, bool inferenceOnly) {
  std::size_t const g = parameters.numGroups, batch = parameters.batchSize,
                    in = parameters.inputSize, out = parameters.outputSize;
  std::vector<std::pair<MatMulParams, poplar::OptionFlags>> products;
  auto const add = [&](std::vector<std::size_t> a, std::vector<std::size_t> b, char const *pass) {
    poplar::OptionFlags options = matmulOptions;
    options.set("fullyConnectedPass", pass);
    products.emplace_back(MatMulParams{type, type, std::move(a), std::move(b)}, std::move(options));
  };
  add({g, batch, in}, {g, in, out}, inferenceOnly ? "INFERENCE_FWD" : "TRAINING_FWD");
  if (inferenceOnly)
    return products;
  add({g, batch, out}, {g, out, in}, "TRAINING_BWD");
  add({g, in, batch}, {g, batch, out}, "TRAINING_WU");
  return products;
}

} // namespace fc

} // namespace poplin
