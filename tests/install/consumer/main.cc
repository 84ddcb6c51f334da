// Uses one function of the installed library: half a turn in two steps.
#include <cstdio>

#include "stiction/math/rotation.h"

int main() {
  const double quarter = 1.5707963267948966;
  const stiction::Quaternion half_turn =
      stiction::integrate_rotation(stiction::exp_rotation({0, 0, quarter}), {0, 0, quarter}, 1.0);
  const stiction::Vector3 turned = half_turn * stiction::Vector3::UnitX();
  std::printf("x turned by pi: %g %g %g\n", turned.x(), turned.y(), turned.z());
  return (turned + stiction::Vector3::UnitX()).norm() < 1e-15 * 4 ? 0 : 1;
}
