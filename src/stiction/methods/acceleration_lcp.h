// Contact forces that keep accelerations admissible, with friction pyramids; see acceleration_lcp.cc.
#pragma once

#include <vector>

#include "stiction/contact/island_delassus.h"
#include "stiction/methods/shared/basis_memory.h"
#include "stiction/methods/shared/joint_elimination.h"
#include "stiction/methods/shared/pyramid_lcp.h"
#include "stiction/solvers/lcp/lcp_auto.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

/// [method.acceleration-lcp]
struct AccelerationLcpOptions {
  /// How friction acts where bodies slide.
  enum class Sliding {
    coulomb,  ///< against the sliding velocity, friction times the normal force: may leave no forces at all
    ode,      ///< as where they stick: any force of the pyramid that brings the sliding velocity to zero
  };
  Sliding sliding = Sliding::coulomb;
  double regularization = 1e-10;  ///< m/(s N s), >= 0: softness of every contact, added to the diagonal (ODE: CFM / h)
  double error_reduction = 0.2;   ///< 0..1: share of an overlap that a step takes back (ODE: ERP)
  double impact_speed = 1e-2;     ///< m/s, > 0: contacts that close faster are impacts
  double sliding_speed = 1e-4;    ///< m/s, > 0: contacts that slip faster slide
};

/// baraff1994 with the regularisation of ODE, one instance per simulation.
class AccelerationLcp final : public IslandSolver {
 public:
  AccelerationLcp(const AccelerationLcpOptions& options, int threads);

  contact::AssemblyOptions assembly_options() const override;
  void begin(const StepProblem& problem, const StepContext& context) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory& memory) override;

  /// The LCP that `worker` solved last, for tests.
  const PyramidLcp& lcp(int worker) const { return scratch_[worker].lcp; }

 private:
  // Bits of a contact in the memory of bases: its normal and three for each of t, o, spin and two rolling rows.
  static constexpr int contact_bits = 16, scalar_bits = 3;

  struct Scratch {
    std::vector<int> blocks;
    contact::IslandDelassus delassus;
    JointElimination joints;
    std::vector<double> u;             // one per local row: velocities before the forces act
    std::vector<double> q;             // and with loads, without forces
    std::vector<double> p, p_trial;    // impulses
    std::vector<Vector2> slip;         // one per contact of the island, at the start of the force phase
    std::vector<std::uint8_t> slides;  // one per contact of the island
    PyramidLcp lcp;
    std::vector<double> z, w;
    solvers::LemkeWorkspace lemke;
    solvers::LcpWorkspace chain;  // where Lemke fails
  };

  bool collides(const ContactRows& contact) const { return contact.approach < -options_.impact_speed; }
  double impact_offset(const StepProblem& problem, const ContactRows& contact) const;
  double force_offset(double gap, double h) const;
  void lay_out(const StepProblem& problem, const contact::Island& island, bool impact, Scratch& scratch) const;
  void add_contact(const StepProblem& problem, const ContactRows& contact, int block, int index, bool impact,
                   Scratch& scratch) const;
  void classify(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  bool stop_reversed(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  IslandReport solve_impact(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  IslandReport solve_forces(const StepProblem& problem, const contact::Island& island, Scratch& scratch);
  IslandReport solve_lcp(bool warm, Scratch& scratch) const;
  void solve_by_chain(Scratch& scratch, IslandReport& report) const;
  bool recall_basis(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  void keep_basis(const StepProblem& problem, const contact::Island& island, const Scratch& scratch);

  AccelerationLcpOptions options_;
  std::vector<Scratch> scratch_;
  BasisMemory memory_;
  std::vector<int> contact_slot_, scalar_slot_;
};

}  // namespace stiction::methods
