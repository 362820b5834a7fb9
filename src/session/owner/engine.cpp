#include "session/owner/engine.h"

namespace tacit::session {

std::vector<Inference> Engine::infer_round(std::span<const std::vector<std::vector<graph::Tensor>>> runs) {
  std::vector<Inference> round(runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r) unless_refused(round[r], [&] { round[r] = infer(runs[r]); });
  return round;
}

}  // namespace tacit::session
