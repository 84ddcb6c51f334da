#include "stiction/study/analyze.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stiction/events/instant_island.h"
#include "stiction/stepping/controllers.h"
#include "stiction/stepping/existence/existence_summary.h"

namespace stiction {

namespace {

std::string body_name(const Model& model, int body) {
  return body < 0 ? "world" : model.bodies[body].name;
}

TouchKind kind_of(double approach, double slip, double tolerance) {
  if (approach < -tolerance) return TouchKind::collides;
  if (approach > tolerance) return TouchKind::leaves;
  return slip > tolerance ? TouchKind::slides : TouchKind::rests;
}

AnalyzedContact describe_contact(const Model& model, const InstantRows& rows, int c, const AnalyzeOptions& options) {
  const contact::Contact& contact = rows.contacts[c];
  const RowBlock& block = rows.problem.blocks[rows.problem.contacts[c].block];
  AnalyzedContact result{.body_A = body_name(model, contact.body_A),
                         .body_B = body_name(model, contact.body_B),
                         .joint = {},
                         .point = contact.point,
                         .normal = contact.normal,
                         .tangent = contact.tangent,
                         .gap = contact.gap,
                         .approach = rows.velocity[block.first_row],
                         .friction = rows.problem.contacts[c].friction};
  if (block.row_count >= 3) {
    result.slip =
        contact.tangent * rows.velocity[block.first_row + 1] + contact.binormal() * rows.velocity[block.first_row + 2];
  }
  result.kind = kind_of(result.approach, result.slip.norm(), options.speed_tolerance);
  return result;
}

AnalyzedContact describe_limit(const Model& model, const InstantRows& rows, int k, const AnalyzeOptions& options) {
  const contact::ScalarSource& source = rows.scalar_source[k];
  const Joint& joint = source.loop_joint ? model.loop_joints[source.joint] : model.tree_joints[source.joint];
  AnalyzedContact result;
  result.body_A = body_name(model, joint.parent);
  result.body_B = body_name(model, joint.child);
  result.joint = joint.name;
  result.gap = rows.problem.scalars[k].gap;
  result.approach = rows.velocity[rows.problem.blocks[rows.problem.scalars[k].block].first_row];
  result.kind = kind_of(result.approach, 0, options.speed_tolerance);
  return result;
}

// Analyses island after island into one Analysis.
class Analyzer {
 public:
  Analyzer(const Model& model, const InstantRows& rows, const AnalyzeOptions& options, Analysis& result)
      : model_(model), rows_(rows), options_(options), result_(result) {}

  void describe_touching() {
    for (size_t c = 0; c < rows_.contacts.size(); ++c) {
      result_.contacts.push_back(describe_contact(model_, rows_, static_cast<int>(c), options_));
    }
    for (size_t k = 0; k < rows_.problem.scalars.size(); ++k) {
      place_.push_back(-1);
      if (rows_.problem.scalars[k].kind != ScalarRow::Kind::limit) continue;
      place_.back() = static_cast<int>(result_.contacts.size());
      result_.contacts.push_back(describe_limit(model_, rows_, static_cast<int>(k), options_));
    }
  }

  void analyze_island(const contact::Island& island);

 private:
  void select(const contact::Island& island);
  void rank(const InstantIsland& matrices, IslandAnalysis& result) const;
  void enumerate(const InstantIsland& matrices, IslandAnalysis& result) const;
  AnalyzedSolution translate(const solvers::InstantSolution& solution, const MatrixX& T,
                             const InstantIsland& matrices) const;
  ForcePattern to_pattern(const VectorX& values, const std::vector<int>& columns, const InstantIsland& matrices) const;
  int place(const InstantItem& item) const { return item.contact >= 0 ? item.contact : place_[item.scalar]; }

  const Model& model_;
  const InstantRows& rows_;
  const AnalyzeOptions& options_;
  Analysis& result_;
  std::vector<int> place_;  // of a scalar row's limit in Analysis::contacts; -1: dry friction

  // Of the present island.
  std::vector<InstantItem> items_;  // contacts and limits first, then joints held by dry friction
  int contact_items_ = 0;
  std::vector<int> contacts_, limits_, moving_;
};

void Analyzer::select(const contact::Island& island) {
  items_.clear();
  contacts_.clear();
  limits_.clear();
  moving_.clear();
  for (const int c : island.contacts) {
    if (result_.contacts[c].kind == TouchKind::leaves) continue;
    items_.push_back({.contact = c, .slides = result_.contacts[c].kind == TouchKind::slides});
    contacts_.push_back(c);
  }
  std::vector<InstantItem> held;
  for (const int k : island.scalars) {
    if (place_[k] >= 0) {
      if (result_.contacts[place_[k]].kind == TouchKind::leaves) continue;
      items_.push_back({.scalar = k});
      limits_.push_back(k);
    } else if (std::abs(rows_.velocity[rows_.problem.blocks[rows_.problem.scalars[k].block].first_row]) >
               options_.speed_tolerance) {
      moving_.push_back(k);
    } else {
      held.push_back({.scalar = k});
    }
  }
  contact_items_ = static_cast<int>(items_.size());
  items_.insert(items_.end(), held.begin(), held.end());
}

ForcePattern Analyzer::to_pattern(const VectorX& values, const std::vector<int>& columns,
                                  const InstantIsland& matrices) const {
  ForcePattern pattern(contact_items_, Vector3::Zero());
  for (size_t k = 0; k < columns.size(); ++k) {
    for (int i = 0; i < contact_items_; ++i) {
      const int r = columns[k] - matrices.items[i].first;
      if (r >= 0 && r < matrices.items[i].rows) pattern[i][r] = values[static_cast<Eigen::Index>(k)];
    }
  }
  return pattern;
}

void Analyzer::rank(const InstantIsland& matrices, IslandAnalysis& result) const {
  std::vector<int> all, normals;
  for (int i = 0; i < contact_items_; ++i) {
    const InstantItem& item = matrices.items[i];
    normals.push_back(item.first);
    for (int r = 0; r < item.rows; ++r) all.push_back(item.first + r);
  }
  const auto patterns = [&](const std::vector<int>& columns, int& rows, int& rank) {
    const RowRank ranked = rank_rows(matrices.B, columns, options_.rank_tolerance);
    rows = static_cast<int>(columns.size());
    rank = ranked.rank;
    std::vector<ForcePattern> found;
    for (Eigen::Index k = 0; k < ranked.null.cols(); ++k) {
      found.push_back(to_pattern(ranked.null.col(k), columns, matrices));
    }
    return found;
  };
  result.patterns = patterns(all, result.rows, result.rank);
  result.normal_patterns = patterns(normals, result.normal_rows, result.normal_rank);
}

// Zeros for what is zero but for rounding, far below what conditions are judged to.
void drop_rounding(double size, VectorX& x) {
  for (double& value : x) {
    if (std::abs(value) <= 1e-12 * size) value = 0;
  }
}

AnalyzedSolution Analyzer::translate(const solvers::InstantSolution& solution, const MatrixX& T,
                                     const InstantIsland& matrices) const {
  AnalyzedSolution result;
  result.states = solution.states;
  result.force_freedom = solution.force_freedom;
  result.acceleration_varies = solution.acceleration_varies;
  result.borderline = solution.borderline;
  result.states.resize(contact_items_);
  VectorX f = T.transpose() * solution.force;
  VectorX a = matrices.a0 + matrices.B.transpose() * (matrices.B * f);
  drop_rounding(f.lpNorm<Eigen::Infinity>(), f);
  drop_rounding(matrices.a0.lpNorm<Eigen::Infinity>(), a);
  for (int i = 0; i < contact_items_; ++i) {
    const InstantItem& item = matrices.items[i];
    const AnalyzedContact& contact = result_.contacts[place(item)];
    const Vector3 binormal = contact.normal.cross(contact.tangent);
    const auto tangential = [&](const VectorX& x) -> Vector3 {
      if (item.rows < 3) return Vector3::Zero();
      return contact.tangent * x[item.first + 1] + binormal * x[item.first + 2];
    };
    result.normal_force.push_back(f[item.first]);
    result.force.push_back(item.contact >= 0 ? Vector3(contact.normal * f[item.first] + tangential(f))
                                             : Vector3::Zero());
    result.normal_acceleration.push_back(a[item.first]);
    result.slip_acceleration.push_back(tangential(a));
  }
  return result;
}

AnswerCount count_answers(const solvers::InstantReport& report) {
  const auto& solutions = report.solutions;
  if (!report.enumerated) return solutions.empty() ? AnswerCount::unknown : AnswerCount::some;
  if (solutions.empty()) return report.searched > 0 ? AnswerCount::unknown : AnswerCount::none;
  if (solutions.size() > 1 || solutions.front().acceleration_varies) return AnswerCount::many;
  return solutions.front().force_freedom > 0 ? AnswerCount::forces_undetermined : AnswerCount::one;
}

void Analyzer::enumerate(const InstantIsland& matrices, IslandAnalysis& result) const {
  for (const int c : result.contacts) {
    if (result_.contacts[c].kind == TouchKind::collides) {
      result.answers = AnswerCount::impact;
      return;
    }
  }
  const ReducedProblem reduced = reduce_problem(rows_, matrices);
  const solvers::InstantReport report =
      solvers::enumerate_slip_states(reduced.problem, {.max_contacts = options_.max_contacts});
  result.state_patterns = report.patterns;
  result.searched = report.searched;
  result.answers = count_answers(report);
  for (const solvers::InstantSolution& solution : report.solutions) {
    result.solutions.push_back(translate(solution, reduced.T, matrices));
  }
}

void Analyzer::analyze_island(const contact::Island& island) {
  select(island);
  if (contact_items_ == 0) return;
  const InstantIsland matrices = make_instant_island(rows_, island, items_, moving_);
  IslandAnalysis result;
  result.bodies = island_bodies(model_, island);
  for (int i = 0; i < contact_items_; ++i) result.contacts.push_back(place(matrices.items[i]));
  rank(matrices, result);
  result.cone = check_existence(rows_.problem, {island.trees, island.bilaterals, limits_, contacts_});
  enumerate(matrices, result);
  result_.islands.push_back(std::move(result));
}

// What the scene states and the analysis leaves out.
void add_notes(const Model& model, const InstantRows& rows, Analysis& result) {
  bool torsion = false, rolling = false, general = false, layered = false;
  for (size_t c = 0; c < rows.contacts.size(); ++c) {
    const ContactRows& contact = rows.problem.contacts[c];
    torsion |= contact.torsion > 0;
    rolling |= contact.rolling >= 0;
    general |= contact.cone != nullptr;
    layered |= rows.contacts[c].layers[0] != nullptr || rows.contacts[c].layers[1] != nullptr;
  }
  const auto note = [&](bool is, const char* text) {
    if (is) result.notes.emplace_back(text);
  };
  note(torsion, "torsional friction is left out of ranks and slip states");
  note(rolling, "rolling friction is left out of ranks and slip states");
  note(general, "friction sets other than ellipses count as the disc around them in slip states");
  note(layered, "compliant layers count as rigid");
  for (const int c : rows.unmatched) {
    result.notes.push_back(
        fmt::format("contact {} ({} - {}) changes its features along the motion: its surfaces count as flat", c + 1,
                    body_name(model, rows.contacts[c].body_A), body_name(model, rows.contacts[c].body_B)));
  }
}

}  // namespace

std::string_view touch_kind_name(TouchKind kind) {
  constexpr std::array<std::string_view, 4> names = {"rests", "slides", "leaves", "collides"};
  return names[static_cast<size_t>(kind)];
}

std::string_view answer_count_name(AnswerCount count) {
  constexpr std::array<std::string_view, 7> names = {"none",    "one",   "forces undetermined", "many", "at least one",
                                                     "unknown", "impact"};
  return names[static_cast<size_t>(count)];
}

std::string_view answer_count_sentence(AnswerCount count) {
  constexpr std::array<std::string_view, 7> sentences = {
      "no contact forces satisfy the law (Painleve: inconsistent); only a jump of velocities goes on",
      "forces and accelerations are unique",
      "accelerations are unique, forces are undetermined",
      "accelerations differ between answers (Painleve: indeterminate)",
      "too many contacts to enumerate; at least the answer given exists",
      "nothing was found, which proves nothing: not every slip state could be exhausted",
      "a contact collides: velocities jump before accelerations matter"};
  return sentences[static_cast<size_t>(count)];
}

AnswerCount Analysis::answers() const {
  using enum AnswerCount;
  for (const AnswerCount worst : {none, impact, many, unknown, some, forces_undetermined}) {
    for (const IslandAnalysis& island : islands) {
      if (island.answers == worst) return worst;
    }
  }
  return one;
}

Analysis analyze(const Simulation& simulation, const AnalyzeOptions& options) {
  const Model& model = simulation.model();
  const State& state = simulation.state();
  Kinematics kinematics = make_kinematics(model);
  update_kinematics(model, state, 0, kinematics);
  std::vector<double> load(model.v_size, 0.0);
  ControllerWorkspace controllers = make_controller_workspace(model);
  add_controller_forces(model, state, kinematics, controllers, load);
  const InstantRows rows = find_instant_rows(model, state, load, options.gap_tolerance);
  Analysis result;
  result.time = state.time;
  Analyzer analyzer(model, rows, options, result);
  analyzer.describe_touching();
  contact::Islands islands;
  islands.update(rows.problem);
  for (int i = 0; i < islands.count(); ++i) analyzer.analyze_island(islands[i]);
  add_notes(model, rows, result);
  return result;
}

std::string describe_pattern(const IslandAnalysis& island, const ForcePattern& pattern) {
  constexpr std::array<const char*, 3> axes = {"n", "t", "o"};
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    std::string part;
    for (int r = 0; r < 3; ++r) {
      if (pattern[i][r] != 0) part += fmt::format(" {:+.4g} {}", pattern[i][r], axes[r]);
    }
    if (!part.empty()) text += fmt::format("{}contact {}{}", text.empty() ? "" : ", ", island.contacts[i] + 1, part);
  }
  return text;
}

}  // namespace stiction
