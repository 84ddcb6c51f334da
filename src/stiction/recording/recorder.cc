#include "stiction/recording/recorder.h"

namespace stiction::recording {

Result<Recorder> Recorder::create(const std::string& path, Simulation& simulation, const std::string& scene,
                                  const RecorderOptions& options) {
  RecordingLayout layout = make_layout(simulation, scene, options.every);
  auto writer = SampleWriter::create(path, layout, options);
  if (!writer) return failure(writer.error());
  Recorder recorder(std::move(*writer), std::move(layout.joints), options.every);
  capture(simulation, recorder.joints_, recorder.sample_);
  recorder.sample_.contacts.clear();  // a step that came before create() is not part of this recording
  if (auto written = recorder.writer_.append(recorder.sample_); !written) return failure(written.error());
  return recorder;
}

Recorder::~Recorder() {
  if (writer_.rows() > 1) static_cast<void>(writer_.close());
}

Result<void> Recorder::append(Simulation& simulation, const StepOutcome& outcome) {
  if (steps_in_row_ == 0) {
    sample_.certificate = {};
    sample_.solver = {};
  }
  sample_.certificate.merge(simulation.last_step().certificate);
  sample_.solver.add(outcome);
  return ++steps_in_row_ < every_ ? Result<void>() : append_row(simulation);
}

Result<void> Recorder::append_row(Simulation& simulation) {
  steps_in_row_ = 0;
  capture(simulation, joints_, sample_);
  return writer_.append(sample_);
}

Result<void> Recorder::finish(Simulation& simulation) {
  if (!writer_.is_open()) return {};
  if (steps_in_row_ > 0) {
    if (auto written = append_row(simulation); !written) return written;
  }
  return writer_.close();
}

}  // namespace stiction::recording
