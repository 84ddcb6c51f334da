// [simulation] and [method.NAME]: how to run, and with which method.
#include <array>

#include <fmt/format.h>

#include "stiction/methods/registry.h"
#include "stiction/scene/sections.h"
#include "stiction/solvers/registry.h"

namespace stiction::scene {

namespace {

constexpr int max_threads = 1024;

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const solvers::SolverInfo& info : solvers::solver_infos()) names.emplace_back(info.name);
  return names;
}

void read_coordinates(TableReader& table, methods::Coordinates& coordinates) {
  std::string name = coordinates == methods::Coordinates::maximal ? "maximal" : "reduced";
  table.read_choice("coordinates", name, {"reduced", "maximal"});
  coordinates = name == "maximal" ? methods::Coordinates::maximal : methods::Coordinates::reduced;
}

void read_exact_cone(TableReader& table, methods::MethodOptions& options) {
  read_coordinates(table, options.coordinates);
  table.read("tolerance", options.exact_cone.tolerance, positive);
  table.read("acceptance", options.exact_cone.acceptance, positive);
  table.read("max_recovery_speed", options.exact_cone.max_recovery_speed, positive_or_infinite);
  table.read("anchors", options.exact_cone.anchors);
}

void read_stewart_trinkle(TableReader& table, methods::MethodOptions& options) {
  read_coordinates(table, options.coordinates);
  table.read("friction_directions", options.stewart_trinkle.friction_directions, 3, 256);
  table.read("friction_angle", options.stewart_trinkle.friction_angle);
  table.read("max_recovery_speed", options.stewart_trinkle.max_recovery_speed, positive_or_infinite);
}

void read_impact(TableReader& table, methods::ImpactModel& impact) {
  using methods::ImpactModel;
  std::string name = impact == ImpactModel::poisson ? "poisson" : impact == ImpactModel::newton ? "newton" : "safe";
  table.read_choice("impact", name, {"poisson", "newton", "safe"});
  impact = name == "poisson" ? ImpactModel::poisson : name == "newton" ? ImpactModel::newton : ImpactModel::safe;
}

void read_representation(TableReader& table, Representation& representation) {
  std::vector<std::string> names;
  for (const Representation r : all_representations) names.emplace_back(representation_name(r));
  std::string name(representation_name(representation));
  table.read_choice("representation", name, names);
  for (const Representation r : all_representations) {
    if (representation_name(r) == name) representation = r;
  }
}

void read_anitescu_potra(TableReader& table, methods::MethodOptions& options) {
  using Cone = methods::AnitescuPotraOptions::Cone;
  methods::AnitescuPotraOptions& own = options.anitescu_potra;
  read_coordinates(table, options.coordinates);
  std::string cone = own.cone == Cone::general ? "general" : "polyhedral";
  table.read_choice("cone", cone, {"general", "polyhedral"});
  own.cone = cone == "general" ? Cone::general : Cone::polyhedral;
  table.read("friction_directions", own.friction_directions, 3, 256);
  table.read("friction_angle", own.friction_angle);
  table.read("tolerance", own.tolerance, positive);
  read_impact(table, own.impact);
  table.read("continuous", own.continuous);
  read_representation(table, own.representation);
  table.read("projection_interval", own.projection_interval, 0, 1000000);
  table.read("check_existence", own.check_existence);
}

void read_implicit_geometry(TableReader& table, methods::MethodOptions& options) {
  methods::ImplicitGeometryOptions& own = options.implicit_geometry;
  read_coordinates(table, options.coordinates);
  table.read("tolerance", own.tolerance, positive);
  table.read("acceptance", own.acceptance, positive);
  table.read("max_iterations", own.max_iterations, 1, 1000);
  table.read("halvings", own.halvings, 0, 10);
}

void read_quasi_rigid(TableReader& table, methods::MethodOptions& options) {
  using Tangential = methods::QuasiRigidOptions::Tangential;
  using Deflection = methods::QuasiRigidOptions::Deflection;
  methods::QuasiRigidOptions& own = options.quasi_rigid;
  read_coordinates(table, options.coordinates);
  table.read("tolerance", own.tolerance, positive);
  table.read("acceptance", own.acceptance, positive);
  table.read("max_iterations", own.max_iterations, 1, 1000);
  table.read("halvings", own.halvings, 0, 10);
  std::string tangential = own.tangential == Tangential::series ? "series" : "passive";
  table.read_choice("tangential", tangential, {"passive", "series"});
  own.tangential = tangential == "series" ? Tangential::series : Tangential::passive;
  std::string deflection = own.deflection == Deflection::algebraic ? "algebraic" : "euclidean";
  table.read_choice("deflection", deflection, {"euclidean", "algebraic"});
  own.deflection = deflection == "algebraic" ? Deflection::algebraic : Deflection::euclidean;
}

void read_integrator(TableReader& table, methods::Integrator& integrator) {
  using methods::Integrator;
  constexpr std::array all = {Integrator::explicit_euler, Integrator::semi_implicit_euler, Integrator::runge_kutta};
  std::vector<std::string> names;
  for (const Integrator candidate : all) names.emplace_back(methods::integrator_name(candidate));
  std::string name(methods::integrator_name(integrator));
  table.read_choice("integrator", name, names);
  for (const Integrator candidate : all) {
    if (methods::integrator_name(candidate) == name) integrator = candidate;
  }
}

void read_convex_impulse(TableReader& table, methods::MethodOptions& options) {
  using Bound = methods::ConvexImpulseOptions::NormalBound;
  using PhaseOne = methods::ConvexImpulseOptions::PhaseOne;
  methods::ConvexImpulseOptions& own = options.convex_impulse;
  read_coordinates(table, options.coordinates);
  std::string bound = own.normal_bound == Bound::sum       ? "sum"
                      : own.normal_bound == Bound::literal ? "literal"
                                                           : "nullspace";
  table.read_choice("normal_bound", bound, {"sum", "nullspace", "literal"});
  own.normal_bound = bound == "sum" ? Bound::sum : bound == "literal" ? Bound::literal : Bound::nullspace;
  std::string phase_one = own.phase_one == PhaseOne::nonnegative ? "nonnegative" : "literal";
  table.read_choice("phase_one", phase_one, {"nonnegative", "literal"});
  own.phase_one = phase_one == "nonnegative" ? PhaseOne::nonnegative : PhaseOne::pseudo_inverse;
  table.read("tolerance", own.tolerance, positive);
  table.read("acceptance", own.acceptance, positive);
  table.read("max_iterations", own.max_iterations, 1, 10000);
  read_integrator(table, own.integrator);
}

void read_event_driven(TableReader& table, methods::MethodOptions& options) {
  using methods::ImpactRule;
  methods::EventDrivenOptions& own = options.event_driven;
  read_coordinates(table, options.coordinates);
  std::string rule = own.rule == ImpactRule::coulomb ? "coulomb" : "published";
  table.read_choice("rule", rule, {"coulomb", "published"});
  own.rule = rule == "coulomb" ? ImpactRule::coulomb : ImpactRule::published;
  table.read("tolerance", own.tolerance, Range{.lower = 1e-13, .upper = 1e-3});
  table.read("simultaneous_gap", own.simultaneous_gap, positive);
  table.read("accumulation_time", own.accumulation_time, positive);
  table.read("max_impacts", own.max_impacts, 1, 1000000);
  table.read("max_choices", own.max_choices, 1, 100000);
}

void read_penalty(TableReader& table, methods::MethodOptions& options) {
  methods::PenaltyOptions& own = options.penalty;
  read_coordinates(table, options.coordinates);
  table.read("stiffness", own.stiffness, positive);
  table.read("damping", own.damping, non_negative);
  table.read("tangential_stiffness", own.tangential_stiffness, non_negative);
  table.read("tangential_damping", own.tangential_damping, non_negative);
}

void read_acceleration_lcp(TableReader& table, methods::MethodOptions& options) {
  using Sliding = methods::AccelerationLcpOptions::Sliding;
  methods::AccelerationLcpOptions& own = options.acceleration_lcp;
  read_coordinates(table, options.coordinates);
  std::string sliding = own.sliding == Sliding::coulomb ? "coulomb" : "ode";
  table.read_choice("sliding", sliding, {"coulomb", "ode"});
  own.sliding = sliding == "coulomb" ? Sliding::coulomb : Sliding::ode;
  table.read("regularization", own.regularization, non_negative);
  table.read("error_reduction", own.error_reduction, zero_to_one);
  table.read("impact_speed", own.impact_speed, positive);
  table.read("sliding_speed", own.sliding_speed, positive);
}

void read_sequential_impulse(TableReader& table, methods::MethodOptions& options) {
  methods::SequentialImpulseOptions& own = options.sequential_impulse;
  read_coordinates(table, options.coordinates);
  table.read("collision_iterations", own.collision_iterations, 1, 100000);
  table.read("contact_iterations", own.contact_iterations, 1, 100000);
  table.read("shock_propagation", own.shock_propagation);
}

void read_impulse_hahn(TableReader& table, methods::MethodOptions& options) {
  read_coordinates(table, options.coordinates);
  table.read("max_impulses", options.impulse_hahn.max_impulses, 1, 100000);
  read_integrator(table, options.impulse_hahn.integrator);
}

void read_impulse_mirtich(TableReader& table, methods::MethodOptions& options) {
  read_coordinates(table, options.coordinates);
  table.read("max_impulses", options.impulse_mirtich.max_impulses, 1, 100000);
  table.read("tolerance", options.impulse_mirtich.tolerance, positive);
  read_integrator(table, options.impulse_mirtich.integrator);
}

// One line for each method that has options.
struct OptionsReader {
  std::string_view method;
  void (*read)(TableReader& table, methods::MethodOptions& options);
};
constexpr std::array<OptionsReader, 12> options_readers = {{{"exact-cone", read_exact_cone},
                                                            {"stewart-trinkle", read_stewart_trinkle},
                                                            {"anitescu-potra", read_anitescu_potra},
                                                            {"implicit-geometry", read_implicit_geometry},
                                                            {"quasi-rigid", read_quasi_rigid},
                                                            {"convex-impulse", read_convex_impulse},
                                                            {"event-driven", read_event_driven},
                                                            {"penalty", read_penalty},
                                                            {"acceleration-lcp", read_acceleration_lcp},
                                                            {"sequential-impulse", read_sequential_impulse},
                                                            {"impulse-hahn", read_impulse_hahn},
                                                            {"impulse-mirtich", read_impulse_mirtich}}};

void read_options(const toml::table& entry, const std::string& method, Context& context,
                  methods::MethodOptions& options) {
  TableReader table(entry, "method." + method, "method." + method, context);
  for (const OptionsReader& reader : options_readers) {
    if (reader.method == method) reader.read(table, options);
  }
  table.finish();
}

}  // namespace

void read_simulation(TableReader& root, Scene& scene) {
  const toml::table* entry = root.find_table("simulation");
  if (!entry) return;
  TableReader table(*entry, "simulation", "simulation", root.context());
  SimulationSettings& settings = scene.settings;
  table.read_choice("method", settings.method, methods::available_method_names());
  table.read_choice("solver", settings.solver, solver_names());
  table.read("step", settings.step, positive);
  table.read("duration", settings.duration, non_negative);
  table.read("gravity", scene.model.gravity);
  table.read("threads", settings.threads, 1, max_threads);
  table.read("certificate_tolerance", settings.certificate_tolerance, positive);
  table.finish();
}

void read_methods(TableReader& root, SimulationSettings& settings) {
  root.each_named("method", [&](const toml::table& entry, const std::string& name) {
    if (methods::find_method(name)) return read_options(entry, name, root.context(), settings.options);
    Error error{
        .what = "unknown method", .remedy = suggest(name, methods::available_method_names(), "Methods"), .name = name};
    root.context().report(located(std::move(error), entry.source(), root.context()));
  });
}

}  // namespace stiction::scene
