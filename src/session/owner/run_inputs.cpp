#include "session/owner/run_inputs.h"

namespace tacit::session {

std::vector<std::vector<double>> run_inputs(const graph::CompiledModel& model,
                                            std::span<const std::vector<graph::Tensor>> samples) {
  std::vector<std::vector<std::vector<double>>> tensors;
  for (const std::vector<graph::Tensor>& sample : samples)
    tensors.push_back(graph::numbers_of(graph::run_before(model.parts, sample)));
  return program::side_by_side(model.client, tensors);
}

}  // namespace tacit::session
