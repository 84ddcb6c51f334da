// A body-space friction problem in the units that solvers like: unit masses, Lorentz cones, |q| about one.
//
// With M = L L^T and x = L^T (v - v_free) / |S q|, one number d per block, and per row T = 1 on normals and bilateral
// rows, the axis on a contact's friction rows, the axis over the largest axis on bounded rows:
//
//     x = H^T z,   u = H x + q,   H = D T J L^-T,   q = D T (J v_free + bias) / |S q|,   r = |S q| D T z
//     cone (contact):       |z_t| <= z_n, 0 <= u_n, r_n u_n = 0, z_t opposes u_t: the law of a contact with mu = 1
//     set (contact):        z_t in z_n F, F not an ellipsoid (body_set.h); T = 1 on all its rows
//     disc (bounded):       |z| <= bound + factor z_n(link), z opposes u
//     equality (bilateral): u = 0
//
// S is T with friction axes over the largest one, mu; d = (trace(S W S) / rows)^(-1/2) of a block, W_ii^(-1/2) of a
// bilateral row, so that blocks of H H^T are about one. A contact without friction is a cone of one row. The residual
// is that of certify/friction_residual.h, written again here (a solver never certifies itself, and nobody but certify/
// is believed): z' = (z_n, mu z_t), u' = (u_n, u_t / mu), and | (z' - P(z' - u' - mu |u'_t| n)) / d |. That of a set is
// the root of set_defect over d.
//
// L is lower triangular for bodies of up to six velocities and upper triangular for trees of joints, which have more:
// what is zero for their branches stays zero in H (branch_cholesky.h), and columns of zeros are left out, four at a
// time. In x a tree has as many velocities as fill whole quads: those behind its own are always zero.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stiction/problem/body_friction_problem.h"

namespace stiction::solvers {

/// A block has at most this many rows.
inline constexpr int most_rows = 6;

/// One block of rows as solvers see it.
struct SystemBlock {
  enum class Kind : std::uint8_t { cone, set, disc, equality, idle };  ///< idle: its impulse is zero whatever happens
  Kind kind = Kind::cone;
  int first = 0;                        ///< first row
  int dim = 0;                          ///< rows that take part: the leading ones
  std::array<int, 2> body = {-1, -1};   ///< as in BodyRows
  std::array<int, 2> place = {0, 0};    ///< first velocity of each body in x
  std::array<int, 2> size = {0, 0};     ///< velocities of each body in x; 0: none
  std::array<int, 2> width = {0, 0};    ///< columns of H that are kept: of trees, quads where it may not be zero
  std::array<int, 2> columns = {0, 0};  ///< where their places within the body start in BodySystem::columns
  std::array<int, 2> H = {0, 0};        ///< where the row-major dim x width blocks start in BodySystem::H
  int W = 0;                            ///< where the dim x dim block H H^T starts in BodySystem::W
  double mu = 0;                        ///< cone: largest axis; set: radius of a disc round it
  double weight = 1;                    ///< 1 / d (equality: BodySystem::weight, one per row)
  double floor = 0;                     ///< the block's own scale over |S q|: see judge_worst_block
  double bound = 0, factor = 0;         ///< disc: radius = bound + factor z_n(link)
  int link = -1;                        ///< disc: block of its contact
  BlockSet set = {};                    ///< set: F
  bool plain = false;                   ///< three rows, sides of six or none: kernels of fixed size apply
  bool on_trees = false;                ///< sides are trees or none: kernels for quads of columns apply
};

/// See the top of the file. Keeps its capacity from problem to problem.
struct BodySystem {
  std::vector<SystemBlock> blocks;
  std::vector<double> H, W;    ///< H keeps the size of the largest problem
  std::vector<int> columns;    ///< 0 to 5 for bodies that are no trees, then those of each side on a tree
  std::vector<int> sizes;      ///< of each body in x
  std::vector<int> places;     ///< its first velocity in x
  std::vector<double> q;       ///< one per row
  std::vector<double> scale;   ///< |S q| D T, one per row: r = scale z; 0 on rows that do not take part
  std::vector<double> weight;  ///< 1 / d, one per row
  std::vector<double> effect;  ///< W_ii r_i / |S q| = effect z_i, one per row
  int row_count = 0, velocity_count = 0;
  long version = 0;       ///< another one with each problem
  bool has_sets = false;  ///< is a block of the kind `set`?
  double q_norm = 0;
  double judged = 0;                 ///< |S q| over the largest scale; 0: all blocks together, over |S q|
  double smallest_judged = 1;        ///< what an error may be in units of |S q|, over what it may be in the residual
  std::vector<double> chol;          ///< Cholesky factors of the masses, laid out as they are
  std::vector<double> inverse;       ///< their inverses for free bodies, with zeros above the diagonal; for trees one
                                     ///< over each number of the diagonal, at the start of the place of the mass
  std::vector<int> parent;           ///< of each velocity of a tree, within it: branch_cholesky.h
  std::vector<int> scratch;          ///< one per velocity
  mutable std::vector<double> push;  ///< scratch of body_residual, one per body: what impulses do to it, squared
};

/// Bodies with more velocities than a free one are trees of joints: their masses are factored from the last velocity to
/// the first.
inline bool is_tree(const VelocityBlock& body) {
  return body.size > 6;
}

/// Fills `system`. False when a number is not finite or a mass is not positive definite.
bool make_body_system(const BodyFrictionProblem& problem, BodySystem& system);

/// From now on the residual is that of the worst block, each relative to its own of `scales` (m/s; rad/s for rolling,
/// which is also compared with its contact's; none: `largest` for all). Impulses on its bodies count as well, W_ii r_i
/// up to `largest`: a body that passes a blow on is judged by it. `largest` = 0: the norm over all blocks relative to
/// |S q|. See body_residual.cc.
void judge_worst_block(double largest, std::span<const double> scales, BodySystem& system);

/// The same from now on with the largest scale for all blocks.
void judge_all_alike(BodySystem& system);

/// The bias of each row (units of the problem) grows by `change`; returns by how much q did.
double add_bias(std::span<const double> change, BodySystem& system);

/// u of one block: its rows of H x + q.
void block_velocity(const BodySystem& system, const SystemBlock& block, const double* x, double* u);

/// x += H^T dz of one block; dz are the block's own.
void add_impulse(const BodySystem& system, const SystemBlock& block, const double* dz, double* x);

/// u = H x + q on all rows.
void all_velocities(const BodySystem& system, const double* x, double* u);

/// out = H x without q.
void all_rates(const BodySystem& system, const double* x, double* out);

/// x = H^T z.
void velocity_of(const BodySystem& system, const double* z, double* x);

/// Radius of a disc.
double disc_radius(const BodySystem& system, const SystemBlock& block, const double* z);

/// Normalised natural-map residual of z, for u = H H^T z + q; see judge_worst_block.
double body_residual(const BodySystem& system, const double* z, const double* u);

/// z := the nearest impulse with |z_t| <= z_n (or z_t in z_n F), z_n >= 0, and inside its disc.
void put_in_cones(const BodySystem& system, double* z);

/// v = v_free + M^-1 J^T r, with the factors of the masses that the system keeps.
void end_velocity(const BodyFrictionProblem& problem, const BodySystem& system, std::span<const double> r,
                  std::span<double> v);

/// r from z, and z from r.
void from_system(const BodySystem& system, const double* z, std::span<double> r);
void to_system(const BodySystem& system, std::span<const double> r, double* z);

}  // namespace stiction::solvers
