// Curved bodies on each other: at every step that the implicit method solved no overlap beyond 1e-9 m and a residual
// below 1e-8, both measured at the end of the step by the general distance; steps that it did not solve are counted.
// Contacts along a line carry two points.
#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "papers/chakraborty2007/pile.h"
#include "papers/chakraborty2007/rolling.h"

namespace stiction::papers::chakraborty2007 {

namespace {

constexpr FindingMaker check_bodies{"chakraborty2007", "bodies"};

struct Tally {
  long steps = 0, other = 0, missed = 0, contacts = 0;
  double overlap = 0, residual = 0;
  std::vector<double> time, energy;
};

Result<Tally> observe(Simulation& simulation) {
  Tally tally;
  const RunSummary summary = run(simulation, [&](const StepOutcome&) {
    const StepRecord& last = simulation.last_step();
    bool other = false;
    for (const IslandReport& report : last.reports) {
      other |= report.fallback == Fallback::exact_cone;
      tally.missed += report.fallback == Fallback::tolerance_missed ? 1 : 0;
    }
    ++tally.steps;
    tally.contacts = std::max(tally.contacts, static_cast<long>(last.contacts.size()));
    const Energies energies = simulation.energies();
    tally.time.push_back(simulation.state().time);
    tally.energy.push_back(energies.kinetic);
    if (other) {
      ++tally.other;
      return;
    }
    tally.overlap = std::max(tally.overlap, last.certificate.penetration);
    tally.residual = std::max(tally.residual, last.certificate.worst());
  });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  return tally;
}

// Contact points that carry force at the end of the run.
int carrying(const Simulation& simulation) {
  std::vector<ContactReport> reports;
  simulation.contact_reports(reports);
  return static_cast<int>(
      std::count_if(reports.begin(), reports.end(), [](const ContactReport& c) { return c.force.norm() > 1e-6; }));
}

Result<void> judge(const Context& context, const char* name, Simulation& simulation, int line_points,
                   std::string& table, std::ofstream& data) {
  auto tally = observe(simulation);
  if (!tally) return failure(tally.error());
  table += fmt::format("{:<30} {:>7} {:>9} {:>12.1e} {:>12.1e} {:>11} {:>10}\n", name, tally->steps, tally->contacts,
                       tally->overlap, tally->residual, tally->other, tally->missed);
  data << fmt::format("{},{},{},{:.3e},{:.3e},{},{}\n", name, tally->steps, tally->contacts, tally->overlap,
                      tally->residual, tally->other, tally->missed);
  context.report(check_bodies(fmt::format("{}: largest overlap", name), "m", tally->overlap, {}, tally->overlap < 1e-9,
                              "at the end of every step that the implicit method solved"));
  context.report(check_bodies(fmt::format("{}: largest certificate value", name), "1", tally->residual, {},
                              tally->residual < 1e-8, "normal, friction, cone, momentum"));
  const double share = static_cast<double>(tally->other) / static_cast<double>(tally->steps);
  context.report(check_bodies(
      fmt::format("{}: share of steps handed to exact-cone", name), "1", share, {}, share <= 1e-3,
      fmt::format("{} of {} steps; {} more ended between 1e-10 and 1e-8", tally->other, tally->steps, tally->missed)));
  if (line_points > 0) {
    const int points = carrying(simulation);
    context.report(check_bodies(fmt::format("{}: points that carry force at the end", name), "1", points, {},
                                points == line_points, "two per line"));
  }
  return {};
}

}  // namespace

Result<void> bodies(const Context& context) {
  std::ofstream data(context.out / "bodies.csv");
  data << "scene,steps,most_contacts,overlap_m,certificate,exact_cone_steps,tolerance_missed\n";
  std::string table = fmt::format("{:<30} {:>7} {:>9} {:>12} {:>12} {:>11} {:>10}\n", "scene", "steps", "contacts",
                                  "overlap [m]", "certificate", "exact-cone", "missed");
  struct Scene {
    const char *name, *file;
    int line_points;
  };
  for (const Scene& scene : {Scene{"two ellipsoids", "chakraborty2007/two_ellipsoids.toml", 0},
                             Scene{"ellipsoid on superellipsoid", "chakraborty2007/on_superellipsoid.toml", 0},
                             Scene{"capsule in a V-groove", "chakraborty2007/groove.toml", 4},
                             Scene{"cylinder on a plane", "chakraborty2007/lying_cylinder.toml", 2}}) {
    auto simulation = open_example(scene.file, {});
    if (!simulation) return failure(simulation.error());
    if (auto done = judge(context, scene.name, *simulation, scene.line_points, table, data); !done) return done;
  }
  auto simulation = open_text(pile_scene(50), "chakraborty2007 pile", {});
  if (!simulation) return failure(simulation.error());
  if (auto done = judge(context, "pile of 50 in a bowl", *simulation, 0, table, data); !done) return done;
  context.print_table(table);
  return {};
}

}  // namespace stiction::papers::chakraborty2007
