// What whole networks take: times of their layers, each as often as the network has it.
#pragma once

#include <bench/Cases.hpp>

#include <map>
#include <string>
#include <vector>

namespace cottonwood::bench {

/// Groups with cases that count more than once are networks.
class Totals {
public:
  void add(Case const &measured, double ours, double theirs);

  /// "resnet50-b1/own: 53 layers, ours 27.1 ms (302 GF/s), best peers 26.9 ms (304 GF/s)"
  std::vector<std::string> lines() const;

private:
  struct Total {
    unsigned layers = 0;
    bool isNetwork = false;
    double ours = 0, theirs = 0, flops = 0;
  };
  std::map<std::string, Total> totals_;
};

} // namespace cottonwood::bench
