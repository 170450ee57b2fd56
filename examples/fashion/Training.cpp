#include "Training.hpp"

#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>

namespace fashion {
namespace {

poplar::Device makeDevice(DeviceKind kind) {
  if (kind == DeviceKind::CPU)
    return poplar::Device::createCPUDevice();
  return poplar::IPUModel().createDevice();
}

// Mean and standard deviation of the pixels of all 60,000 training images. Not measured for each
// run: weights that were trained on a part must fit the whole.
constexpr float PIXEL_MEAN = 72.94f, PIXEL_DEVIATION = 90.02f;

NetworkConfig configOf(Recipe const &recipe, Images const &train, Images const &test) {
  if (train.size() < recipe.batch)
    throw std::runtime_error(std::to_string(train.size()) +
                             " training images are less than one batch of " +
                             std::to_string(recipe.batch));
  if (train.height != test.height || train.width != test.width)
    throw std::runtime_error("the training and the test images have different sizes");
  NetworkConfig config;
  config.type = recipe.type == NumberKind::HALF ? poplar::HALF : poplar::FLOAT;
  config.inputs = train.pixelsPerImage();
  config.hidden = recipe.hidden;
  config.classes = CLASSES;
  config.batch = recipe.batch;
  config.trainSteps = static_cast<unsigned>(train.size() / recipe.batch);
  config.testSteps = static_cast<unsigned>((test.size() + recipe.batch - 1) / recipe.batch);
  config.momentum = recipe.momentum;
  config.inputMean = PIXEL_MEAN;
  config.inputDeviation = PIXEL_DEVIATION;
  return config;
}

} // namespace

Trainer::Trainer(Recipe const &recipe, Images const &train, Images const &test)
    : recipe_(recipe), train_(train), test_(test), config_(configOf(recipe, train, test)),
      device_(makeDevice(recipe.device)) {
  poplar::Graph graph(device_.getTarget());
  auto const programs = buildNetwork(graph, config_);
  poplar::OptionFlags options;
  if (recipe.workers != 0)
    options.set("engine.numThreads", std::to_string(recipe.workers));
  engine_ = std::make_unique<poplar::Engine>(std::move(graph), programs, options);
  connectStreams();
  if (!device_.attach())
    throw std::runtime_error("the device is in use by another program");
  engine_->load(device_);
  setWeights(initialWeights(config_, recipe.seed));
}

// The engine asks for data, and hands over results, as the program reaches its copies: a whole
// epoch is one run.
void Trainer::connectStreams() {
  engine_->connectStreamToCallback(
      handle::IMAGES, [this](void *to) { fillImages(static_cast<std::uint8_t *>(to)); });
  engine_->connectStreamToCallback(
      handle::LABELS, [this](void *to) { fillLabels(static_cast<std::uint32_t *>(to)); });
  engine_->connectStreamToCallback(handle::RATE, [this](void *to) {
    float const rate = nextRate();
    std::memcpy(to, &rate, sizeof rate);
  });
  engine_->connectStreamToCallback(handle::LOSS, [this](void *from) {
    float loss = 0;
    std::memcpy(&loss, from, sizeof loss);
    if (*watcher_)
      (*watcher_)(step_, loss);
    ++step_;
  });
  engine_->connectStreamToCallback(handle::ANSWERS, [this](void *from) {
    std::vector<float> probabilities(config_.batch * config_.classes);
    std::memcpy(probabilities.data(), from, probabilities.size() * sizeof(float));
    for (auto row = probabilities.begin(); row != probabilities.end();
         row += static_cast<std::ptrdiff_t>(config_.classes)) {
      auto const best = std::max_element(row, row + static_cast<std::ptrdiff_t>(config_.classes));
      result_->answers.push_back(static_cast<std::uint8_t>(best - row));
      result_->certainties.push_back(*best);
    }
  });
}

// The last batch of a test is filled up with its first image.
void Trainer::fillImages(std::uint8_t *to) {
  std::size_t const bytes = config_.inputs;
  for (std::size_t i = 0; i != config_.batch; ++i, ++nextImage_)
    std::memcpy(to + i * bytes, images_->image(nextImage_ < order_.size() ? order_[nextImage_] : 0),
                bytes);
}

void Trainer::fillLabels(std::uint32_t *to) {
  for (std::size_t i = 0; i != config_.batch; ++i, ++nextLabel_)
    to[i] = images_->labels[order_[nextLabel_]];
}

// Fisher and Yates; not std::shuffle, which differs between libraries.
void Trainer::shuffle(unsigned epoch) {
  order_.resize(images_->size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::mt19937_64 numbers(recipe_.seed * 1000003 + epoch);
  for (std::size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[numbers() % i]);
}

float Trainer::nextRate() const {
  double const done = static_cast<double>(step_) / static_cast<double>(steps());
  return static_cast<float>(recipe_.rate * (1 - done));
}

void Trainer::setWeights(std::vector<float> const &weights) {
  engine_->writeTensor(handle::WEIGHTS, weights.data(), weights.data() + weights.size());
  engine_->run(PREPARE, "prepare");
}

std::vector<float> Trainer::weights() {
  std::vector<float> weights(numElements(arrays()));
  engine_->readTensor(handle::WEIGHTS, weights.data(), weights.data() + weights.size());
  return weights;
}

void Trainer::trainEpoch(unsigned epoch, StepWatcher const &watcher) {
  images_ = &train_;
  watcher_ = &watcher;
  nextImage_ = nextLabel_ = 0;
  step_ = epoch * stepsPerEpoch();
  shuffle(epoch);
  engine_->run(TRAIN, "train");
}

TestResult Trainer::test() {
  TestResult result;
  images_ = &test_;
  result_ = &result;
  nextImage_ = 0;
  order_.resize(test_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  engine_->run(TEST, "test");
  result.answers.resize(test_.size());
  result.certainties.resize(test_.size());
  std::size_t right = 0;
  for (std::size_t i = 0; i != test_.size(); ++i)
    right += result.answers[i] == test_.labels[i];
  result.accuracy =
      test_.size() == 0 ? 0 : static_cast<double>(right) / static_cast<double>(test_.size());
  return result;
}

std::string Trainer::profile() {
  std::ostringstream text;
  if (recipe_.device == DeviceKind::IPU_MODEL)
    engine_->printProfileSummary(text);
  return text.str();
}

void Trainer::resetProfile() { engine_->resetExecutionProfile(); }

} // namespace fashion
