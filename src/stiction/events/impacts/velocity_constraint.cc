#include "stiction/events/impacts/velocity_constraint.h"

#include <algorithm>
#include <iterator>

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace stiction {
namespace {

constexpr double dependent_below = 1e-9;  // of unit rows: what is left of a row after those before it

// Rows of J, each of unit length in the metric of kinetic energy, as columns; the independent ones so far as a basis.
class RowBasis {
 public:
  explicit RowBasis(const ImpactProblem& problem) {
    const Eigen::LLT<MatrixX> factor(problem.mass);
    columns_ = factor.matrixL().solve(problem.J.transpose());
    for (int r = 0; r < columns_.cols(); ++r) {
      const double length = columns_.col(r).norm();
      if (length > 0) columns_.col(r) /= length;
    }
    basis_.resize(columns_.rows(), 0);
  }

  // What is left of a row outside the basis; orthogonalised twice.
  VectorX remainder(int row) const {
    VectorX left = columns_.col(row);
    for (int pass = 0; pass < 2; ++pass) left -= basis_ * (basis_.transpose() * left);
    return left;
  }

  // Takes the row in; false when it depends on those that are in.
  bool add(int row) {
    const VectorX left = remainder(row);
    if (left.norm() <= dependent_below) return false;
    basis_.conservativeResize(Eigen::NoChange, basis_.cols() + 1);
    basis_.rightCols(1) = left.normalized();
    return true;
  }

  // Takes in as many of the rows as are independent, always the one with the most left: column pivoting.
  std::vector<int> add_pivoted(std::vector<int> rows) {
    std::vector<int> taken;
    while (!rows.empty()) {
      const auto best = std::max_element(rows.begin(), rows.end(), [&](int a, int b) {
        return remainder(a).norm() < remainder(b).norm() * (1 - 1e-12);  // ties: the first row
      });
      if (!add(*best)) break;
      taken.push_back(*best);
      rows.erase(best);
    }
    return taken;
  }

  // Takes in all tangents of a contact, or none.
  bool add_contact(const ImpactContact& contact) {
    const MatrixX before = basis_;
    for (int t = 1; t <= contact.tangents; ++t) {
      if (add(contact.first_row + t)) continue;
      basis_ = before;
      return false;
    }
    return true;
  }

  int rank() const { return static_cast<int>(basis_.cols()); }

 private:
  MatrixX columns_, basis_;
};

std::vector<int> tangent_rows(const ImpactProblem& problem, const std::vector<int>& contacts) {
  std::vector<int> rows;
  for (const int c : contacts) {
    for (int t = 1; t <= problem.contacts[c].tangents; ++t) rows.push_back(problem.contacts[c].first_row + t);
  }
  return rows;
}

MatrixX rows_of(const MatrixX& J, const std::vector<int>& rows) {
  MatrixX result(static_cast<int>(rows.size()), J.cols());
  for (int i = 0; i < result.rows(); ++i) result.row(i) = J.row(rows[i]);
  return result;
}

// (3.25), (4.8), (4.9) for given free rows.
void fill_law(const ImpactProblem& problem, VelocityConstraint& choice) {
  const MatrixX J = rows_of(problem.J, choice.rows), free = rows_of(problem.J, choice.free_rows);
  const Eigen::CompleteOrthogonalDecomposition<MatrixX> transposed(free.transpose());
  choice.z = transposed.solve(J.transpose()).transpose();
  const MatrixX moved = problem.mass.llt().solve(free.transpose());
  const MatrixX inverse = (free * moved).ldlt().solve(MatrixX::Identity(free.rows(), free.rows()));
  choice.response = moved * inverse;
  const MatrixX gram = choice.z.transpose() * choice.z;
  choice.law = choice.z * gram.ldlt().solve(inverse);
}

// Depth first over the contacts: every maximal set whose tangents are independent of each other and of the normals.
class Search {
 public:
  Search(const ImpactProblem& problem, const std::vector<int>& contacts, int max_choices, ConstraintChoices& found)
      : problem_(problem), contacts_(contacts), max_choices_(max_choices), found_(found), normals_(problem) {
    std::vector<int> rows;
    for (const int c : contacts) rows.push_back(problem.contacts[c].first_row);
    normal_rows_ = normals_.add_pivoted(rows);
    std::sort(normal_rows_.begin(), normal_rows_.end());
    found.normal_rank = normals_.rank();
    RowBasis all = normals_;
    all.add_pivoted(tangent_rows(problem, contacts));
    found.rank = all.rank();
  }

  void run() { descend(0, normals_, {}); }

 private:
  void descend(size_t next, const RowBasis& basis, const std::vector<int>& examined) {
    if (found_.count > 100 * max_choices_) return;  // counting them all would take too long
    if (next == contacts_.size() || (basis.rank() == found_.rank && !frictionless_left(next))) {
      if (is_maximal(basis, examined)) keep(basis, examined);
      return;
    }
    RowBasis with = basis;
    if (with.add_contact(problem_.contacts[contacts_[next]])) {
      std::vector<int> more = examined;
      more.push_back(contacts_[next]);
      descend(next + 1, with, more);
      if (problem_.contacts[contacts_[next]].tangents == 0) return;  // nothing to constrain
    }
    descend(next + 1, basis, examined);
  }

  // Contacts without tangents count as examined whatever the rank.
  bool frictionless_left(size_t next) const {
    return std::any_of(contacts_.begin() + static_cast<std::ptrdiff_t>(next), contacts_.end(),
                       [&](int c) { return problem_.contacts[c].tangents == 0; });
  }

  bool is_maximal(const RowBasis& basis, const std::vector<int>& examined) const {
    return std::none_of(contacts_.begin(), contacts_.end(), [&](int c) {
      RowBasis with = basis;
      return !std::binary_search(examined.begin(), examined.end(), c) && with.add_contact(problem_.contacts[c]);
    });
  }

  void keep(RowBasis basis, const std::vector<int>& examined) {
    if (++found_.count > max_choices_) return;
    VelocityConstraint choice;
    choice.examined = examined;
    choice.normals = static_cast<int>(normal_rows_.size());
    choice.free_rows = normal_rows_;
    for (const int row : tangent_rows(problem_, examined)) choice.free_rows.push_back(row);
    std::vector<int> others;
    std::set_difference(contacts_.begin(), contacts_.end(), examined.begin(), examined.end(),
                        std::back_inserter(others));
    others = tangent_rows(problem_, others);
    for (const int row : basis.add_pivoted(others)) {
      choice.free_rows.push_back(row);
      std::erase(others, row);
    }
    choice.constrained_rows = others;
    for (const int c : contacts_) {
      const ImpactContact& contact = problem_.contacts[c];
      for (int t = 0; t <= contact.tangents; ++t) choice.rows.push_back(contact.first_row + t);
    }
    fill_law(problem_, choice);
    found_.choices.push_back(std::move(choice));
  }

  const ImpactProblem& problem_;
  const std::vector<int>& contacts_;
  int max_choices_;
  ConstraintChoices& found_;
  RowBasis normals_;
  std::vector<int> normal_rows_;
};

}  // namespace

ConstraintChoices find_constraints(const ImpactProblem& problem, const std::vector<int>& contacts, int max_choices) {
  ConstraintChoices found;
  if (!contacts.empty()) Search(problem, contacts, max_choices, found).run();
  return found;
}

}  // namespace stiction
