#include "app/clear_reading.h"

namespace tacit::app {

ClearReading::ClearReading(const program::Program& program) : program_(program), prepared_(program) {
  // One run on zeros makes the sparse maps, which the copies then share.
  std::vector<std::vector<double>> zeros;
  for (const program::Instruction& instruction : program.instructions)
    if (std::holds_alternative<program::Input>(instruction.operation))
      zeros.emplace_back(static_cast<std::size_t>(layout::element_count(instruction.layout.shape())), 0.0);
  program::run_clear(program_, prepared_, std::move(zeros));
}

std::vector<std::vector<double>> ClearReading::run(std::span<const graph::Tensor> sample,
                                                   const program::ValueObserver<program::SlotArray>& observer,
                                                   const program::NoiseModel* noise, std::uint64_t seed) const {
  program::ClearEvaluator evaluator = prepared_;
  if (noise) evaluator.add_noise(*noise, seed);
  std::vector<std::vector<double>> inputs;
  for (const graph::Tensor& tensor : sample) inputs.push_back(tensor.data);
  return program::run_clear(program_, evaluator, std::move(inputs), observer);
}

std::vector<std::vector<double>> in_model_units(const program::ClientInterface& client,
                                                const std::vector<std::vector<double>>& results) {
  std::vector<std::vector<double>> tensors;
  for (const program::ClientOutput& output : client.outputs)
    tensors.push_back(program::from_units(output, results.at(output.program_output)));
  return tensors;
}

}  // namespace tacit::app
