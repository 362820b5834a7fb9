#include "tensor/recording.h"

#include <utility>

#include "base/error.h"
#include "params/account.h"

namespace tacit::tensor {

RecordingSession::RecordingSession(std::string name, const params::CkksParameters& parameters, int base_level,
                                   const params::CostTable& table)
    : SessionOn(slots::Recorder::make(std::move(name), static_cast<Index>(parameters.slots()),
                                      params::Account(parameters.literal()).limb_bytes()),
                TileLevels::of(parameters, base_level), cheapest_schedules(parameters.literal(), table)) {}

void RecordingSession::output(const TileTensor& tensor, std::string name) {
  if (tensor.session().get() != this)
    base::refuse("output '{}': the tensor belongs to another session than the one that records", name);
  reading_->output(tensor.view(), tensor.shape().layout(), std::move(name));
}

}  // namespace tacit::tensor
