#include "stiction/solvers/cone/pointedness.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/QR>

#include "stiction/base/infinity.h"

namespace stiction::solvers {
namespace {

// A vertex of C that the algorithm holds: x = J_i^T (1, b), with its weight.
struct Vertex {
  int contact = 0;
  std::array<double, 3> b = {};
  VectorX x;
  double weight = 0;
};

class NearestPoint {
 public:
  NearestPoint(const MatrixX& J, const std::vector<ConeContact>& contacts) : J_(J), contacts_(contacts) {}

  PointednessReport run(double tolerance, int max_steps) {
    start();
    for (report_.steps = 0; report_.steps < max_steps; ++report_.steps) {
      const VectorX x = point();
      const Vertex next = least_along(x);
      size_ = std::max(size_, next.x.norm());
      note(x, next);
      // Wolfe's rule: no vertex lies nearer along x.
      if (report_.distance <= tolerance * size_ || x.dot(next.x) >= x.squaredNorm() * (1 - 1e-12)) break;
      if (report_.margin > 0 && report_.margin >= 0.999 * report_.distance) break;
      if (!add(next)) break;
    }
    return verdict(tolerance);
  }

 private:
  VectorX vertex_vector(int i, const double* b) const {
    const int row = contacts_[i].first_row;
    VectorX x = J_.row(row).transpose();
    for (int k = 0; k < friction_rows(contacts_[i]); ++k) x += b[k] * J_.row(row + 1 + k).transpose();
    return x;
  }

  // The vertex of contact i with the least x . v: n . v - h_F(-D^T v).
  Vertex least_of(int i, const VectorX& v) const {
    Vertex vertex;
    vertex.contact = i;
    double toward[3] = {0, 0, 0};
    const int row = contacts_[i].first_row;
    for (int k = 0; k < friction_rows(contacts_[i]); ++k) toward[k] = -J_.row(row + 1 + k).dot(v);
    if (contacts_[i].cone) cone_support_point(*contacts_[i].cone, toward, vertex.b.data());
    vertex.x = vertex_vector(i, vertex.b.data());
    return vertex;
  }

  Vertex least_along(const VectorX& v) const {
    Vertex best = least_of(0, v);
    for (int i = 1; i < static_cast<int>(contacts_.size()); ++i) {
      Vertex other = least_of(i, v);
      if (other.x.dot(v) < best.x.dot(v)) best = std::move(other);
    }
    return best;
  }

  void start() {
    const VectorX v = VectorX::Zero(J_.cols());
    corral_ = {least_of(0, v)};
    corral_[0].weight = 1;
    size_ = corral_[0].x.norm();
    report_.distance = infinity;
  }

  VectorX point() const {
    VectorX x = VectorX::Zero(J_.cols());
    for (const Vertex& vertex : corral_) x += vertex.weight * vertex.x;
    return x;
  }

  // Keeps the best distance with its self-stress, and the best margin with its direction.
  void note(const VectorX& x, const Vertex& next) {
    const double distance = x.norm();
    if (distance < report_.distance) {
      report_.distance = distance;
      report_.self_stress = VectorX::Zero(J_.rows());
      for (const Vertex& vertex : corral_) {
        const int row = contacts_[vertex.contact].first_row;
        report_.self_stress[row] += vertex.weight;
        for (int k = 0; k < friction_rows(contacts_[vertex.contact]); ++k) {
          report_.self_stress[row + 1 + k] += vertex.weight * vertex.b[k];
        }
      }
    }
    const double margin = distance > 0 ? next.x.dot(x) / distance : 0.0;
    if (margin > report_.margin) {
      report_.margin = margin;
      report_.separating = x / distance;
    }
  }

  // Weights, of either sign, of the point of the corral's affine hull nearest to the origin.
  VectorX affine_weights() const {
    const auto m = static_cast<Eigen::Index>(corral_.size());
    if (m == 1) return VectorX::Ones(1);
    MatrixX edges(J_.cols(), m - 1);
    for (Eigen::Index k = 1; k < m; ++k) edges.col(k - 1) = corral_[k].x - corral_[0].x;
    const VectorX share = edges.completeOrthogonalDecomposition().solve(-corral_[0].x);
    VectorX weights(m);
    weights << 1 - share.sum(), share;
    return weights;
  }

  // A new vertex; then vertices go until the nearest point of the affine hull is inside the corral (minor cycles).
  // False when the vertex is there already.
  bool add(const Vertex& next) {
    for (const Vertex& vertex : corral_) {
      if ((vertex.x - next.x).norm() <= 1e-15 * size_) return false;
    }
    corral_.push_back(next);
    while (corral_.size() > 1) {
      const VectorX weights = affine_weights();
      if (weights.minCoeff() > 1e-15) {
        for (size_t k = 0; k < corral_.size(); ++k) corral_[k].weight = weights[static_cast<Eigen::Index>(k)];
        return true;
      }
      move_to_face(weights);
    }
    corral_[0].weight = 1;
    return true;
  }

  // As far towards the weights as none turns negative; those that reach zero go.
  void move_to_face(const VectorX& weights) {
    double share = 1;
    size_t leaving = 0;
    for (size_t k = 0; k < corral_.size(); ++k) {
      const double to = weights[static_cast<Eigen::Index>(k)], from = corral_[k].weight;
      if (to > 1e-15) continue;
      const double limit = from > to ? from / (from - to) : 0.0;
      if (limit <= share) share = limit, leaving = k;
    }
    double sum = 0;
    for (size_t k = 0; k < corral_.size(); ++k) {
      double& weight = corral_[k].weight;
      weight = k == leaving ? 0 : std::max(0.0, weight + share * (weights[static_cast<Eigen::Index>(k)] - weight));
      sum += weight;
    }
    corral_.erase(corral_.begin() + static_cast<std::ptrdiff_t>(leaving));
    for (Vertex& vertex : corral_) vertex.weight /= sum;
  }

  PointednessReport verdict(double tolerance) {
    // A margin that rounding could make up proves nothing.
    if (report_.margin > 1e-13 * size_ && report_.distance > tolerance * size_) {
      report_.verdict = Pointedness::pointed;
    } else if (report_.distance <= tolerance * size_) {
      report_.verdict = Pointedness::not_pointed;
    }
    if (report_.verdict != Pointedness::pointed) report_.separating.resize(0);
    if (report_.verdict != Pointedness::not_pointed) report_.self_stress.resize(0);
    return report_;
  }

  const MatrixX& J_;
  const std::vector<ConeContact>& contacts_;
  std::vector<Vertex> corral_;
  double size_ = 0;
  PointednessReport report_;
};

}  // namespace

PointednessReport check_pointedness(const MatrixX& J, const std::vector<ConeContact>& contacts, double tolerance,
                                    int max_steps) {
  if (contacts.empty()) return {.verdict = Pointedness::pointed, .separating = VectorX::Zero(J.cols())};
  return NearestPoint(J, contacts).run(tolerance, max_steps);
}

}  // namespace stiction::solvers
