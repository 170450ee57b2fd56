// Trains and tests the network on a device.
#pragma once

#include "Images.hpp"
#include "Network.hpp"
#include "Options.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fashion {

inline constexpr unsigned CLASSES = 10;

/// The choices that make a training run; results are a function of these and the images.
struct Recipe {
  DeviceKind device = DeviceKind::CPU;
  NumberKind type = NumberKind::FLOAT;
  unsigned workers = 0; ///< 0: one thread a core
  unsigned epochs = 0;
  std::uint64_t seed = 1;
  std::size_t hidden = 256;
  std::size_t batch = 100;
  float rate = 0.04f; ///< at the first step; it falls to 0 in a straight line
  float momentum = 0.9f;
};

/// What the IPU Model trains on, and the test that compares devices: running thousands of modelled
/// tiles takes its time.
struct Subset {
  char const *name;
  std::size_t trainImages, testImages;
  unsigned epochs;
};
inline constexpr Subset SUBSET = {"first-10000", 10000, 10000, 4};
inline constexpr unsigned FULL_EPOCHS = 8;

struct TestResult {
  std::vector<std::uint8_t> answers; ///< the class given to each image
  std::vector<float> certainties;    ///< its probability
  double accuracy = 0;
};

/// Called after each step with its number from 0 and its mean loss.
using StepWatcher = std::function<void(std::size_t step, float loss)>;

class Trainer {
public:
  /// Compiles the network and loads it on the device, with first weights of the seed. The images
  /// must outlive the trainer.
  /// \throws std::runtime_error  fewer training images than one batch, or sizes that differ.
  Trainer(Recipe const &recipe, Images const &train, Images const &test);

  std::size_t stepsPerEpoch() const { return config_.trainSteps; }
  std::size_t steps() const { return stepsPerEpoch() * recipe_.epochs; }
  std::size_t imagesPerEpoch() const { return stepsPerEpoch() * recipe_.batch; }

  std::vector<NamedShape> arrays() const { return weightArrays(config_); }
  void setWeights(std::vector<float> const &weights);
  std::vector<float> weights();

  /// One pass over the training images in an order of its own; images that fill no batch are left
  /// out. \param epoch  counted from 0.
  void trainEpoch(unsigned epoch, StepWatcher const &watcher);
  TestResult test();

  /// The engine's profile; empty on the CPU, where nothing is modelled.
  std::string profile();
  /// Forgets what was executed so far, so that the profile is about what follows.
  void resetProfile();
  unsigned numTiles() const { return device_.getTarget().getNumTiles(); }

private:
  void connectStreams();
  void fillImages(std::uint8_t *to);
  void fillLabels(std::uint32_t *to);
  void shuffle(unsigned epoch);
  float nextRate() const;

  Recipe recipe_;
  Images const &train_, &test_;
  NetworkConfig config_;
  poplar::Device device_;
  std::unique_ptr<poplar::Engine> engine_;

  // What the stream callbacks work on.
  Images const *images_ = nullptr; ///< train_ or test_
  std::vector<std::size_t> order_; ///< of *images_
  std::size_t nextImage_ = 0, nextLabel_ = 0;
  std::size_t step_ = 0; ///< over all epochs
  StepWatcher const *watcher_ = nullptr;
  TestResult *result_ = nullptr;
};

} // namespace fashion
