#include "runtime/noise_model.h"

#include <algorithm>
#include <cmath>

#include "params/noise.h"

namespace tacit::runtime {
namespace {

using program::Instruction;

/// Mean over some rows of the sum of squared weights: what a map multiplies the variance of independent errors by.
double row_energy(const layout::LinearOperator& op) {
  constexpr layout::Index kRows = 64;
  const layout::Index rows = layout::element_count(op.out_shape());
  const layout::Index step = std::max<layout::Index>(1, rows / kRows);
  double sum = 0;
  layout::Index count = 0;
  for (layout::Index row = 0; row < rows; row += step, ++count)
    op.row(row, [&](layout::Index, double weight) { sum += weight * weight; });
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// Rotations of the inputs are noisy before the weights multiply them; giant steps and their divisions happen at a scale
/// larger by the prime that the rescale takes away, and vanish in it. Every fold doubles the variance and adds a switch.
double linear_noise(const program::Linear& linear, const Instruction& instruction,
                    const params::CkksParameters& parameters) {
  const double rounding = params::rounding_noise(parameters, instruction.scale);
  const auto prime = static_cast<double>(parameters.q()[static_cast<std::size_t>(instruction.level) + 1]);
  const double weight_error = params::encode_noise(parameters, prime);
  double variance = 0;
  for (const program::LinearTerm& term : linear.terms) {
    const double rotation = params::key_switch_noise(parameters, instruction.level + 1, instruction.scale);
    const auto folds = static_cast<double>(term.schedule.folds.size());
    const double folded = std::exp2(folds);
    const double fold = params::key_switch_noise(parameters, instruction.level, instruction.scale);
    // Each of 2^folds accumulators holds a part of a row.
    variance += row_energy(*term.map.op) * rotation * rotation + folded * rounding * rounding +
                folded * static_cast<double>(term.schedule.steps.size()) * weight_error * weight_error +
                (folded - 1) * fold * fold;
  }
  return std::sqrt(variance);
}

/// An error made in T_j reaches T_k multiplied by a derivative of about k / j on average, so that the products on the way
/// to T_k, one a doubling, add up to about 4/3 k^2 of their variance.
double polynomial_noise(const program::Polynomial& polynomial, const Instruction& instruction,
                        const params::CkksParameters& parameters) {
  double gain = 1;
  for (std::size_t k = 2; k < polynomial.coefficients.size(); ++k) {
    const double slope = static_cast<double>(k) * polynomial.coefficients[k];
    gain += 4.0 / 3 * slope * slope;
  }
  return std::sqrt(gain) *
         params::multiply_noise(parameters, instruction.level + polynomial.schedule.depth, instruction.scale);
}

}  // namespace

program::NoiseModel modelled_noise(const program::Program& program, const params::CkksParameters& parameters) {
  program::NoiseModel noise;
  const auto raise = [](double& highest, double value) { highest = std::max(highest, value); };
  for (const Instruction& instruction : program.instructions) {
    const double scale = instruction.scale, rounding = params::rounding_noise(parameters, scale);
    if (std::holds_alternative<program::Input>(instruction.operation))
      raise(noise.fresh, std::hypot(params::symmetric_encryption_noise(parameters, scale),
                                    params::encode_noise(parameters, scale)));
    if (const auto* linear = std::get_if<program::Linear>(&instruction.operation))
      raise(noise.linear, linear_noise(*linear, instruction, parameters));
    if (std::holds_alternative<program::Multiply>(instruction.operation))
      raise(noise.multiply, params::multiply_noise(parameters, instruction.level + 1, scale));
    if (const auto* polynomial = std::get_if<program::Polynomial>(&instruction.operation))
      raise(noise.polynomial, polynomial_noise(*polynomial, instruction, parameters));
    if (std::holds_alternative<program::MultiplyPlain>(instruction.operation))
      raise(noise.multiply_plain, std::hypot(rounding, params::encode_noise(parameters, scale)));
    if (std::holds_alternative<program::Rotate>(instruction.operation))
      raise(noise.rotate, params::key_switch_noise(parameters, instruction.level, scale));
  }
  return noise;
}

}  // namespace tacit::runtime
