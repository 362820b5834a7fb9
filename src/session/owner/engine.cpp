#include "session/owner/engine.h"

#include "base/error.h"

namespace tacit::session {

std::vector<Inference> Engine::infer_round(std::span<const std::vector<std::vector<graph::Tensor>>> runs) {
  std::vector<Inference> round;
  for (const auto& samples : runs) {
    try {
      round.push_back(infer(samples));
    } catch (const base::InputError& error) {
      round.emplace_back().refusal = error.what();
    }
  }
  return round;
}

}  // namespace tacit::session
