#include <Eigen/Eigenvalues>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "stiction/model/joint_traits.h"

namespace stiction::cli {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vector3& v) {
  return Json::array({v.x(), v.y(), v.z()});
}

std::string_view kind_name(BodyKind kind) {
  return kind == BodyKind::simulated ? "simulated" : kind == BodyKind::fixed ? "fixed" : "prescribed";
}

std::string body_name(const Model& model, int body) {
  return body < 0 ? "world" : model.bodies[body].name;
}

Vector3 principal_moments(const Body& body) {
  return Eigen::SelfAdjointEigenSolver<Matrix3>(body.inertia_B, Eigen::EigenvaluesOnly).eigenvalues();
}

Json body_json(const Model& model, const Body& body, int index) {
  Json shapes = Json::array();
  for (const BodyShape& shape : model.shapes) {
    if (shape.body == index) {
      shapes.push_back(
          {{"type", geometry::shape_name(shape.shape)}, {"material", model.materials[shape.material].name}});
    }
  }
  const Matrix3& I = body.inertia_B;
  return {{"name", body.name},
          {"kind", kind_name(body.kind)},
          {"mass", body.mass},
          {"center_of_mass", to_json(body.com_B)},
          {"inertia", Json::array({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)})},
          {"position", to_json(body.X_WB0.p)},
          {"shapes", shapes}};
}

Json joint_json(const Model& model, const Joint& joint, bool loop) {
  Json json = {{"name", joint.name},
               {"type", joint_type_name(joint.type)},
               {"parent", body_name(model, joint.parent)},
               {"child", body_name(model, joint.child)},
               {"freedoms", joint.v_size},
               {"closes_loop", loop},
               {"implicit", joint.implicit}};
  if (joint_traits(joint.type).has_pitch) json["pitch"] = joint.pitch;
  return json;
}

int print_json(const LoadedScene& loaded) {
  const Model& model = loaded.built.model;
  Json json = {{"scene", loaded.scene.file},         {"method", loaded.scene.settings.method},
               {"step", loaded.scene.settings.step}, {"duration", loaded.scene.settings.duration},
               {"gravity", to_json(model.gravity)},  {"degrees_of_freedom", model.v_size},
               {"trees", model.trees.size()}};
  json["bodies"] = Json::array();
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    json["bodies"].push_back(body_json(model, model.bodies[b], static_cast<int>(b)));
  }
  json["joints"] = Json::array();
  for (const Joint& joint : model.tree_joints) json["joints"].push_back(joint_json(model, joint, false));
  for (const Joint& joint : model.loop_joints) json["joints"].push_back(joint_json(model, joint, true));
  json["warnings"] = loaded.built.warnings;
  for (const std::string& warning : loaded.scene.warnings) json["warnings"].push_back(warning);
  for (const std::string& warning : overlap_warnings(loaded)) json["warnings"].push_back(warning);
  for (const std::string& warning : qualification_warnings(loaded)) json["warnings"].push_back(warning);
  print("{}\n", json.dump());
  return exit_done;
}

void print_bodies(const Model& model) {
  print("\n{:<20} {:<10} {:>11}  {:<34}  {}\n", "body", "kind", "mass [kg]", "principal moments [kg m^2]", "shapes");
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    std::string shapes;
    for (const BodyShape& shape : model.shapes) {
      if (shape.body == static_cast<int>(b)) {
        shapes += fmt::format("{}{} ({})", shapes.empty() ? "" : ", ", geometry::shape_name(shape.shape),
                              model.materials[shape.material].name);
      }
    }
    const bool simulated = body.kind == BodyKind::simulated;
    const Vector3 I = simulated ? principal_moments(body) : Vector3::Zero();
    print("{:<20} {:<10} {:>11}  {:<34}  {}\n", body.name, kind_name(body.kind),
          simulated ? fmt::format("{:.6g}", body.mass) : "-",
          simulated ? fmt::format("{:.4g}, {:.4g}, {:.4g}", I[0], I[1], I[2]) : "-", shapes.empty() ? "none" : shapes);
  }
}

void print_joint(const Model& model, const Joint& joint, bool loop) {
  if (joint.implicit) return;
  const std::string pitch =
      joint_traits(joint.type).has_pitch ? fmt::format("  ({:.6g} m per turn)", joint.pitch) : std::string();
  print("{:<20} {:<12} {:>8}  {} -> {}{}{}\n", joint.name, joint_type_name(joint.type), joint.v_size,
        body_name(model, joint.parent), body_name(model, joint.child), pitch, loop ? "  (closes a loop)" : "");
}

}  // namespace

int command_inspect(const InspectArguments& arguments) {
  const auto loaded = load(arguments.scene);
  if (!loaded) return report(loaded.error());
  if (arguments.json) return print_json(*loaded);
  const Model& model = loaded->built.model;
  const SimulationSettings& settings = loaded->scene.settings;
  print("{}: bodies {}, degrees of freedom {}, trees {}, closing joints {}\n", loaded->scene.file, model.bodies.size(),
        model.v_size, model.trees.size(), model.loop_joints.size());
  print("method {}, step {:g} s, duration {:g} s, gravity [{:g}, {:g}, {:g}] m/s^2\n", settings.method, settings.step,
        settings.duration, model.gravity.x(), model.gravity.y(), model.gravity.z());
  print_bodies(model);
  bool named = !model.loop_joints.empty();
  for (const Joint& joint : model.tree_joints) named |= !joint.implicit;
  if (named) print("\n{:<20} {:<12} {:>8}  {}\n", "joint", "type", "freedoms", "parent -> child");
  for (const Joint& joint : model.tree_joints) print_joint(model, joint, false);
  for (const Joint& joint : model.loop_joints) print_joint(model, joint, true);
  for (const std::string& warning : loaded->scene.warnings) warn(warning);
  for (const std::string& warning : loaded->built.warnings) warn(warning);
  for (const std::string& warning : overlap_warnings(*loaded)) warn(warning);
  for (const std::string& warning : qualification_warnings(*loaded)) warn(warning);
  return exit_done;
}

}  // namespace stiction::cli
