// Proximal point around Newton's method on velocities (augmented Lagrangian; Alart and Curnier 1991, Rockafellar 1976).
//
// Around an impulse z with penalty rho, find x with
//
//     F(x) = x - H^T (Pi(y) - z) = 0,    y = z - rho (u(z) + H x),    u(z) = H H^T z + q
//     Pi: cone      n = max(0, y_n), y_t onto the disc of radius n
//         set       n = max(0, y_n), y_t onto n F (body_set.h)
//         disc      y onto the disc of radius bound + factor n(link)
//         equality  y
//
// by Newton's method with A = I + rho H^T G H, G in dPi/dy: open 0; stick I; slip [1 0; e (n / |y_t|)(I - e e^T)], e =
// y_t / |y_t|. Merit |F|^2 (F^T M^-1 F in velocities), halving line search, non-monotone over 4 steps. Then z := Pi(y):
// a proximal step on the impulses, which need not be unique. x is the change of velocities, not the velocities: their
// rounding errors, times rho, would be as large as F from rho = 1e6 on, and jammed piles need 1e9. rho grows after easy
// steps and shrinks after failures, which keep z: going back to the best one cycles.
#pragma once

#include <vector>

#include "stiction/solvers/friction/body/body_matrix.h"
#include "stiction/solvers/friction/body/body_progress.h"

namespace stiction::solvers {

/// What to run.
struct BodyProximalOptions {
  double penalty = 1e2;       ///< rho at the start
  int factorizations = 150;   ///< at most
  int patience = 1 << 30;     ///< factorisations within which the residual must halve
  bool only_if_easy = false;  ///< ends where Newton's method does not gain on the first penalty at once
  double growth = 3;          ///< of rho where a proximal step takes one or two Newton steps, 3 ..
  bool polish = true;         ///< goes on from the tolerance to BodyProgress::polished where that is easy
};

/// Caller-owned memory and the iteration above.
class BodyProximalNewton {
 public:
  /// From z, in place. Offers every proximal step to `progress`. Returns the residual of z.
  double run(const BodySystem& system, const BodyProximalOptions& options, BodyMatrix& matrix, BodyProgress& progress,
             std::vector<double>& z);

  /// One proximal step from z, in place: the answer of rows with a compliance of 1 over the penalty on the change of
  /// impulses. False, and z as it was, where Newton's method does not get there.
  bool step(const BodySystem& system, const BodyProximalOptions& options, double tolerance, BodyMatrix& matrix,
            BodyProgress& progress, std::vector<double>& z);

  /// Takes the memory that a run needs.
  void reserve(const BodySystem& system) { size_arrays(system); }

 private:
  struct Penalty {
    double rho = 1e2;
    double growth = 3;
    int hold = 0;  // successes to wait for before rho may grow again
    void succeed(int steps);
    void leap();
    void fail();
  };
  void size_arrays(const BodySystem& s);
  double evaluate(const BodySystem& s, double rho, const double* z, const double* x);
  void centre(const BodySystem& s, const double* z);
  void project(const BodySystem& s);
  bool factor(const BodySystem& s, double rho, BodyMatrix& matrix, BodyProgress& progress);
  bool search(const BodySystem& s, double rho, const double* z, double limit, double& merit);
  // Newton's method on one proximal step.
  struct Task {
    double rho, tolerance;
    int last_factorization;
    bool only_if_easy;
  };
  int newton(const BodySystem& s, const Task& task, const double* z, BodyMatrix& matrix, BodyProgress& progress);

  std::vector<double> y_, image_, G_, link_, base_;  // rows (G: as BodySystem::W)
  std::vector<double> u_, x_, trial_, dx_, F_, momentum_;
  std::vector<double> merits_;
};

}  // namespace stiction::solvers
