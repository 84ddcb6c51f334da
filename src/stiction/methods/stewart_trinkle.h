// The discrete-time model of Trinkle 2003 as a method; see stewart_trinkle.cc for the paper's equations.
#pragma once

#include <array>
#include <vector>

#include "stiction/contact/island_delassus.h"
#include "stiction/methods/shared/basis_memory.h"
#include "stiction/methods/shared/joint_elimination.h"
#include "stiction/methods/shared/stick_guess.h"
#include "stiction/solvers/lcp/lemke.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

/// [method.stewart-trinkle]
struct StewartTrinkleOptions {
  int friction_directions = 8;  ///< edges of the polygon that stands for the friction circle; 3..256
  double friction_angle = 0;    ///< rad: the first direction's angle from the contact's friction direction
  /// m/s, > 0: bound on the speed -gap/h that drives overlaps apart (paper: none).
  double max_recovery_speed = infinity;
};

/// LCP(F, f) of one island with the meaning of its variables; z = [p_n; p_limit; u_beta; b_beta; u_sigma; b_sigma]
/// (47).
struct StewartTrinkleLcp {
  /// How an impulse variable acts: coefficients on consecutive local rows of the island.
  struct Column {
    int row = 0;
    int count = 1;
    std::array<double, 3> coefficient = {1, 0, 0};
  };

  int n = 0;              ///< number of variables
  std::vector<double> F;  ///< column-major n x n
  std::vector<double> f;
  std::vector<Column> columns;  ///< of the impulse variables (all but the sigmas)
  std::vector<int> contact_beta, contact_sigma,
      contact_directions;                          ///< by contact of the island; sigma -1 without friction
  std::vector<int> friction_beta, friction_sigma;  ///< by joint-friction row of the island
  int contacts = 0, limits = 0;
};

/// trinkle2003, one instance per simulation.
class StewartTrinkle final : public IslandSolver {
 public:
  StewartTrinkle(const StewartTrinkleOptions& options, int threads);

  contact::AssemblyOptions assembly_options() const override;
  void begin(const StepProblem& problem, const StepContext& context) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory& memory) override;

  /// The LCP of an island as `worker` last formed it, for tests and dumps.
  const StewartTrinkleLcp& lcp(int worker) const { return scratch_[worker].lcp; }

 private:
  struct Scratch {
    contact::IslandDelassus delassus;
    std::vector<int> blocks;  // local order: bilaterals, contacts, scalars
    int bilateral_rows = 0;
    std::vector<double> q;  // J v_free + bias, one per local row
    JointElimination joints;
    StewartTrinkleLcp lcp;
    std::vector<double> z, w;
    std::vector<double> p;  // one per local row: the answer
    StickGuess stick;
    std::vector<std::uint8_t> hold;  // one per local row: held by the guess
    solvers::LemkeWorkspace lemke;
  };

  void collect(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  void eliminate_joints(Scratch& scratch) const;
  void lay_out_lcp(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  void fill_lcp(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  bool recall_basis(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  void keep_basis(const StepProblem& problem, const contact::Island& island, const Scratch& scratch);
  bool guess_stick(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  double velocity_scale(const Scratch& scratch) const;
  bool recall_stick(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  bool revise_stick(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                    double tolerance) const;
  bool stick_guess_holds(const StepProblem& problem, const contact::Island& island, const Scratch& scratch,
                         double tolerance) const;
  void keep_impulses(const StepProblem& problem, const contact::Island& island, const Scratch& scratch, bool stuck);
  solvers::SolveReport solve_lcp(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                                 Fallback& fallback);
  void write_answer(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                    StepAnswer& answer) const;
  int contact_directions(const StepProblem& problem, const ContactRows& contact) const;

  StewartTrinkleOptions options_;
  std::vector<Scratch> scratch_;
  BasisMemory memory_;
  std::vector<int> contact_slot_, scalar_slot_;
};

}  // namespace stiction::methods
