#include "stiction/methods/registry.h"

#include <array>

namespace stiction::methods {

namespace {

constexpr std::array<MethodInfo, 12> infos = {{
    {"exact-cone", "stiction", "end-of-step contact with the true (round, elliptic, torsional, rolling) friction cone"},
    {"stewart-trinkle", "trinkle2003",
     "end-of-step contact and polyhedral friction as one LCP, solved by Lemke's algorithm"},
    {"anitescu-potra", "anitescu1998",
     "velocity-level time-stepping with general friction cones and two-phase impacts"},
    {"implicit-geometry", "chakraborty2007",
     "closest points, velocities and impulses of the end of the step solved together"},
    {"quasi-rigid", "chakraborty2007",
     "viscoelastic layers over rigid cores, with the geometry of the end of the step"},
    {"convex-impulse", "drumwright2009", "two-phase convex optimisation of impulses", false},
    {"event-driven", "rodriguez2010", "exact event times, and simultaneous impacts with every feasible outcome"},
    {"acceleration-lcp", "baraff1994", "force-level LCP with a friction pyramid", false},
    {"penalty", "textbook", "springs and dampers at contacts", false},
    {"sequential-impulse", "guendelman2003", "pairwise impulses with shock propagation", false},
    {"impulse-hahn", "hahn1988", "one contact at a time, closed-form impulses", false},
    {"impulse-mirtich", "mirtich1996", "one contact at a time, integrated in impulse space", false},
}};

}  // namespace

std::span<const MethodInfo> method_infos() {
  return infos;
}

const MethodInfo* find_method(std::string_view name) {
  for (const MethodInfo& info : infos) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::string_view default_method() {
  return infos.front().name;
}

bool method_takes_solver(std::string_view method, std::string_view solver) {
  if (method == "exact-cone") return true;
  if (method == "stewart-trinkle" || method == "anitescu-potra") return solver == "auto" || solver == "lemke";
  return solver == "auto";
}

std::vector<std::string> available_method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& info : infos) names.emplace_back(info.name);
  return names;
}

}  // namespace stiction::methods
