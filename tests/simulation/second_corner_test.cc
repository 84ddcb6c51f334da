// A box that turns about a corner on the ground hits it with another one: both take part in that impact, at any step.
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr std::string_view box = R"(
[simulation]
method = "anitescu-potra"
[material.rough]
friction = 0.4
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", normal = [0, 0, 1], material = "rough" }
[[body]]
name = "box"
mass = 1.0
position = [0, 0, 0.4]
orientation = [0.9, 0.25, -0.3, 0.2]
linear_velocity = [0.3, 0.1, 0]
angular_velocity = [2, 1.5, 3]
shape = { type = "box", size = [0.3, 0.2, 0.1], material = "rough" }
)";

// The corner it rests on leaves the ground by h^2 |omega|^2 r / 2 before every other step. If the impact of the second
// corner (at 0.3124 s) overlooked it then, angular velocities after it would be off by 0.4 rad/s or more, at steps as
// small as one likes. As it is they are within 0.02 rad/s (the angle at which the corners hit) and a multiple of h.
TEST(SecondCorner, OutcomeConvergesThoughTheFirstCornerChatters) {
  const auto after = [](double h, const char* representation) {
    Simulation simulation =
        open_text(std::string(box),
                  timing(h, 0.313, {fmt::format("method.anitescu-potra.representation=\"{}\"", representation)}));
    run_all(simulation);
    return velocity(simulation, "box").angular;
  };
  const Vector3 finest = after(1.5625e-5, "exponential");
  for (const double h : {5e-4, 2.5e-4, 1.25e-4, 6.25e-5}) {
    for (const char* representation : {"exponential", "quaternion", "matrix", "euler", "rodrigues"}) {
      EXPECT_LT((after(h, representation) - finest).norm(), 0.02 + 100 * h) << h << " " << representation;
    }
  }
}

}  // namespace
}  // namespace stiction::testing
