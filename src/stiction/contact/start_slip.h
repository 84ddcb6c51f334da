// The slip speed that the friction coefficient of a step goes by (model/stribeck.h): that of the start of the step.
//
//     s = |(u_t, u_o, l u_spin)|,  u = J v_start + surface,  l = Material::torsional_friction
//
// Three kinds of slip are rest, s = 0, where the static coefficient holds:
//
// - The contact stuck in the last step (u_t and u_o are taken as zero). Its velocity at the start need not be zero: the
//   bodies have turned since, and prescribed ones have another velocity in this step.
// - The slip is that of rounding.
// - The loads turn it round within the step, u . u_free <= 0: on its way it passes through zero, and a block thrown up
//   a slope must find static friction there. With the sliding coefficient it would stay or not as the last step happens
//   to fall, for every h.
#pragma once

#include "stiction/contact/contact_set.h"
#include "stiction/problem/step_problem.h"

namespace stiction::contact {

/// s of the top of the file [m/s]. `rows` and its block are those of `contact` in `problem`.
double start_slip(const Contact& contact, const ContactRows& rows, const StepProblem& problem);

}  // namespace stiction::contact
