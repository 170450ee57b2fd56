// Trains the demonstration's subset on the CPU and on the IPU Model: the loss of the first step,
// where both have the same weights, must agree to rounding; the accuracy after training to 0.01.
#include <examples/fashion/Training.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace fashion;

constexpr int SKIPPED = 77;

struct Outcome {
  double firstLoss = 0, lastLoss = 0, accuracy = 0;
};

Outcome trainOn(DeviceKind device, NumberKind type, Images const &train, Images const &test) {
  Recipe recipe;
  recipe.device = device;
  recipe.type = type;
  recipe.epochs = SUBSET.epochs;
  recipe.workers = 1; // threads change nothing, and one never waits for another on a busy machine
  Trainer trainer(recipe, train, test);
  Outcome outcome;
  for (unsigned epoch = 0; epoch != recipe.epochs; ++epoch)
    trainer.trainEpoch(epoch, [&](std::size_t step, float loss) {
      outcome.lastLoss = static_cast<double>(loss);
      if (step == 0)
        outcome.firstLoss = outcome.lastLoss;
    });
  outcome.accuracy = trainer.test().accuracy;
  std::printf("%-9s  first loss %.7f  last loss %.7f  accuracy %.4f\n",
              device == DeviceKind::CPU ? "cpu" : "ipu-model", outcome.firstLoss, outcome.lastLoss,
              outcome.accuracy);
  std::fflush(stdout);
  return outcome;
}

/// Of the first loss: the longest chain of roundings from a pixel to the mean, on numbers of the
/// loss's magnitude. Products of half numbers are summed in float.
double tolerance(NumberKind type, Images const &train, double loss) {
  Recipe const recipe;
  double const floatTerms =
      static_cast<double>(train.pixelsPerImage() + recipe.hidden + CLASSES + recipe.batch);
  double const halfTerms = 8; // pixel (3), weight, product, bias, and twice the second layer's
  return loss * (floatTerms * std::ldexp(1.0, -24) +
                 (type == NumberKind::HALF ? halfTerms * std::ldexp(1.0, -11) : 0));
}

/// The weights after one epoch.
std::vector<float> weightsWith(unsigned workers, NumberKind type, Images const &train) {
  Recipe recipe;
  recipe.type = type;
  recipe.workers = workers;
  recipe.epochs = 1;
  Trainer trainer(recipe, train, train);
  trainer.trainEpoch(0, {});
  return trainer.weights();
}

int compare(NumberKind type, std::string const &folder) {
  Images const train = firstImages(readImages(folder, "train", CLASSES), SUBSET.trainImages);
  Images const test = firstImages(readImages(folder, "t10k", CLASSES), SUBSET.testImages);
  Outcome const cpu = trainOn(DeviceKind::CPU, type, train, test);
  Outcome const model = trainOn(DeviceKind::IPU_MODEL, type, train, test);
  double const allowed = tolerance(type, train, cpu.firstLoss);
  bool const sameLoss = std::fabs(cpu.firstLoss - model.firstLoss) <= allowed;
  bool const sameAccuracy = std::fabs(cpu.accuracy - model.accuracy) <= 0.01;
  bool const learnt = cpu.accuracy > 0.75 && cpu.lastLoss < cpu.firstLoss;
  std::printf("first losses differ by %.3g, allowed %.3g: %s\n",
              std::fabs(cpu.firstLoss - model.firstLoss), allowed, sameLoss ? "ok" : "WRONG");
  std::printf("accuracies differ by %.4f, allowed 0.01: %s\n",
              std::fabs(cpu.accuracy - model.accuracy), sameAccuracy ? "ok" : "WRONG");
  std::printf("accuracy above 0.75 and loss fell: %s\n", learnt ? "ok" : "WRONG");
  Images const few = firstImages(train, 2000);
  bool const sameBits = weightsWith(1, type, few) == weightsWith(3, type, few);
  std::printf("1 and 3 threads give the same weights: %s\n", sameBits ? "ok" : "WRONG");
  return sameLoss && sameAccuracy && learnt && sameBits ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  std::string const type = argc == 2 ? argv[1] : "", folder = Options().data;
  if (type != "float" && type != "half") {
    std::fprintf(stderr, "usage: fashion-agreement float|half\n");
    return 2;
  }
  if (!std::filesystem::exists(folder)) {
    std::printf("skipped: %s is missing; install the Debian package dataset-fashion-mnist\n",
                folder.c_str());
    return SKIPPED;
  }
  try {
    return compare(type == "half" ? NumberKind::HALF : NumberKind::FLOAT, folder);
  } catch (std::exception const &e) {
    std::fprintf(stderr, "fashion-agreement: %s\n", e.what());
    return 1;
  }
}
