#include "stiction/model/model.h"

#include <algorithm>

namespace stiction {

int Model::find_body(const std::string& name) const {
  for (size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].name == name) return static_cast<int>(i);
  return -1;
}

bool Model::may_collide(int shape_a, int shape_b) const {
  const BodyShape &a = shapes[shape_a], &b = shapes[shape_b];
  if (a.body == b.body || !a.collide || !b.collide) return false;
  if (!bodies[a.body].moves && !bodies[b.body].moves) return false;
  return !std::binary_search(joined.begin(), joined.end(),
                             std::pair(std::min(a.body, b.body), std::max(a.body, b.body)));
}

}  // namespace stiction
