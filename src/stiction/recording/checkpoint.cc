#include "stiction/recording/checkpoint.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stiction/base/version.h"
#include "stiction/contact/memory_archive.h"
#include "stiction/io/output_file.h"
#include "stiction/model/joint_traits.h"

namespace stiction::recording {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* format_name = "stiction checkpoint";
constexpr int format_version = 4;  // 2: with what contacts remember; 3: with where they were; 4: with their trends

// FNV-1a over the bytes of what is added: the same on every machine of the same byte order and number format.
class Hash {
 public:
  Hash& add(const void* data, size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3ULL;
    return *this;
  }
  Hash& add(std::string_view text) { return add(static_cast<int>(text.size())).add(text.data(), text.size()); }
  Hash& add(double number) { return add(&number, sizeof number); }
  Hash& add(int number) { return add(&number, sizeof number); }
  Hash& add(const Vector3& v) { return add(v.data(), sizeof(double) * 3); }
  Hash& add(const Matrix3& m) { return add(m.data(), sizeof(double) * 9); }
  Hash& add(const Pose& pose) { return add(pose.R).add(pose.p); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

std::uint64_t hash_bodies(const Model& model) {
  Hash hash;
  for (const Body& body : model.bodies) {
    hash.add(body.name).add(static_cast<int>(body.kind)).add(body.mass).add(body.com_B).add(body.inertia_B);
    if (body.kind == BodyKind::simulated) continue;  // where it started does not matter to where it goes
    hash.add(body.X_WB0).add(body.motion.velocity).add(body.motion.angular_velocity);
    for (const auto* terms : {&body.motion.translation, &body.motion.rotation}) {
      for (const MotionTerm& term : *terms) hash.add(term.amplitude).add(term.frequency).add(term.phase);
    }
  }
  return hash.value();
}

void add_joint(const Joint& joint, Hash& hash) {
  hash.add(joint.name).add(static_cast<int>(joint.type)).add(joint.parent).add(joint.child);
  hash.add(joint.X_PJ).add(joint.X_CJ);
  for (const double constant : joint_constants(joint)) hash.add(constant);
  hash.add(joint.q_offset).add(joint.v_offset);
  for (const JointCoordinate& c : joint.coordinates) {
    hash.add(c.limits[0]).add(c.limits[1]).add(c.friction).add(c.damping).add(c.stiffness).add(c.rest).add(c.armature);
  }
}

std::uint64_t hash_joints(const Model& model) {
  Hash hash;
  hash.add(model.q_size).add(model.v_size);
  for (const Joint& joint : model.tree_joints) add_joint(joint, hash);
  for (const Joint& joint : model.loop_joints) add_joint(joint, hash);
  return hash.value();
}

std::uint64_t hash_shapes(const Model& model) {
  Hash hash;
  for (const BodyShape& s : model.shapes) {
    const geometry::MassProperties solid = geometry::mass_properties(s.shape);
    hash.add(s.body).add(s.material).add(s.X_BS).add(s.friction_direction_S).add(s.surface_velocity_S);
    hash.add(geometry::shape_name(s.shape)).add(geometry::shape_size(s.shape)).add(solid.volume).add(solid.inertia);
  }
  return hash.value();
}

void add_layer(const CompliantLayer& layer, Hash& hash) {
  hash.add(static_cast<int>(layer.law)).add(layer.stiffness).add(layer.damping).add(layer.thickness);
  hash.add(layer.exponent).add(layer.damping_exponent).add(layer.rate_exponent);
}

std::uint64_t hash_materials(const Model& model) {
  Hash hash;
  for (const Material& m : model.pair_table) {
    for (const double value : {m.friction[0], m.friction[1], m.torsional_friction, m.rolling_friction, m.restitution,
                               m.static_friction, m.stribeck_velocity}) {
      hash.add(value);
    }
    add_layer(m.layer, hash);
  }
  for (const Material& m : model.materials) add_layer(m.layer, hash);
  return hash.value();
}

std::uint64_t hash_forces(const Model& model) {
  Hash hash;
  hash.add(model.gravity);
  for (const Actuator& a : model.actuators) {
    hash.add(a.joint).add(static_cast<int>(a.on_loop_joint)).add(a.coordinate).add(a.force).add(a.stiffness);
    hash.add(a.damping).add(a.target).add(a.target_velocity).add(a.max_force);
  }
  return hash.value();
}

std::uint64_t hash_settings(const SimulationSettings& settings) {
  return Hash().add(settings.method).add(settings.step).add(static_cast<int>(settings.options.coordinates)).value();
}

std::string exact_text(double value) {
  return fmt::format("{:a}", value);
}

Json exact_numbers(const VectorX& values) {
  Json numbers = Json::array();
  for (const double value : values) numbers.push_back(exact_text(value));
  return numbers;
}

// Reads what exact_text wrote; NaN for anything else, so that one check of finiteness finds every damage.
double read_exact(const Json& json) {
  if (!json.is_string()) return std::nan("");
  const std::string text = json.get<std::string>();
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? std::nan("") : value;
}

bool read_exact(const Json& json, int size, VectorX& values) {
  if (!json.is_array() || static_cast<int>(json.size()) != size) return false;
  values.resize(size);
  for (int i = 0; i < size; ++i) values[i] = read_exact(json[i]);
  return values.allFinite();
}

// Writes a memory's lists one after the other, each as [name, size, values...]; numbers exactly.
class MemoryWriter {
 public:
  Json lists = Json::array();

  template <class List, class Visit>
  void list(const char* name, List& items, Visit&& visit) {
    values_ = Json::array({name, items.size()});
    for (auto& item : items) visit(*this, item);
    lists.push_back(std::move(values_));
  }
  void number(double value) { values_.push_back(exact_text(value)); }
  void word(std::uint64_t value) { values_.push_back(fmt::format("{:x}", value)); }
  void integer(long value) { values_.push_back(value); }
  void flag(bool value) { values_.push_back(value ? 1 : 0); }
  void bits(std::uint8_t value) { values_.push_back(int{value}); }

 private:
  Json values_;
};

// Reads what a MemoryWriter wrote; `damaged` names the first list that is not as it should be.
class MemoryReader {
 public:
  explicit MemoryReader(const Json& lists) : lists_(lists) {
    if (!lists.is_array()) damaged = "memory";
  }

  std::string damaged;

  template <class List, class Visit>
  void list(const char* name, List& items, Visit&& visit) {
    if (!damaged.empty()) return;
    values_ = next_ < lists_.size() ? lists_[next_++] : Json();
    at_ = 2;
    const bool named =
        values_.is_array() && values_.size() >= 2 && values_[0] == name && values_[1].is_number_unsigned();
    if (named && values_[1].get<size_t>() <= values_.size()) {
      items.resize(values_[1].get<size_t>());
      for (auto& item : items) visit(*this, item);
    }
    if (!named || at_ != values_.size()) damaged = fmt::format("memory.{}", name);
  }
  void number(double& value) {
    value = read_exact(take());
    if (!std::isfinite(value)) at_ = 0;
  }
  void word(std::uint64_t& value) {
    const Json json = take();
    if (json.is_string()) value = std::strtoull(json.get<std::string>().c_str(), nullptr, 16);
  }
  template <class Integer>
  void integer(Integer& value) {
    const Json json = take();
    if (json.is_number_integer()) value = json.get<Integer>();
  }
  void flag(bool& value) {
    int read = 0;
    integer(read);
    value = read != 0;
  }
  void bits(std::uint8_t& value) {
    int read = 0;
    integer(read);
    value = static_cast<std::uint8_t>(read);
  }

 private:
  Json take() {
    if (at_ == 0 || at_ >= values_.size()) {
      at_ = 0;  // stays behind the size: the list is damaged
      return {};
    }
    return values_[at_++];
  }

  const Json& lists_;
  size_t next_ = 0, at_ = 0;
  Json values_;
};

Error damaged(const std::string& path, const std::string& name) {
  return {.what = "checkpoint is damaged or not a checkpoint",
          .remedy = "Give a file that 'stiction run SCENE --checkpoint FILE' wrote.",
          .name = name,
          .file = path};
}

Result<Json> read_json(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return failure({.what = "cannot read the checkpoint", .remedy = "Check the name of the file.", .file = path});
  }
  std::stringstream text;
  text << stream.rdbuf();
  Json json = Json::parse(text.str(), nullptr, false);
  if (!json.is_object() || json.value("format", Json()) != format_name) return failure(damaged(path, "format"));
  if (json.value("format_version", Json()) != format_version) {
    return failure({.what = fmt::format("checkpoint has another format than version {}", format_version),
                    .remedy = "Resume it with the version of stiction that wrote it.",
                    .file = path});
  }
  return json;
}

Result<void> check_fingerprint(const Json& json, const Simulation& simulation, const std::string& path) {
  const Json stored = json.value("fingerprint", Json::object());
  for (const auto& [part, hash] : fingerprint(simulation.model(), simulation.settings())) {
    if (!stored.is_object() || !stored.contains(part)) return failure(damaged(path, "fingerprint." + part));
    if (stored[part] == fmt::format("{:016x}", hash)) continue;
    return failure({.what = fmt::format("checkpoint is of another model: its {} differ from this scene's", part),
                    .remedy = "Resume with the scene, step and method that the checkpoint was made with.",
                    .name = part,
                    .file = path});
  }
  return {};
}

}  // namespace

Fingerprint fingerprint(const Model& model, const SimulationSettings& settings) {
  return {{"bodies", hash_bodies(model)},       {"joints", hash_joints(model)}, {"shapes", hash_shapes(model)},
          {"materials", hash_materials(model)}, {"forces", hash_forces(model)}, {"settings", hash_settings(settings)}};
}

Result<void> save_checkpoint(const Simulation& simulation, const std::string& path) {
  const SimulationSettings& settings = simulation.settings();
  const State& state = simulation.state();
  MemoryWriter memory;
  contact::ContactMemory remembered = simulation.save().memory;
  contact::visit_memory(remembered, memory);
  Json parts = Json::object();
  for (const auto& [part, hash] : fingerprint(simulation.model(), settings)) parts[part] = fmt::format("{:016x}", hash);
  const Json json = {{"format", format_name},
                     {"format_version", format_version},
                     {"stiction_version", version()},
                     {"method", settings.method},
                     {"step", settings.step},
                     {"fingerprint", parts},
                     {"step_index", simulation.step_index()},
                     {"time", exact_text(state.time)},
                     {"q", exact_numbers(state.q)},
                     {"v", exact_numbers(state.v)},
                     {"memory", memory.lists}};
  return write_text_file(path, json.dump(1) + "\n");
}

Result<void> load_checkpoint(const std::string& path, Simulation& simulation) {
  const auto json = read_json(path);
  if (!json) return failure(json.error());
  if (auto checked = check_fingerprint(*json, simulation, path); !checked) return checked;
  SimulationState saved;
  State& state = saved.state;
  state.time = read_exact(json->value("time", Json()));
  if (!std::isfinite(state.time)) return failure(damaged(path, "time"));
  if (!read_exact(json->value("q", Json()), simulation.model().q_size, state.q)) return failure(damaged(path, "q"));
  if (!read_exact(json->value("v", Json()), simulation.model().v_size, state.v)) return failure(damaged(path, "v"));
  const Json index = json->value("step_index", Json());
  if (!index.is_number_integer() || index.get<long>() < 0) return failure(damaged(path, "step_index"));
  saved.step_index = index.get<long>();
  const Json lists = json->value("memory", Json());
  MemoryReader memory(lists);
  contact::visit_memory(saved.memory, memory);
  if (!memory.damaged.empty()) return failure(damaged(path, memory.damaged));
  simulation.restore(saved);
  return {};
}

}  // namespace stiction::recording
