// Contact with general convex friction cones: the mixed nonlinear complementarity problem (22) of anitescu1998 (Pang
// and Stewart 1996), small and dense, by a nonsmooth Newton method with homotopies behind it.
//
// Unknowns and equations. (22) has c_n^gamma as a Fritz John multiplier, because at c_n = 0 no constraint qualification
// holds; its Jacobian vanishes there. The same law with a regular Jacobian is the natural map in beta = c_n b,
//
//     F_n = r_n - max(0, tau),             tau = r_n - u_n
//     F_f = r_f - P(r_f - u_f on tau+ F),  tau+ = max(0, tau)
//
// in units in which the blocks of W have a mean diagonal of one and F reaches equally far along its axes. F = 0 exactly
// at the solutions of (22); the lambda of (22) come out at the end (recover_multipliers). With G = dP/dx and
// g = dP/dtau a Newton step solves (A W + B) dr = -F, with for an active contact A = [1 0; g G], B = [0 0; -g, I - G],
// for an open one A = 0, B = I, for bilateral rows A = I, B = 0.
//
// Globalisation, each rung only where those before it failed:
//     line search           Newton from the guess, then from rest
//     friction homotopy     s F with s from 0 to 1, secant predictor, adaptive steps: the homotopy of [45] in spirit
//     compliance homotopy   (W + a I) with a from large (decoupled contacts, one answer) to 0
//     right-hand side       q + (1 - s) p, p such that s = 0 has the answer 0
//     polyhedral            Lemke on corners of F: (7) of the paper; exact for polygons, else where Newton starts from
//     sweeps                projected Gauss-Seidel, Newton from where it leads
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/problem/cone_problem.h"
#include "stiction/solvers/lcp/lemke.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// What brought the answer.
enum class ConeRung : std::uint8_t {
  line_search,          ///< "line-search"
  friction_homotopy,    ///< "friction-homotopy"
  compliance_homotopy,  ///< "compliance-homotopy"
  load_homotopy,        ///< "load-homotopy": in the right-hand side
  polyhedral,           ///< "polyhedral"
  sweeps,               ///< "sweeps"
};
inline constexpr int cone_rungs = 6;

/// The name used in reports.
std::string_view cone_rung_name(ConeRung rung);

/// What to run.
struct GeneralConeOptions {
  double tolerance = 1e-11;  ///< of |F| / |q| in the units of the top of the file, or what rounding of W r leaves, if
                             ///< that is more and below 1e-9
  int newton_steps = 40;     ///< of each run of Newton's method
  int homotopy_steps = 200;  ///< of each homotopy, the failed ones too
  int sweeps = 2000;         ///< of Gauss-Seidel, in all
  bool warm_start = false;   ///< r holds a guess
  double time_limit = infinity;  ///< s of CPU time of this thread; looked at between runs of Newton's method
  std::uint32_t rungs = 0x3f;    ///< bit k: ConeRung k may run
};

/// How it ended; `solve.residual` is |F| / |q| of the returned r.
struct GeneralConeReport {
  SolveReport solve;  ///< iterations: Newton steps of all rungs
  ConeRung rung = ConeRung::line_search;
  int homotopy_steps = 0;
  int factorizations = 0;
};

/// Caller-owned memory; problems no larger than before allocate nothing, but for bilateral rows in the polyhedral rung.
struct GeneralConeWorkspace {
  struct Contact {
    int first = 0, friction = 0;
    FrictionCone cone;  ///< in scaled units
  };
  int rows = 0, bilateral = 0;
  std::vector<Contact> contacts;
  int contact_count = 0;      ///< of `contacts`, which only grows
  std::vector<double> scale;  ///< z = r / scale, scaled velocity = scale u
  std::vector<double> W, q;   ///< scaled
  double q_norm = 1;
  std::vector<double> z, u, F, dz, du, trial_z, trial_u, best, previous, start, load, answer;
  std::vector<double> A, B;    ///< 16 doubles per contact
  std::vector<double> matrix;  ///< of a Newton step
  std::vector<int> exchanges;
  std::vector<double> directions;  ///< polyhedral: unknowns as columns over the rows
  std::vector<int> cone_of;        ///< polyhedral: contact of each unknown
  std::vector<double> lcp_M, lcp_q, lcp_z, lcp_w, product, polyhedral;
  LemkeWorkspace lemke;
};

/// Solves into r, one value per row. When not solved r is the best iterate, always finite, and the residual says how
/// good. A problem that is not well_formed (a number that is not finite) is not_found with r = 0. Cones are not checked
/// here: the functions that make them do.
GeneralConeReport solve_general_cone(const ConeProblem& problem, const GeneralConeOptions& options,
                                     GeneralConeWorkspace& workspace, std::span<double> r);

/// The lambda of (22) for an answer r (multiplier_count(problem) values): the multipliers, of zero or more, that leave
/// the least of its last equation; zero where c_n = 0.
void recover_multipliers(const ConeProblem& problem, std::span<const double> r, std::span<double> lambda);

}  // namespace stiction::solvers
