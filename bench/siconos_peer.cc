#include "siconos_peer.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include <CSparseMatrix.h>
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

namespace stiction::bench {
namespace {

enum class Storage { blocks, columns };

/// W by columns: Siconos's "sparse" form.
NumericsMatrix* matrix_by_columns(const FrictionProblem& problem) {
  const int rows = problem.row_count();
  NumericsMatrix* matrix = NM_create(NM_SPARSE, rows, rows);
  NM_triplet_alloc(matrix, static_cast<CS_INT>(problem.value.size()));
  matrix->matrix2->origin = NSM_TRIPLET;
  for (int i = 0; i < problem.block_count(); ++i) {
    for (int k = problem.row_start[i]; k < problem.row_start[i + 1]; ++k) {
      const double* block = &problem.value[problem.value_start[k]];
      for (int e = 0; e < 9; ++e) {
        if (block[e] != 0) NM_entry(matrix, 3 * i + e / 3, 3 * problem.column[k] + e % 3, block[e]);
      }
    }
  }
  NM_csc(matrix);
  NM_clearTriplet(matrix);
  matrix->matrix2->origin = NSM_CSC;
  return matrix;
}

/// W as 3x3 blocks, compressed block rows: the form of its Gauss-Seidel.
NumericsMatrix* matrix_by_blocks(const FrictionProblem& problem) {
  NumericsMatrix* by_columns = matrix_by_columns(problem);
  SparseBlockStructuredMatrix* blocks = SBM_new();
  SBM_from_csparse(3, NM_csc(by_columns), blocks);
  NM_free(by_columns);
  const int rows = problem.row_count();
  return NM_create_from_data(NM_SPARSE_BLOCK, rows, rows, blocks);
}

FrictionContactProblem* siconos_problem(const FrictionProblem& problem, Storage storage) {
  const int contacts = problem.block_count();
  auto* q = static_cast<double*>(std::malloc(sizeof(double) * problem.q.size()));
  auto* mu = static_cast<double*>(std::malloc(sizeof(double) * contacts));
  std::copy(problem.q.begin(), problem.q.end(), q);
  std::transform(problem.blocks.begin(), problem.blocks.end(), mu, [](const FrictionBlock& b) { return b.axes[0]; });
  NumericsMatrix* W = storage == Storage::blocks ? matrix_by_blocks(problem) : matrix_by_columns(problem);
  return frictionContactProblem_new_with_data(3, contacts, W, q, mu);
}

/// OpenBLAS would start threads of its own, whose time the clock of this thread would miss.
void single_threaded_blas() {
  using SetThreads = void (*)(int);
  if (auto* set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(1);
}

/// A Siconos solver with settings; `adjust` changes the defaults.
struct Setting {
  std::string name;
  int id;
  Storage storage;
  std::function<void(SolverOptions&)> adjust;
};

class SiconosContestant : public Contestant {
 public:
  explicit SiconosContestant(Setting setting) : setting_(std::move(setting)) {}
  ~SiconosContestant() override { release(); }
  SiconosContestant(const SiconosContestant&) = delete;
  SiconosContestant& operator=(const SiconosContestant&) = delete;

  const std::string& name() const override { return setting_.name; }

  /// Its measure of error depends on the units of the problem.
  bool tolerance_is_target() const override { return false; }

  void load(const FrictionFile& file) override {
    release();
    single_threaded_blas();
    numerics_set_verbose(0);
    source_ = &file.problem;
    velocity_.resize(file.problem.q.size());
    reload();
  }

  void prepare(double tolerance) override {
    // The proximal solver adds to the diagonal of W and takes it off again, with rounding.
    if (setting_.id == SICONOS_FRICTION_3D_PROX) reload();
    if (options_ != nullptr) solver_options_delete(options_);
    options_ = solver_options_create(setting_.id);
    setting_.adjust(*options_);
    options_->dparam[SICONOS_DPARAM_TOL] = tolerance;
    std::fill(velocity_.begin(), velocity_.end(), 0.0);
  }

  Outcome solve(std::span<double> r) override {
    return {.converged = fc3d_driver(problem_, r.data(), velocity_.data(), options_) == 0, .rung = {}};
  }

 private:
  void reload() {
    if (problem_ != nullptr) frictionContactProblem_free(problem_);
    problem_ = siconos_problem(*source_, setting_.storage);
  }

  void release() {
    if (problem_ != nullptr) frictionContactProblem_free(problem_);
    if (options_ != nullptr) solver_options_delete(options_);
    problem_ = nullptr;
    options_ = nullptr;
  }

  Setting setting_;
  const FrictionProblem* source_ = nullptr;
  FrictionContactProblem* problem_ = nullptr;
  SolverOptions* options_ = nullptr;
  std::vector<double> velocity_;
};

constexpr int many_iterations = 2'000'000;  // a time limit ends the run, not this

void nsgs(SolverOptions& o) {
  o.iparam[SICONOS_IPARAM_MAX_ITER] = many_iterations;
  o.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
      SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL;
}

void nsgs_full(SolverOptions& o) {
  nsgs(o);
  o.iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
}

void nsgs_pli(SolverOptions& o) {
  nsgs(o);
  solver_options_update_internal(&o, 0, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration);
}

void vi_eg(SolverOptions& o) {
  o.iparam[SICONOS_IPARAM_MAX_ITER] = many_iterations;
}

void nsn(SolverOptions& o) {
  o.iparam[SICONOS_IPARAM_MAX_ITER] = 2000;
  o.iparam[SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER] = SICONOS_FRICTION_3D_NSN_USE_CSLUSOL;
}

void nsn_hybrid(SolverOptions& o) {
  nsn(o);
  o.iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
}

void prox(SolverOptions& o) {
  o.iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
  o.internalSolvers[0]->iparam[SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER] = SICONOS_FRICTION_3D_NSN_USE_CSLUSOL;
}

void prox_nsgs(SolverOptions& o) {
  o.iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
  solver_options_update_internal(&o, 0, SICONOS_FRICTION_3D_NSGS);
  o.internalSolvers[0]->iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
}

void admm(SolverOptions& o) {
  o.iparam[SICONOS_IPARAM_MAX_ITER] = many_iterations;
}

void admm_balanced(SolverOptions& o) {
  admm(o);
  o.iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
      SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING;
  o.iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_INITIAL_RHO] = SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF;
}

/// Settings that were quicker than their family's others nowhere are left out: NSGS in shuffled order, the Newton
/// solvers on matrices by columns or with MUMPS.
std::vector<Setting> settings() {
  return {
      {"NSGS", SICONOS_FRICTION_3D_NSGS, Storage::blocks, nsgs},
      {"NSGS/full", SICONOS_FRICTION_3D_NSGS, Storage::blocks, nsgs_full},
      {"NSGS-PLI", SICONOS_FRICTION_3D_NSGS, Storage::blocks, nsgs_pli},
      {"VI-EG", SICONOS_FRICTION_3D_VI_EG, Storage::blocks, vi_eg},
      {"PROX", SICONOS_FRICTION_3D_PROX, Storage::blocks, prox},
      {"PROX/nsgs", SICONOS_FRICTION_3D_PROX, Storage::blocks, prox_nsgs},
      {"NSN-AC", SICONOS_FRICTION_3D_NSN_AC, Storage::blocks, nsn},
      {"NSN-AC-hybrid", SICONOS_FRICTION_3D_NSN_AC, Storage::blocks, nsn_hybrid},
      {"ADMM", SICONOS_FRICTION_3D_ADMM, Storage::columns, admm},
      {"ADMM/balanced", SICONOS_FRICTION_3D_ADMM, Storage::columns, admm_balanced},
  };
}

}  // namespace

Contestants siconos_contestants() {
  Contestants all;
  for (Setting& setting : settings()) all.push_back(std::make_unique<SiconosContestant>(std::move(setting)));
  return all;
}

std::string siconos_version() {
  return "4.4";
}

}  // namespace stiction::bench
