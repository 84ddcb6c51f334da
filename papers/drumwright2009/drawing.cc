#include "papers/drumwright2009/drawing.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <variant>

#include <fmt/format.h>

#include "stiction/io/output_file.h"

namespace stiction::papers::drumwright2009 {

namespace {

constexpr double panel_width = 310, panel_height = 490, scale = 360;  // px, px, px per metre

// Parallel projection along a fixed direction: right, up and towards the viewer are orthonormal.
struct View {
  Vector3 towards = Vector3(0.55, -1.0, 0.45).normalized();
  Vector3 right = Vector3::UnitZ().cross(towards).normalized();
  Vector3 up = towards.cross(right);
  Vector2 origin = {70, 470};

  Vector2 operator()(const Vector3& p) const { return origin + scale * Vector2(right.dot(p), -up.dot(p)); }
  double depth(const Vector3& p) const { return towards.dot(p); }
};

// One face or outline, drawn far ones first.
struct Patch {
  double depth;
  std::string svg;
};

std::string polygon(const View& view, std::span<const Vector3> corners, std::string_view fill) {
  std::string points;
  for (const Vector3& corner : corners) {
    const Vector2 p = view(corner);
    points += fmt::format("{:.1f},{:.1f} ", p.x(), p.y());
  }
  return fmt::format(
      "<polygon points=\"{}\" fill=\"{}\" stroke=\"#333\" stroke-width=\"0.7\" stroke-linejoin=\"round\"/>\n", points,
      fill);
}

// The faces of a box that the viewer sees.
void add_box(const View& view, const Pose& X, const Vector3& half, std::array<std::string_view, 3> fills,
             std::vector<Patch>& patches) {
  for (int axis = 0; axis < 3; ++axis) {
    const double side = view.towards.dot(X.R.col(axis)) > 0 ? 1 : -1;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    std::array<Vector3, 4> corners;
    constexpr int signs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int k = 0; k < 4; ++k) {
      Vector3 local = Vector3::Zero();
      local[axis] = side * half[axis];
      local[u] = signs[k][0] * half[u];
      local[v] = signs[k][1] * half[v];
      corners[k] = X * local;
    }
    const Vector3 centre = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
    patches.push_back({view.depth(centre), polygon(view, corners, fills[axis])});
  }
}

// A round bar along the shape's z axis, as a thick line with an outline.
void add_bar(const View& view, const Pose& X, double half_length, double radius, bool round,
             std::vector<Patch>& patches) {
  const Vector2 a = view(X * Vector3(0, 0, -half_length)), b = view(X * Vector3(0, 0, half_length));
  const auto stroke = [&](double width, std::string_view colour) {
    return fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:.1f}\" "
        "stroke-linecap=\"{}\"/>\n",
        a.x(), a.y(), b.x(), b.y(), colour, width, round ? "round" : "butt");
  };
  patches.push_back(
      {view.depth(X.p), stroke(2 * radius * scale + 1.4, "#333") + stroke(2 * radius * scale, "#b9c4d0")});
}

void add_ball(const View& view, const Pose& X, double radius, std::vector<Patch>& patches) {
  const Vector2 c = view(X.p);
  patches.push_back({view.depth(X.p) + 1e-3,
                     fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"#d7e34a\" stroke=\"#333\" "
                                 "stroke-width=\"0.9\"/>\n",
                                 c.x(), c.y(), radius * scale)});
}

void add_shape(const View& view, const BodyShape& shape, const Pose& X_WB, std::vector<Patch>& patches) {
  const Pose X = X_WB * shape.X_BS;
  if (const auto* box = std::get_if<geometry::Box>(&shape.shape)) {
    const bool pad = shape.collide;
    add_box(view, X, box->half_size,
            pad ? std::array<std::string_view, 3>{"#e79a6b", "#d98652", "#f2b48e"}
                : std::array<std::string_view, 3>{"#8fa1b5", "#a9b8c7", "#c3ced9"},
            patches);
  } else if (const auto* capsule = std::get_if<geometry::Capsule>(&shape.shape)) {
    add_bar(view, X, capsule->half_length, capsule->radius, true, patches);
  } else if (const auto* cylinder = std::get_if<geometry::Cylinder>(&shape.shape)) {
    add_bar(view, X, cylinder->half_length, cylinder->radius, false, patches);
  } else if (const auto* sphere = std::get_if<geometry::Sphere>(&shape.shape)) {
    add_ball(view, X, sphere->radius, patches);
  }
}

std::string draw(const Model& model, const Snapshot& snapshot) {
  const View view;
  std::vector<Patch> patches;
  for (const BodyShape& shape : model.shapes) add_shape(view, shape, snapshot.X_WB[shape.body], patches);
  std::stable_sort(patches.begin(), patches.end(), [](const Patch& a, const Patch& b) { return a.depth < b.depth; });
  std::string svg;
  for (const Patch& patch : patches) svg += patch.svg;
  return svg + fmt::format("<text x=\"{}\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">t = {:.2f} s</text>\n",
                           panel_width / 2, snapshot.time);
}

}  // namespace

Result<void> draw_snapshots(const Model& model, std::span<const Snapshot> snapshots,
                            const std::filesystem::path& path) {
  const double width = panel_width * static_cast<double>(snapshots.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, panel_height);
  for (size_t i = 0; i < snapshots.size(); ++i) {
    svg += fmt::format("<g transform=\"translate({},0)\">\n{}</g>\n", panel_width * static_cast<double>(i),
                       draw(model, snapshots[i]));
  }
  return write_text_file(path.string(), svg + "</svg>\n");
}

}  // namespace stiction::papers::drumwright2009
