#pragma once

#include <string>

#include "program/slots/recorder.h"
#include "tensor/tile_tensor.h"

namespace tacit::tensor {

/// A session that writes tile arithmetic down as a program, at the levels and scales of a session that carries it out
/// at once.
class RecordingSession final : public SessionOn<slots::Recorder> {
 public:
  /// `name` of the program. Throws as TileLevels::of does.
  RecordingSession(std::string name, const params::CkksParameters& parameters, int base_level,
                   const params::CostTable& table = {});

  /// Makes a tensor of this session an output of the program. Throws InputError for one of another session.
  void output(const TileTensor& tensor, std::string name);
  /// What was recorded: every encrypted tensor is an input, in order.
  const slots::Program& program() const { return reading_->program(); }
};

}  // namespace tacit::tensor
