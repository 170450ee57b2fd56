// Trains a small network on Fashion-MNIST, on the CPU or on the IPU Model, and shows how it goes.
#include "Images.hpp"
#include "Options.hpp"
#include "Terminal.hpp"
#include "Training.hpp"
#include "Weights.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <unistd.h>

namespace {

using namespace fashion;

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What training left behind.
struct History {
  std::vector<float> losses; ///< of each step
  double seconds = 0;        ///< without the tests in between
  std::string profile;       ///< of the last epoch
  TestResult test;
};

struct Data {
  Images train, test;
  std::string name;
};

Data readData(Options const &options) {
  Data data{readImages(options.data, "train", CLASSES), readImages(options.data, "t10k", CLASSES),
            "all of Fashion-MNIST"};
  bool const subset = options.device == DeviceKind::IPU_MODEL && !options.images;
  if (subset) {
    data.name = std::string("subset ") + SUBSET.name;
    data.test = firstImages(data.test, std::min(SUBSET.testImages, data.test.size()));
  } else if (options.images) {
    data.name = "part of Fashion-MNIST";
  }
  data.train = firstImages(
      data.train, options.images.value_or(subset ? SUBSET.trainImages : data.train.size()));
  return data;
}

Recipe recipeOf(Options const &options) {
  Recipe recipe;
  recipe.device = options.device;
  recipe.type = options.type;
  recipe.workers = options.workers;
  recipe.seed = options.seed;
  bool const onModel = options.device == DeviceKind::IPU_MODEL;
  recipe.epochs = options.epochs.value_or(!options.load.empty() ? 0
                                          : onModel             ? SUBSET.epochs
                                                                : FULL_EPOCHS);
  return recipe;
}

void printIntroduction(Data const &data, Recipe const &recipe) {
  std::cout << "data: " << data.name << " (" << grouped(static_cast<double>(data.train.size()))
            << " images to train, " << grouped(static_cast<double>(data.test.size()))
            << " to test)\n"
            << "network: " << data.train.pixelsPerImage() << " - " << recipe.hidden << " relu - "
            << CLASSES << " softmax, in "
            << (recipe.type == NumberKind::HALF ? "half with float master weights" : "float")
            << "\ndevice: "
            << (recipe.device == DeviceKind::CPU ? "CPU" : "IPU Model (emulated on the CPU)")
            << std::endl;
}

/// One epoch and the test after it.
void trainOnce(Trainer &trainer, Recipe const &recipe, unsigned epoch, History &history) {
  Progress progress(std::cout, isatty(STDOUT_FILENO) != 0,
                    "epoch " + std::to_string(epoch + 1) + "/" + std::to_string(recipe.epochs),
                    trainer.stepsPerEpoch());
  double sum = 0;
  trainer.resetProfile();
  auto const start = std::chrono::steady_clock::now();
  trainer.trainEpoch(epoch, [&](std::size_t step, float loss) {
    history.losses.push_back(loss);
    sum += static_cast<double>(loss);
    progress.update(step % trainer.stepsPerEpoch() + 1, loss);
  });
  double const seconds = secondsSince(start);
  history.seconds += seconds;
  if (epoch + 1 == recipe.epochs)
    history.profile = trainer.profile();
  history.test = trainer.test();
  progress.finish(
      formatted("loss %.4f  test accuracy %.4f  %s images/s",
                sum / static_cast<double>(trainer.stepsPerEpoch()), history.test.accuracy,
                grouped(static_cast<double>(trainer.imagesPerEpoch()) / seconds).c_str()));
}

History train(Trainer &trainer, Recipe const &recipe) {
  History history;
  for (unsigned epoch = 0; epoch != recipe.epochs; ++epoch)
    trainOnce(trainer, recipe, epoch, history);
  if (recipe.epochs == 0) {
    history.test = trainer.test();
    history.profile = trainer.profile();
  }
  return history;
}

void report(Trainer &trainer, Recipe const &recipe, Data const &data, History const &history) {
  drawCurve(std::cout, history.losses);
  printConfusion(std::cout, data.test, history.test);
  drawExamples(std::cout, data.test, history.test, 2);
  double const images = static_cast<double>(trainer.imagesPerEpoch() * recipe.epochs);
  if (recipe.epochs != 0)
    std::cout << formatted("trained in %.1f s: %s images/s\n", history.seconds,
                           grouped(images / history.seconds).c_str());
  if (recipe.device == DeviceKind::IPU_MODEL)
    printModelReport(std::cout, history.profile, trainer.numTiles(),
                     recipe.epochs == 0 ? 0 : trainer.stepsPerEpoch());
  std::cout << formatted("test accuracy: %.4f\n", history.test.accuracy) << std::flush;
}

void run(Options const &options) {
  if (!options.save.empty())
    checkWriteable(options.save);
  Data const data = readData(options);
  Recipe const recipe = recipeOf(options);
  printIntroduction(data, recipe);
  auto const start = std::chrono::steady_clock::now();
  Trainer trainer(recipe, data.train, data.test);
  std::cout << formatted("compiled in %.1f s", secondsSince(start)) << std::endl;
  if (!options.load.empty()) {
    trainer.setWeights(loadWeights(options.load, trainer.arrays()));
    std::cout << "weights: from " << options.load << std::endl;
  }
  History const history = train(trainer, recipe);
  if (!options.save.empty())
    saveWeights(options.save, trainer.arrays(), trainer.weights());
  report(trainer, recipe, data, history);
}

} // namespace

int main(int argc, char **argv) {
  try {
    Options const options = parseOptions({argv + 1, argv + argc});
    if (options.help)
      std::cout << helpText();
    else
      run(options);
    return 0;
  } catch (UsageError const &e) {
    std::cerr << "fashion: " << e.what() << '\n';
    return 2;
  } catch (std::exception const &e) {
    std::cerr << "fashion: " << e.what() << '\n';
    return 1;
  }
}
