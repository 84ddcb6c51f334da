#include "papers/paper.h"

#include <array>

#include "papers/anitescu1998/anitescu1998.h"
#include "papers/anitescu1998/impacts_drift.h"
#include "papers/anitescu1998/painleve_convergence.h"
#include "papers/chakraborty2007/chakraborty2007.h"
#include "papers/chakraborty2007/rolling.h"
#include "papers/drumwright2009/drumwright2009.h"
#include "papers/rodriguez2010/rodriguez2010.h"
#include "papers/trinkle2003/trinkle2003.h"
#include "stiction/base/assert.h"
#include "stiction/math/log_slope.h"
#include "stiction/scene/scene.h"

namespace stiction::papers {

namespace {

struct EmbeddedScene {
  std::string_view name, text;
};

constexpr auto scenes = std::to_array<EmbeddedScene>({
#include "embedded_scenes.inc"
});

constexpr auto all_examples = std::to_array<Example>({
    {"trinkle2003", "sphere", "a sphere slides, then rolls: figures 8 and 9 at h = 0.12", trinkle2003::sphere},
    {"trinkle2003", "directions", "the same with other polygons in place of the friction circle",
     trinkle2003::directions},
    {"trinkle2003", "refinement", "the same with smaller steps: observed orders", trinkle2003::refinement},
    {"anitescu1998", "wedge", "a groove whose friction cone is not closed: impulses that grow without bound",
     anitescu1998::wedge},
    {"anitescu1998", "painleve", "a rod slides where no accelerations exist: an impact without collision",
     anitescu1998::painleve},
    {"anitescu1998", "convergence", "block, ball and sphere against closed forms: positions, velocities, impulses",
     anitescu1998::convergence},
    {"anitescu1998", "impacts", "several impacts at once: energies under three models", anitescu1998::impacts},
    {"anitescu1998", "drift", "closing joints over 10^4 steps with and without projection; dependent joints",
     anitescu1998::drift},
    {"anitescu1998", "groups", "time per step against the number of separate groups", anitescu1998::groups},
    {"anitescu1998", "representations", "a tumbling box hits the ground: four ways to write its orientation",
     anitescu1998::representations},
    {"anitescu1998", "cones", "friction sets of every kind: inside the cone, of maximum dissipation",
     anitescu1998::cones},
    {"chakraborty2007", "disc", "a disc falls on an elastic layer, with and without contact with the core under it",
     chakraborty2007::disc},
    {"chakraborty2007", "ellipsoid", "a spinning ellipsoid falls on a viscoelastic layer, level and tilted",
     chakraborty2007::ellipsoid},
    {"chakraborty2007", "rolling", "disc, sphere and cylinder over 1000 revolutions, and a disc of facets",
     chakraborty2007::rolling},
    {"chakraborty2007", "rocking",
     "a rolling, rocking ellipsoid and a ball in a bowl: geometry of the start or the end", chakraborty2007::rocking},
    {"chakraborty2007", "bodies", "curved bodies on each other and a pile of 50: overlap, residual, fallbacks",
     chakraborty2007::bodies},
    {"drumwright2009", "boxes", "a slab lands on 4, 8 and 16 feet: redundant contacts, restitution, bounds",
     drumwright2009::boxes},
    {"drumwright2009", "checks", "incline, bounce and spin reversal under every method", drumwright2009::checks},
    {"drumwright2009", "exact", "a robot holds a tennis ball: stick at position level, and three harder grasps",
     drumwright2009::exact},
    {"drumwright2009", "grasp", "the same with the convex method: drift over 24 s and 100 s, snapshots",
     drumwright2009::grasp},
    {"drumwright2009", "rivals", "the same under every method: who drops the ball, and when", drumwright2009::rivals},
    {"drumwright2009", "table", "the table of section 2.6, measured", drumwright2009::table},
    {"rodriguez2010", "case-1", "a ball meets a corner steeply: slips at the wall, figures 5.1 to 5.3",
     rodriguez2010::case_1},
    {"rodriguez2010", "case-2", "the same at a small angle: sticks at the ground, figures 5.4 to 5.6",
     rodriguez2010::case_2},
    {"rodriguez2010", "case-3", "the same in between: two outcomes, figures 5.7 to 5.12", rodriguez2010::case_3},
    {"rodriguez2010", "impacts", "the law on rows of balls, a box that lands flat and a rod in a corner",
     rodriguez2010::impacts},
    {"rodriguez2010", "random", "random impacts under both rules: what their outcomes violate",
     rodriguez2010::random_impacts},
    {"rodriguez2010", "corner", "cases 1 to 3 as scenes: the same times, outcomes and paths",
     rodriguez2010::corner_scenes},
    {"rodriguez2010", "bouncing", "a ball bounces to rest: times of impact, and their accumulation",
     rodriguez2010::bouncing},
    {"rodriguez2010", "rocking", "a slender and a squat block rock on their edges: every outcome, and Housner's",
     rodriguez2010::rocking},
    {"rodriguez2010", "landing", "a box falls flat, a rod meets the corner, balls hit in a row, all as scenes",
     rodriguez2010::landing},
    {"rodriguez2010", "convergence", "time stepping approaches event-driven motion as the step falls",
     rodriguez2010::convergence},
});

}  // namespace

Finding make_finding(std::string_view paper, std::string_view example, std::string quantity, std::string unit,
                     double value, decltype(Finding::published) published, bool ok, std::string note) {
  Finding finding;
  finding.paper = paper;
  finding.example = example;
  finding.quantity = std::move(quantity);
  finding.unit = std::move(unit);
  finding.value = value;
  finding.published = std::move(published);
  finding.ok = ok;
  finding.note = std::move(note);
  return finding;
}

double observed_order(std::span<const double> h, std::span<const double> error) {
  return log_slope(h, error);
}

std::span<const Example> examples() {
  return all_examples;
}

std::string_view embedded_scene(std::string_view name) {
  for (const EmbeddedScene& scene : scenes) {
    if (scene.name == name) return scene.text;
  }
  STICTION_ASSERT(false, "no such embedded scene");
}

Result<Simulation> open_example(std::string_view scene, const std::vector<std::string>& overrides) {
  return open_text(std::string(embedded_scene(scene)), scene, overrides);
}

Result<Simulation> open_text(const std::string& text, std::string_view name,
                             const std::vector<std::string>& overrides) {
  auto parsed = scene::parse_scene(text, "papers/" + std::string(name), overrides);
  if (!parsed) return failure(parsed.error());
  auto built = build_model(parsed->model);
  if (!built) return failure(built.error());
  return Simulation::create(std::move(*built), parsed->settings);
}

}  // namespace stiction::papers
