#pragma once

#include <string>

#include "program/slots/recorder.h"
#include "tensor/tile_tensor.h"

namespace tacit::tensor {

/// A session that records tile arithmetic as a program. Its levels and scales are those of a session that executes at
/// once.
class RecordingSession final : public SessionOn<slots::Recorder> {
 public:
  /// `name` is the name of the program. Throws as TileLevels::of does.
  RecordingSession(std::string name, const params::CkksParameters& parameters, int base_level,
                   const params::CostTable& table = {});

  /// Makes a tensor of this session an output of the program. Throws InputError for one of another session.
  void output(const TileTensor& tensor, std::string name);
  /// Returns the recorded program. Every encrypted tensor is an input, in order.
  const slots::Program& program() const { return reading_->program(); }
};

}  // namespace tacit::tensor
