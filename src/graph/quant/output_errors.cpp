#include "graph/quant/output_errors.h"

#include <algorithm>
#include <optional>

#include "graph/client_guards.h"
#include "graph/reference/run.h"
#include "params/tfhe_parameters.h"
#include "program/integers/clear_program.h"
#include "program/integers/noise.h"

namespace tacit::graph::quant {

std::vector<std::vector<std::vector<double>>> outputs_of(const CompiledIntegers& compiled,
                                                         const std::vector<std::vector<integers::Integers>>& integers,
                                                         bool noise) {
  const integers::ClearProgram reading(compiled.program);
  const auto parameters = params::TfheParameters::check(compiled.parameters);
  const std::vector<double> deviations = integers::noise_deviations(compiled.program, parameters);
  const std::vector<std::vector<double>> of_bits = integers::rounding_deviations(compiled.program, parameters);
  std::vector<std::vector<std::vector<double>>> outputs;
  for (std::size_t s = 0; s < integers.size(); ++s) {
    std::optional<integers::ClearProgram::Noise> drawn;
    if (noise) drawn = {deviations, s + 1, of_bits, {}};
    const std::vector<integers::Integers> results = reading.run(integers[s], {}, drawn);
    std::vector<std::vector<double>>& numbers = outputs.emplace_back();
    for (std::size_t o = 0; o < results.size(); ++o)
      numbers.push_back(integers::reals_of(compiled.client.outputs.at(o), results[o]));
  }
  return outputs;
}

std::vector<std::vector<std::vector<double>>> exact_outputs(const CompiledIntegers& compiled,
                                                            const std::vector<std::vector<Tensor>>& samples,
                                                            std::size_t count) {
  std::vector<std::vector<std::vector<double>>> exact;
  for (std::size_t s = 0; s < count; ++s)
    exact.push_back(numbers_of(reference::run(compiled.encrypted, samples.at(s))));
  return exact;
}

std::vector<double> output_errors(const CompiledIntegers& compiled, const std::vector<std::vector<Tensor>>& samples,
                                  const std::vector<std::vector<integers::Integers>>& integers) {
  constexpr double kUnseen = 1.5;
  std::vector<double> errors =
      usual_differences(exact_outputs(compiled, samples, integers.size()), outputs_of(compiled, integers, true));
  errors.resize(compiled.client.outputs.size(), 0.0);
  for (std::size_t o = 0; o < errors.size(); ++o) {
    const integers::ClientOutput& output = compiled.client.outputs[o];
    const std::vector<double>& scales = output.quantiser.scale.values();
    errors[o] = kUnseen * errors[o] + (scales.empty() ? 0 : output.addends * *std::ranges::max_element(scales));
  }
  return errors;
}

}  // namespace tacit::graph::quant
