// The parts of a core's surface near one direction: what the polish chooses from. The formulas are at the top of
// polish.cc.
#pragma once

#include <array>

#include "stiction/geometry/polish/polish_newton.h"
#include "stiction/geometry/shapes/features/core_shape.h"

namespace stiction::geometry {

/// One part of a core's surface, in A's frame.
struct PolishPart {
  enum class Kind { smooth, edge, flat, ruled, surface };
  Kind kind = Kind::smooth;
  Vector3 c = Vector3::Zero();
  Vector3 g = Vector3::Zero();  ///< half edge; outward unit normal of a flat; ruled: apex (c) to the rim's middle
  bool curved = false;          ///< the core's M takes part (not on a cylinder's cap)
  int face = -1;                ///< of a flat: which
};

/// A core near one direction: its curvature and the parts that may be in play.
class CoreNeighbourhood {
 public:
  /// X places the core in A's frame; d is its outward direction there.
  CoreNeighbourhood(const CoreShape& core, const Pose& X, const Vector3& d);

  int count() const { return count_; }
  const PolishPart& part(int k) const { return parts_[k]; }
  const Matrix3& M() const { return M_; }
  double ball() const { return ball_; }
  /// The part as Newton for points and normals takes it.
  PolishSide side(const PolishPart& part) const {
    using To = PolishSide::Kind;
    const To kind = part.kind == PolishPart::Kind::edge      ? To::edge
                    : part.kind == PolishPart::Kind::ruled   ? To::ruled
                    : part.kind == PolishPart::Kind::surface ? To::surface
                                                             : To::curved;
    return {kind, part.c, part.g, part.curved, M_, ball_, &core_, X_};
  }
  /// Offset of the supporting point of a part from c, along the outward unit direction d, without its edge.
  Vector3 offset(const PolishPart& part, const Vector3& d) const {
    if (part.kind == PolishPart::Kind::surface) return X_.R * core_.support(X_.R.transpose() * d);
    if (!part.curved) return Vector3::Zero();
    return M_ * (M_ * d).normalized() - ball_ * d;
  }
  /// Cuts the line x + s e (s between *low and *high) to what lies over the flat part, along its normal.
  void clip(const PolishPart& flat, const Vector3& x, const Vector3& e, double slack, double* low, double* high) const;

 private:
  void add(const PolishPart& part) {
    if (count_ < static_cast<int>(parts_.size())) parts_[count_++] = part;
  }
  void add_vertex(const Vector3& x, bool curved = false) {
    add({PolishPart::Kind::smooth, X_ * x, Vector3::Zero(), curved, -1});
  }
  void add_edge(const Vector3& middle, const Vector3& half, bool curved = false) {
    add({PolishPart::Kind::edge, X_ * middle, X_.R * half, curved, -1});
  }
  void add_flat(const Vector3& middle, const Vector3& normal, int face) {
    add({PolishPart::Kind::flat, X_ * middle, X_.R * normal, false, face});
  }
  void segment_parts(const Vector3& d, bool curved);
  void cylinder_parts(const Vector3& d);
  void cone_parts(const Vector3& d);
  void box_parts(const Vector3& d);
  /// Face, edges and corners about the axis k of a box; along the others the direction is undecided.
  void box_face_parts(const Vector3& corner, int k, double side);
  void hull_parts(const Vector3& d);
  void hull_edge(int i, int j, const Vector3& d);
  int corner_count(const PolishPart& flat) const;
  void clip_to_disc(const PolishPart& flat, const Vector3& x, const Vector3& e, double slack, double* low,
                    double* high) const;
  /// Corner k of a flat polygon in A's frame, counter-clockwise about its normal.
  Vector3 corner(const PolishPart& flat, int k) const;

  const CoreShape& core_;
  const Pose& X_;
  Matrix3 M_ = Matrix3::Zero();
  double ball_ = 0;
  std::array<PolishPart, 24> parts_;
  int count_ = 0;
};

}  // namespace stiction::geometry
