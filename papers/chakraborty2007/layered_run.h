// A body on a compliant layer, sampled after every step, and what all figures of chakraborty2007 draw of it.
#pragma once

#include <string>
#include <vector>

#include "papers/paper.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::chakraborty2007 {

/// The body after a step. Forces are impulses over h; the layer's force is the whole less the core's.
struct Sample {
  double t = 0;
  Vector3 position = Vector3::Zero();             ///< of the centre
  Vector3 velocity = Vector3::Zero();             ///< world axes
  Vector3 angular_B = Vector3::Zero();            ///< rad/s, body axes as in the paper
  bool closed = false;                            ///< the contact carries a force
  double spring = 0;                              ///< N: normal force of the layer
  double core = 0;                                ///< N: normal force of the rigid core
  Vector3 friction = Vector3::Zero();             ///< N, world axes
  double moment = 0;                              ///< N m about the normal
  double slip = 0;                                ///< m/s: tangential, as friction sees it
  Vector3 deflection = Vector3::Zero();           ///< m (n, t, o)
  double kinetic = 0, potential = 0, stored = 0;  ///< J; stored: in the layer

  double energy() const { return kinetic + potential + stored; }
};

/// All samples of a run; the first is the start.
struct LayeredRun {
  double h = 0;
  std::vector<Sample> samples;
  double worst_certificate = 0;  ///< of all steps
  long cut_steps = 0;            ///< steps that were solved in parts: their forces are those of the last part
  long rigid_steps = 0;          ///< steps that were left to the method for rigid bodies

  /// Times, and a quantity at these times.
  std::vector<double> times() const;
  template <class Quantity>
  std::vector<double> all(const Quantity& quantity) const {
    std::vector<double> values;
    for (const Sample& sample : samples) values.push_back(quantity(sample));
    return values;
  }
  /// CSV with every quantity of every sample.
  Result<void> write(const std::filesystem::path& path) const;
};

/// Runs an embedded scene with overrides and watches one body.
Result<LayeredRun> simulate(std::string_view scene, const std::vector<std::string>& overrides, std::string_view body);

/// A panel over time.
report::Plot time_panel(std::string title, std::string y_label, std::vector<report::Series> series);

/// Every value brought into [low, high], where the paper cuts its axis off.
std::vector<double> cut_off(std::vector<double> values, double low, double high);

/// Writes panels as PREFIXa.svg, PREFIXb.svg, ...
Result<void> write_panels(const Context& context, std::string_view prefix, const std::vector<report::Plot>& panels);

}  // namespace stiction::papers::chakraborty2007
