// What the arrows of a step hand to each other, besides its record.
#pragma once

#include "stiction/base/workers.h"
#include "stiction/certify/step_certificate.h"
#include "stiction/contact/anchors.h"
#include "stiction/contact/assemble.h"
#include "stiction/dynamics/free_motion.h"
#include "stiction/stepping/applied_forces.h"

namespace stiction {

/// Sized for a model once; one per stepper.
struct StepScratch {
  Workers workers;        ///< share the loops of a step
  Kinematics kinematics;  ///< at the start of the step
  AppliedForces forces;
  FreeMotion free_motion;
  contact::DetectionWorkspace detection;
  contact::AssemblyWorkspace assembly;
  certify::CertifyWorkspace certify;
  contact::AnchorScratch anchors;
  VectorX q_next, v_next;  ///< configuration and velocity at the end of the step, before it is taken

  StepScratch(const Model& model, int threads)
      : workers(threads),
        kinematics(make_kinematics(model)),
        forces(model),
        free_motion(make_free_motion(model)),
        detection(contact::make_detection(model)),
        assembly(contact::make_assembly(model)),
        q_next(model.q_size) {
    detection.workers = assembly.workers = anchors.workers = certify.workers = &workers;
  }
};

}  // namespace stiction
