// MuJoCo: soft contacts in a convex problem, in generalised coordinates. The scene is handed over as an MJCF text.
#include <mujoco/mujoco.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "peer.h"

namespace stiction::bench {

namespace {

// What sets one way apart from another; the defaults are MuJoCo's.
struct MujocoWay {
  const char* integrator = "Euler";
  const char* cone = "pyramidal";
  const char* solver = "Newton";
  bool accurate = false;
};

std::string vector_text(const Vector3& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}

std::string turn_text(const Matrix3& R) {
  const Quaternion q(R);
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

// Writes the scene; bodies are nested as their joints are.
class MjcfWriter {
 public:
  MjcfWriter(const PeerScene& scene, const MujocoWay& way) : scene_(scene), way_(way) {}

  std::string write() {
    text_ = "<mujoco><compiler angle=\"radian\"/>\n";
    write_options();
    text_ += "<worldbody>\n";
    for (const BodyShape& shape : scene_.model.shapes) {
      if (!scene_.model.bodies[shape.body].moves) write_geom(shape, scene_.bodies[shape.body].X_WB * shape.X_BS);
    }
    write_children(world_index, Pose{});
    text_ += "</worldbody>\n<contact>\n";
    for (const auto& [a, b] : scene_.model.joined) {
      if (body(a).moves && body(b).moves) text_ += fmt::format("<exclude body1=\"b{}\" body2=\"b{}\"/>\n", a, b);
    }
    return text_ + "</contact></mujoco>\n";
  }

 private:
  const Body& body(int b) const { return scene_.model.bodies[b]; }

  // The stack and the rows of contacts are of fixed size.
  void write_options() {
    const size_t count = scene_.model.tree_joints.size();
    const size_t contacts = 20 + 12 * count;
    text_ += fmt::format("<size nconmax=\"{}\" njmax=\"{}\" nstack=\"{}\"/>\n", contacts, 4 * contacts,
                         1000000 + 200000 * count);
    text_ += fmt::format("<option timestep=\"{:.17g}\" integrator=\"{}\" cone=\"{}\" solver=\"{}\"", scene_.step,
                         way_.integrator, way_.cone, way_.solver);
    if (way_.accurate)
      text_ += " tolerance=\"1e-12\" noslip_tolerance=\"1e-12\" impratio=\"100\" noslip_iterations=\"20\"";
    // Who collides is said pair by pair.
    text_ += "><flag filterparent=\"disable\"/></option>\n<default><geom condim=\"3\"";
    if (way_.accurate) text_ += stiff("");
    text_ += fmt::format(" friction=\"{:.17g} 0 0\"/>", scene_.friction);
    if (way_.accurate) text_ += fmt::format("<joint{}/>", stiff("limit"));
    text_ += "</default>\n";
  }

  // Of contacts, or of limits.
  std::string stiff(const char* what) const {
    return fmt::format(" solref{0}=\"{1:.17g} 1\" solimp{0}=\"0.99 0.999 0.001\"", what, 2 * scene_.step);
  }

  void write_children(int parent, const Pose& X_WP) {
    for (const Joint& joint : scene_.model.tree_joints) {
      const bool on_world = joint.parent == world_index || !body(joint.parent).moves;
      if (parent == world_index ? !on_world : joint.parent != parent) continue;
      const Pose& X_WB = scene_.bodies[joint.child].X_WB;
      const Pose X_PB = X_WP.inverse() * X_WB;
      text_ += fmt::format("<body name=\"b{}\" pos=\"{}\" quat=\"{}\">", joint.child, vector_text(X_PB.p),
                           turn_text(X_PB.R));
      write_joint(joint);
      write_inertia(body(joint.child));
      for (const BodyShape& shape : scene_.model.shapes) {
        if (shape.body == joint.child) write_geom(shape, shape.X_BS);
      }
      write_children(joint.child, X_WB);
      text_ += "</body>\n";
    }
  }

  void write_joint(const Joint& joint) {
    if (joint.type == JointType::free) {
      text_ += "<freejoint/>";
      return;
    }
    const bool hinges = joint.type == JointType::revolute || joint.type == JointType::universal;
    if (!hinges && joint.type != JointType::prismatic) {
      throw std::invalid_argument("the MuJoCo peer knows free, revolute, universal and prismatic joints only");
    }
    for (int i = 0; i < joint.v_size; ++i) write_axis(joint, i, hinges ? "hinge" : "slide");
  }

  // The second axis of a universal joint is carried along by the first, as MuJoCo does with joints of one body. Its
  // axes are those of the pose in which the bodies are written.
  void write_axis(const Joint& joint, int i, const char* type) {
    const double* q = scene_.state.q.data() + joint.q_offset;
    const JointCoordinate& own = joint.coordinates[i];
    if (own.friction != 0) throw std::invalid_argument("the MuJoCo peer knows joints without dry friction only");
    Vector3 axis = i == 0 ? joint.axis : joint.axis2;
    if (i == 0 && joint.v_size == 2) axis = Eigen::AngleAxisd(-q[1], joint.axis2) * axis;
    text_ += fmt::format("<joint type=\"{}\" pos=\"{}\" axis=\"{}\" ref=\"{:.17g}\"", type, vector_text(joint.X_CJ.p),
                         vector_text(joint.X_CJ.R * axis), q[i]);
    text_ += fmt::format(" damping=\"{:.17g}\" armature=\"{:.17g}\" stiffness=\"{:.17g}\" springref=\"{:.17g}\"",
                         own.damping, own.armature, own.stiffness, own.rest);
    const auto& [low, high] = own.limits;
    if (std::isfinite(low) != std::isfinite(high)) {
      throw std::invalid_argument("the MuJoCo peer knows limits on both sides only");
    }
    if (std::isfinite(low)) text_ += fmt::format(" limited=\"true\" range=\"{:.17g} {:.17g}\"", low, high);
    text_ += "/>";
  }

  void write_inertia(const Body& own) {
    const Matrix3& I = own.inertia_B;
    text_ += fmt::format(
        "<inertial pos=\"{}\" mass=\"{:.17g}\" fullinertia=\"{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}\"/>",
        vector_text(own.com_B), own.mass, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
  }

  void write_geom(const BodyShape& shape, const Pose& X) {
    if (!shape.collide) return;
    Matrix3 R = X.R;
    std::string kind;
    if (const auto* sphere = std::get_if<geometry::Sphere>(&shape.shape)) {
      kind = fmt::format("type=\"sphere\" size=\"{:.17g}\"", sphere->radius);
    } else if (const auto* box = std::get_if<geometry::Box>(&shape.shape)) {
      kind = fmt::format("type=\"box\" size=\"{}\"", vector_text(box->half_size));
    } else if (const auto* plane = std::get_if<geometry::Plane>(&shape.shape)) {
      kind = "type=\"plane\" size=\"0 0 1\"";
      R = R * Quaternion::FromTwoVectors(Vector3::UnitZ(), plane->normal).toRotationMatrix();
    } else if (const auto* capsule = std::get_if<geometry::Capsule>(&shape.shape)) {
      kind = fmt::format("type=\"capsule\" size=\"{:.17g} {:.17g}\"", capsule->radius, capsule->half_length);
    } else {
      throw std::invalid_argument("the MuJoCo peer knows spheres, boxes, capsules and planes only");
    }
    text_ += fmt::format("<geom {} pos=\"{}\" quat=\"{}\"/>", kind, vector_text(X.p), turn_text(R));
  }

  const PeerScene& scene_;
  const MujocoWay& way_;
  std::string text_;
};

struct FreeModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct FreeData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using OwnModel = std::unique_ptr<mjModel, FreeModel>;
using OwnData = std::unique_ptr<mjData, FreeData>;

OwnModel load_mjcf(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(text.size()));
  std::memcpy(files->filedata[0], text.data(), text.size());
  std::string reason(500, '\0');
  OwnModel model(mj_loadXML("scene.xml", files.get(), reason.data(), static_cast<int>(reason.size())));
  mj_deleteVFS(files.get());
  if (!model) throw std::invalid_argument("MuJoCo does not take the scene: " + std::string(reason.c_str()));
  return model;
}

class MujocoEngine final : public PeerEngine {
 public:
  MujocoEngine(const PeerScene& scene, const MujocoWay& way) {
    mju_user_warning = [](const char*) {};  // otherwise it writes a log file where the user stands
    mj_ = load_mjcf(MjcfWriter(scene, way).write());
    data_.reset(mj_makeData(mj_.get()));
    ids_.resize(scene.model.bodies.size(), -1);
    for (const Joint& joint : scene.model.tree_joints) {
      ids_[joint.child] = mj_name2id(mj_.get(), mjOBJ_BODY, fmt::format("b{}", joint.child).c_str());
      set_velocity(scene, joint);
    }
    for (const Actuator& actuator : scene.model.actuators) {
      constant_push(scene, actuator);  // it is one
      data_->qfrc_applied[dof_of(scene.model.tree_joints[actuator.joint])] += actuator.force;
    }
  }

  void set_gravity(const Vector3& gravity) override {
    for (int k = 0; k < 3; ++k) mj_->opt.gravity[k] = gravity[k];
  }
  void advance() override { mj_step(mj_.get(), data_.get()); }

  // A step leaves the poses of its start.
  void refresh() override {
    mj_kinematics(mj_.get(), data_.get());
    mj_comPos(mj_.get(), data_.get());
    mj_comVel(mj_.get(), data_.get());
  }

  std::string complaints() const override {
    const auto count = [&](int kind) { return data_->warning[kind].number; };
    const int full = count(mjWARN_CONTACTFULL) + count(mjWARN_CNSTRFULL);
    const int unstable = count(mjWARN_BADQPOS) + count(mjWARN_BADQVEL) + count(mjWARN_BADQACC);
    if (full > 0) return "MuJoCo ran out of room for contacts " + counted(full, "time");
    return unstable == 0 ? "" : "MuJoCo went back to the start, unstable, " + counted(unstable, "time");
  }

  BodyMotion motion(int body) const override {
    const int id = ids_[body];
    const mjtNum *p = data_->xpos + 3 * id, *q = data_->xquat + 4 * id;
    std::array<mjtNum, 6> twist{};
    mj_objectVelocity(mj_.get(), data_.get(), mjOBJ_BODY, id, twist.data(), 0);
    BodyMotion motion;
    motion.X_WB = {Quaternion(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix(), {p[0], p[1], p[2]}};
    motion.velocity = {{twist[3], twist[4], twist[5]}, {twist[0], twist[1], twist[2]}};
    return motion;
  }

 private:
  int dof_of(const Joint& joint) const { return mj_->body_dofadr[ids_[joint.child]]; }

  // A free joint moves the origin of the body's frame, and turns in the body's axes.
  void set_velocity(const PeerScene& scene, const Joint& joint) {
    mjtNum* v = data_->qvel + dof_of(joint);
    if (joint.type != JointType::free) {
      for (int i = 0; i < joint.v_size; ++i) v[i] = scene.state.v[joint.v_offset + i];
      return;
    }
    const BodyMotion& start = scene.bodies[joint.child];
    const Vector3 spin = start.X_WB.R.transpose() * start.velocity.angular;
    const Vector3 velocity = start.velocity.at(start.X_WB.R * -scene.model.bodies[joint.child].com_B);
    for (int k = 0; k < 3; ++k) {
      v[k] = velocity[k];
      v[3 + k] = spin[k];
    }
  }

  OwnModel mj_;
  OwnData data_;
  std::vector<int> ids_;  // MuJoCo's bodies, one per body of the model
};

PeerSetting mujoco_setting(const char* name, const MujocoWay& way, std::function<bool(const BenchmarkScene&)> takes) {
  return {"mujoco", name, std::move(takes),
          [way](const PeerScene& scene) { return std::make_unique<MujocoEngine>(scene, way); }};
}

}  // namespace

std::vector<PeerSetting> mujoco_settings() {
  // Its buffers hold a dense Jacobian and the square of its rows in at most 2 GB: a pile of 1000 does not fit.
  const auto contacts = [](const BenchmarkScene& scene) { return has_contacts(scene) && scene.bodies <= 100; };
  const auto piles = [=](const BenchmarkScene& scene) { return contacts(scene) && scene.bodies == 100; };
  return {mujoco_setting("pyramid", {}, contacts),
          mujoco_setting("elliptic", {.cone = "elliptic"}, contacts),
          mujoco_setting("pyramid-cg", {.solver = "CG"}, piles),
          mujoco_setting("accurate", {.cone = "elliptic", .accurate = true}, contacts),
          mujoco_setting("euler", {}, has_links_only),
          mujoco_setting("implicit", {.integrator = "implicit"}, has_links_only),
          mujoco_setting("rk4", {.integrator = "RK4"}, has_links_only)};
}

}  // namespace stiction::bench
