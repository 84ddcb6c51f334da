// The exact motion of example 1 of chakraborty2007: free fall, an undamped spring that acts while it is pressed in, a
// core that takes all velocity away. z is the height of the centre; with w = sqrt(k/m), d = m g / k and y = z - (r - d)
//
//   flight    z'' = -g                                  until z = r on the way down
//   contact   y = A cos(w s + phi)                      until y = d on the way up, or until the core
//   core      at y = -(thickness - d): v = 0, and contact goes on with A = thickness - d
#pragma once

#include <vector>

namespace stiction::papers::chakraborty2007 {

/// The paper's constants, and the motion from rest.
class DiscMotion {
 public:
  static constexpr double m = 1, g = 9.81, k = 1000, r = 1, start = 1.5;

  explicit DiscMotion(double thickness, double duration);

  struct State {
    double z = 0, v = 0;
  };
  State at(double t) const;

  double touch() const { return phases_[1].begin; }           ///< s: first contact
  double core() const;                                        ///< s: first contact with the core; infinity: none
  double speed_at_core() const { return speed_at_core_; }     ///< m/s, downwards; 0: none
  double leave() const;                                       ///< s: end of the first contact
  double apex_time() const;                                   ///< s: of the flight after the first contact
  double apex() const { return at(apex_time()).z; }           ///< m: its height
  double contact_time() const { return leave() - bounce(); }  ///< s: of free swing in the first contact

 private:
  enum class Kind { flight, contact };
  struct Phase {
    Kind kind = Kind::flight;
    double begin = 0;
    State from;
    bool after_core = false;
  };
  Phase next(const Phase& phase);
  double bounce() const;

  double thickness_ = 0, speed_at_core_ = 0;
  std::vector<Phase> phases_;
};

}  // namespace stiction::papers::chakraborty2007
