// What a run says of its own cost, once, while it goes on: by counted work and never by the clock, so that the same
// scene gets the same advice on every machine. The figures in it are measured.
#pragma once

#include <string>

#include "cli.h"

namespace stiction::cli {

/// Watches the steps of one run.
class RunAdvice {
 public:
  /// `arguments` are those that `simulation` was made from.
  RunAdvice(const SceneArguments& arguments, const Simulation& simulation);

  /// To be called after each step: a text for a warning, or nothing. Each advice is given once.
  std::string after_step(const Simulation& simulation);

 private:
  std::string about_islands(const Simulation& simulation);
  std::string about_accuracy(const Simulation& simulation);

  SceneArguments arguments_;
  bool watches_accuracy_ = false, watches_islands_ = false;
  double work_ = 0;  // iterations times contacts, of all steps so far
};

}  // namespace stiction::cli
