#include "stiction/events/smooth_motion.h"

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>

#include <algorithm>

#include "stiction/base/assert.h"

namespace stiction {

struct SmoothMotion::Memory {
  explicit Memory(const SmoothProblem& p) : problem(p) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  ~Memory() {
    ERKStepFree(&arkode);
    N_VDestroy(state);
    N_VDestroy(absolute);
    SUNContext_Free(&context);
  }

  const SmoothProblem& problem;
  SUNContext context = nullptr;
  void* arkode = nullptr;
  N_Vector state = nullptr, absolute = nullptr;
  VectorX y, tolerance;
  double time = 0;
  bool started = false;
  std::vector<int> found;
  std::string failure;
};

namespace {

// Positive: the library tries again with a shorter step.
int call_rate(realtype t, N_Vector y, N_Vector ydot, void* problem) {
  const auto& p = *static_cast<const SmoothProblem*>(problem);
  return p.rate(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)) ? 0 : 1;
}

int call_root(realtype t, N_Vector y, realtype* g, void* problem) {
  const auto& p = *static_cast<const SmoothProblem*>(problem);
  return p.root(t, N_VGetArrayPointer(y), g) ? 0 : 1;
}

void keep_message(int code, const char*, const char*, char* message, void* failure) {
  if (code < 0) *static_cast<std::string*>(failure) = message;
}

}  // namespace

SmoothMotion::SmoothMotion(const SmoothProblem& problem, const VectorX& y)
    : memory_(std::make_unique<Memory>(problem)) {
  Memory& m = *memory_;
  m.y = y;
  m.tolerance = problem.absolute;
  int bad = SUNContext_Create(nullptr, &m.context);
  m.state = N_VMake_Serial(problem.size, m.y.data(), m.context);
  m.absolute = N_VMake_Serial(problem.size, m.tolerance.data(), m.context);
  m.arkode = ERKStepCreate(call_rate, 0.0, m.state, m.context);
  bad |= ERKStepSetErrHandlerFn(m.arkode, keep_message, &m.failure);
  bad |= ERKStepSetUserData(m.arkode, const_cast<SmoothProblem*>(&problem));
  bad |= ERKStepSVtolerances(m.arkode, problem.relative, m.absolute);
  bad |= ERKStepSetTableNum(m.arkode, ARKODE_DORMAND_PRINCE_7_4_5);
  bad |= ERKStepSetMaxErrTestFails(m.arkode, 40);  // the first step is tried as long as can be
  if (problem.max_step > 0) bad |= ERKStepSetMaxStep(m.arkode, problem.max_step);
  if (problem.roots > 0) {
    std::vector<int> falling(problem.roots, -1);
    bad |= ERKStepRootInit(m.arkode, problem.roots, call_root);
    bad |= ERKStepSetRootDirection(m.arkode, falling.data());
    bad |= ERKStepSetNoInactiveRootWarn(m.arkode);
  }
  m.found.resize(problem.roots);
  STICTION_ASSERT(bad == 0, "SUNDIALS refuses its set-up");
}

SmoothMotion::SmoothMotion(SmoothMotion&&) noexcept = default;
SmoothMotion& SmoothMotion::operator=(SmoothMotion&&) noexcept = default;
SmoothMotion::~SmoothMotion() = default;

SmoothMotion::Ended SmoothMotion::step(double t_end) {
  Memory& m = *memory_;
  if (!m.started) {
    // Whatever is too long for the tolerance is shortened: dearer than a guess only where that was good.
    ERKStepSetInitStep(m.arkode, m.problem.max_step > 0 ? std::min(t_end, m.problem.max_step) : t_end);
    m.started = true;
  }
  ERKStepSetStopTime(m.arkode, t_end);
  const int flag = ERKStepEvolve(m.arkode, t_end, m.state, &m.time, ARK_ONE_STEP);
  if (flag == ARK_ROOT_RETURN) {
    ERKStepGetRootInfo(m.arkode, m.found.data());
    return Ended::root;
  }
  if (flag == ARK_TSTOP_RETURN) return Ended::end;
  if (flag == ARK_SUCCESS) return m.time >= t_end ? Ended::end : Ended::step;
  if (m.failure.empty()) m.failure = "the integrator gave up";
  return Ended::failed;
}

double SmoothMotion::time() const {
  return memory_->time;
}

const VectorX& SmoothMotion::y() const {
  return memory_->y;
}

const std::vector<int>& SmoothMotion::found() const {
  return memory_->found;
}

const std::string& SmoothMotion::failure() const {
  return memory_->failure;
}

}  // namespace stiction
