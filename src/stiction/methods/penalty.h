// Springs and dampers at contacts; see penalty.cc.
#pragma once

#include <optional>
#include <vector>

#include "stiction/contact/island_delassus.h"
#include "stiction/methods/shared/joint_elimination.h"
#include "stiction/methods/shared/pyramid_lcp.h"
#include "stiction/methods/shared/spring_memory.h"
#include "stiction/solvers/lcp/lemke.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

/// [method.penalty]
struct PenaltyOptions {
  double stiffness = 1e5;             ///< N/m, > 0: normal force per overlap
  double damping = 100;               ///< N s/m, >= 0: normal force per closing speed
  double tangential_stiffness = 1e5;  ///< N/m, >= 0: force per displacement since the bodies met
  double tangential_damping = 100;    ///< N s/m, >= 0
};

/// One instance per simulation.
class Penalty final : public IslandSolver {
 public:
  Penalty(const PenaltyOptions& options, int threads);

  contact::AssemblyOptions assembly_options() const override { return {.newton_restitution = false}; }
  void begin(const StepProblem& problem, const StepContext& context) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory& memory) override;

 private:
  struct Scratch {
    std::vector<int> blocks;
    contact::IslandRows rows;
    std::vector<double> p;          // one per local row
    std::vector<int> joint_blocks;  // of closing joints, then limits and dry friction: from here on, rows of these
    contact::IslandDelassus delassus;
    JointElimination closing;
    std::vector<double> q, p_joints;
    PyramidLcp lcp;
    std::vector<double> z, w;
    solvers::LemkeWorkspace lemke;
  };

  void press(const StepProblem& problem, const contact::Island& island, Scratch& scratch);
  void press_contact(const StepProblem& problem, int index, double* impulse);
  Vector3 recall_stretch(int index, const Vector3& half_slip) const;
  void keep_stretch(int index, const Vector3& stretch);
  void stretch_springs(const StepProblem& problem, const contact::Island& island, const VectorX& v_end);
  bool form_joint_problem(const StepProblem& problem, const contact::Island& island, const VectorX& v,
                          Scratch& scratch) const;
  solvers::SolveReport solve_joints(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                                    StepAnswer& answer) const;

  PenaltyOptions options_;
  std::vector<Scratch> scratch_;
  std::optional<StepContext> context_;
  SpringMemory springs_;
};

}  // namespace stiction::methods
