// The network as a Poplar program: one hidden layer with relu, softmax, cross-entropy, and its
// training by gradient descent with momentum.
#pragma once

#include "Weights.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fashion {

struct NetworkConfig {
  poplar::Type type = poplar::FLOAT; ///< of activations and gradients; weights are kept in FLOAT
  std::size_t inputs = 0, hidden = 0, classes = 0;
  std::size_t batch = 0;   ///< images a step
  unsigned trainSteps = 0; ///< that one run of TRAIN takes
  unsigned testSteps = 0;  ///< that one run of TEST takes
  float momentum = 0;
  float inputMean = 0;      ///< pixels (0 to 255) are shifted by it ...
  float inputDeviation = 1; ///< ... and divided by it
};

/// The programs, in the order of buildNetwork's result.
enum ProgramId : unsigned {
  PREPARE, ///< after the weights were written: derives what depends on them
  TRAIN,   ///< trainSteps times: IMAGES, LABELS and RATE in, LOSS out
  TEST     ///< testSteps times: IMAGES in, ANSWERS out
};

/// Names of streams, and of the tensor WEIGHTS for Engine::readTensor and writeTensor.
namespace handle {
inline constexpr char const *IMAGES = "images";   // [batch, inputs] UNSIGNED_CHAR
inline constexpr char const *LABELS = "labels";   // [batch] UNSIGNED_INT
inline constexpr char const *RATE = "rate";       // [] FLOAT: the step's learning rate
inline constexpr char const *LOSS = "loss";       // [] FLOAT: the mean over the batch
inline constexpr char const *ANSWERS = "answers"; // [batch, classes] FLOAT: probabilities
inline constexpr char const *WEIGHTS = "weights"; // FLOAT: all arrays of weightArrays(), in order
} // namespace handle

std::vector<NamedShape> weightArrays(NetworkConfig const &config);

/// Uniform numbers of variance 2 / inputs for each layer (which keeps the scale through relu), zero
/// for biases; the same on every machine.
std::vector<float> initialWeights(NetworkConfig const &config, std::uint64_t seed);

/// Adds everything to an empty graph.
std::vector<poplar::program::Program> buildNetwork(poplar::Graph &graph,
                                                   NetworkConfig const &config);

} // namespace fashion
