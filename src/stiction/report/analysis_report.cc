#include "stiction/report/analysis_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stiction/io/output_file.h"
#include "stiction/report/html_page.h"
#include "stiction/report/markup.h"

namespace stiction::report {

namespace {

// Drawings of one island at most: answers first, then patterns.
constexpr int most_drawings = 12;

// A view from above and aside: x to the lower right, y to the upper right, z up.
Vector2 project(const Vector3& p) {
  return {0.866 * (p.x() + p.y()), -p.z() + 0.4 * (p.x() - p.y())};
}

// Contacts of an island as numbered points with one vector each.
class Drawing {
 public:
  Drawing(const Analysis& analysis, const IslandAnalysis& island) : analysis_(analysis), island_(island) {
    low_ = Vector2::Constant(1e300);
    Vector2 high = Vector2::Constant(-1e300);
    for (const int c : island.contacts) {
      const Vector2 p = project(analysis.contacts[c].point);
      low_ = low_.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    const double extent = std::max({high.x() - low_.x(), high.y() - low_.y(), 1e-9});
    scale_ = island.contacts.size() > 1 ? 160 / extent : 0;
    size_ = scale_ * (high - low_) + Vector2(180, 180);
  }

  std::string draw(const std::string& title, const std::vector<Vector3>& vectors) const {
    double largest = 1e-300;
    for (const Vector3& v : vectors) largest = std::max(largest, v.norm());
    std::string svg = fmt::format(
        "<figure><figcaption>{0}</figcaption><svg width=\"{1:.0f}\" height=\"{2:.0f}\" viewBox=\"0 0 {1:.0f} {2:.0f}\" "
        "role=\"img\" aria-label=\"{0}\">\n",
        escape_markup(title), size_.x(), size_.y());
    for (size_t i = 0; i < island_.contacts.size(); ++i) {
      const Vector2 from = scale_ * (project(analysis_.contacts[island_.contacts[i]].point) - low_) + Vector2(90, 90);
      const Vector2 to = from + 70 / largest * project(vectors[i]);
      if (vectors[i].norm() > 1e-9 * largest) svg += arrow(from, to);
      svg += fmt::format(
          "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"3.5\"/><text x=\"{2:.1f}\" y=\"{3:.1f}\" "
          "font-size=\"12\">{4}</text>\n",
          from.x(), from.y(), from.x() + 6, from.y() + 14, island_.contacts[i] + 1);
    }
    return svg + "</svg></figure>\n";
  }

 private:
  static std::string arrow(const Vector2& from, const Vector2& to) {
    const Vector2 along = (to - from).norm() > 0 ? (to - from).normalized() : Vector2::UnitX();
    const Vector2 aside(-along.y(), along.x()), back = to - 8 * along;
    const Vector2 a = back + 3.5 * aside, b = back - 3.5 * aside;
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}\" fill=\"none\" "
        "stroke=\"#0072b2\" stroke-width=\"2\"/>\n",
        from.x(), from.y(), to.x(), to.y(), a.x(), a.y(), to.x(), to.y(), b.x(), b.y());
  }

  const Analysis& analysis_;
  const IslandAnalysis& island_;
  Vector2 low_, size_;
  double scale_ = 1;
};

std::string row(const std::vector<std::string>& cells, const char* tag = "td") {
  std::string text = "<tr>";
  for (const std::string& cell : cells) text += fmt::format("<{0}>{1}</{0}>", tag, escape_markup(cell));
  return text + "</tr>\n";
}

std::string triple(const Vector3& v) {
  return fmt::format("{:.5g}, {:.5g}, {:.5g}", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
}

std::string contacts_table(const Analysis& analysis) {
  std::string text = "<h2>Contacts</h2><div class=\"wide\"><table>\n" +
                     row({"contact", "between", "point [m]", "normal", "gap [m]", "slip [m/s]", "now"}, "th");
  for (size_t c = 0; c < analysis.contacts.size(); ++c) {
    const AnalyzedContact& contact = analysis.contacts[c];
    const std::string between =
        contact.joint.empty() ? contact.body_A + " - " + contact.body_B : "limit of " + contact.joint;
    text += row({fmt::format("{}", c + 1), between, triple(contact.point), triple(contact.normal),
                 fmt::format("{:.3g}", contact.gap), fmt::format("{:.4g}", contact.slip.norm()),
                 std::string(touch_kind_name(contact.kind))});
  }
  return text + "</table></div>\n";
}

std::string solution_table(const IslandAnalysis& island, const AnalyzedSolution& solution, size_t number) {
  std::string text = fmt::format("<h3>Answer {}{}</h3><div class=\"wide\"><table>\n", number,
                                 solution.force_freedom > 0
                                     ? fmt::format(", one of a set of forces of dimension {}", solution.force_freedom)
                                     : "");
  text += row(
      {"contact", "state", "normal force [N]", "force [N]", "normal acceleration [m/s^2]", "slip acceleration [m/s^2]"},
      "th");
  for (size_t i = 0; i < island.contacts.size(); ++i) {
    text += row({fmt::format("{}", island.contacts[i] + 1), std::string(slip_state_name(solution.states[i])),
                 fmt::format("{:.5g}", solution.normal_force[i]), triple(solution.force[i]),
                 fmt::format("{:.5g}", solution.normal_acceleration[i]), triple(solution.slip_acceleration[i])});
  }
  return text + "</table></div>\n";
}

std::vector<Vector3> world_pattern(const Analysis& analysis, const IslandAnalysis& island,
                                   const ForcePattern& pattern) {
  std::vector<Vector3> world;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const AnalyzedContact& c = analysis.contacts[island.contacts[i]];
    world.push_back(c.normal * pattern[i][0] + c.tangent * pattern[i][1] + c.normal.cross(c.tangent) * pattern[i][2]);
  }
  return world;
}

std::string drawings(const Analysis& analysis, const IslandAnalysis& island) {
  const Drawing drawing(analysis, island);
  std::string text;
  int drawn = 0;
  for (size_t s = 0; s < island.solutions.size() && drawn < most_drawings; ++s, ++drawn) {
    text += drawing.draw(fmt::format("forces of answer {}", s + 1), island.solutions[s].force);
  }
  const auto draw_all = [&](const std::vector<ForcePattern>& patterns, const char* what) {
    for (size_t k = 0; k < patterns.size() && drawn < most_drawings; ++k, ++drawn) {
      text += drawing.draw(fmt::format("{} {}", what, k + 1), world_pattern(analysis, island, patterns[k]));
    }
  };
  draw_all(island.normal_patterns, "normal forces in balance");
  draw_all(island.patterns, "forces in balance");
  return text;
}

std::string pattern_list(const IslandAnalysis& island, const std::vector<ForcePattern>& patterns) {
  if (patterns.empty()) return {};
  std::string text = "<ol>";
  for (const ForcePattern& p : patterns) text += fmt::format("<li>{}</li>", escape_markup(describe_pattern(island, p)));
  return text + "</ol>\n";
}

std::string island_part(const Analysis& analysis, const IslandAnalysis& island, size_t number) {
  std::string text = fmt::format("<h2>Island {}</h2><p>Bodies", number);
  for (const std::string& body : island.bodies) text += fmt::format(" [{}]", escape_markup(body));
  text += fmt::format("; {}.</p><p><strong>{}</strong>: {}.</p>\n", existence_clause(island.cone),
                      answer_count_name(island.answers), answer_count_sentence(island.answers));
  text += fmt::format("<p>Rows {}, rank {}: forces undetermined by {}.</p>\n", island.rows, island.rank,
                      island.rows - island.rank);
  text += pattern_list(island, island.patterns);
  text += fmt::format("<p>Normal rows {}, rank {}: normal forces alone undetermined by {}.</p>\n", island.normal_rows,
                      island.normal_rank, island.normal_rows - island.normal_rank);
  text += pattern_list(island, island.normal_patterns);
  for (size_t s = 0; s < island.solutions.size(); ++s) text += solution_table(island, island.solutions[s], s + 1);
  return text + drawings(analysis, island);
}

}  // namespace

Result<void> write_analysis_report(const std::string& scene, const Analysis& analysis, const std::string& path) {
  std::string text = html_head(scene, "contact analysis");
  text += fmt::format("<p>At t = {:g} s. Answers: <strong>{}</strong>, {}.</p>\n", analysis.time,
                      answer_count_name(analysis.answers()), answer_count_sentence(analysis.answers()));
  text += contacts_table(analysis);
  for (size_t i = 0; i < analysis.islands.size(); ++i) text += island_part(analysis, analysis.islands[i], i + 1);
  for (const std::string& note : analysis.notes) text += fmt::format("<p class=\"note\">{}</p>\n", escape_markup(note));
  return write_text_file(path, text + html_tail());
}

}  // namespace stiction::report
