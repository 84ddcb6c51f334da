// The constant velocity that leads from one configuration to another: the inverse of integrate_positions.
#pragma once

#include "stiction/model/model.h"

namespace stiction {

/// v with integrate_positions(model, v, h, q_start) = q_end; turns of more than half a revolution go the short way.
VectorX mean_velocity(const Model& model, const VectorX& q_start, const VectorX& q_end, double h);

}  // namespace stiction
