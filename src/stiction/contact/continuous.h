// Which contacts take part in a piece of a step that ends before the next impact, and when that impact is.
//
// Two bodies touch when their gap is at most `touch` = 1e-7 of the smaller one's size. A pair that touches has all its
// points in the active set that touch or would close within the piece, f(q + h v) <= 0 (anitescu1998 (14)). A pair that
// does not touch is left to time_of_impact: the piece ends where the first of them comes within half of `touch`.
//
// Rows ask for n^T v >= 0, and a point that turns about the contact with |omega| still leaves the plane by
// h^2 |omega|^2 r / 2 in a step, r its distance from the centre of mass. Where a pair touches, its other points up to
// `touch` and twice that apart take part too: otherwise the impact of one corner would see the corner that the body
// rests on, or not, by chance, and its outcome would not converge as h falls.
#pragma once

#include "stiction/contact/contact_set.h"

namespace stiction::contact {

/// Gap at which two shapes touch [m].
double touch_distance(const Model& model, int shape_A, int shape_B);

/// Leaves in `contacts` (in the order of detect_contacts, velocities at the start of the piece in `kinematics`) those
/// that take part. `step` is the whole step that the piece h is part of. `inelastic`: pairs without restitution cut the
/// step too; otherwise they are in as soon as f(q + h v) <= 0.
void keep_touching(const Model& model, const Kinematics& kinematics, double h, double step, bool inelastic,
                   std::vector<Contact>& contacts);

/// The first time within h at which two shapes that do not touch come to touch, bodies moving with the velocities in
/// `kinematics`; h if there is none. `contacts` are those that take part: their pairs are passed over. Uses the boxes
/// and poses of the last detect_contacts, whose reach must hold for these velocities.
double first_impact(const Model& model, const Kinematics& kinematics, double h, bool inelastic,
                    std::span<const Contact> contacts, DetectionWorkspace& workspace);

}  // namespace stiction::contact
