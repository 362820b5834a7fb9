#include "program/slots/noise_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "params/bootstrap_noise.h"
#include "params/lookup_noise.h"
#include "params/noise.h"
#include "program/slots/polynomial_noise.h"
#include "program/slots/trace.h"
#include "program/visit.h"

namespace tacit::slots {
namespace {

/// Mean over some rows of the sum of squared weights.
double mean_row_energy(const layout::LinearOperator& op) {
  const std::vector<double> energies = row_energies(op);
  const double sum = std::accumulate(energies.begin(), energies.end(), 0.0);
  return energies.empty() ? 0 : sum / static_cast<double>(energies.size());
}

/// Rotations of the inputs are noisy before the weights multiply them; giant steps and their divisions happen at a
/// scale larger by the prime that the rescale takes away, and vanish in it. Every fold doubles the variance and adds a
/// switch.
double linear_noise(const Linear& linear, const Instruction& instruction, const Program& program,
                    const params::CkksParameters& parameters) {
  const double rounding = params::rounding_noise(parameters, instruction.scale);
  const auto prime = parameters.prime(instruction.level + 1);
  double variance = 0;
  for (const LinearTerm& term : linear.terms) {
    const Instruction& operand = program.value(term.input);
    const double operand_scale = operand.scale;
    // Operands are taken as uniform up to their bound.
    const double operand_square = (operand.bound > 0 ? operand.bound * operand.bound : 1) / 3;
    const double rotation = params::key_switch_noise(parameters, instruction.level + 1, operand_scale);
    const double weight_error = params::encode_noise(parameters, prime * instruction.scale / operand_scale);
    const auto folds = static_cast<double>(term.schedule.folds.size());
    const double folded = std::exp2(folds);
    const double fold = params::key_switch_noise(parameters, instruction.level, instruction.scale);
    // Each of 2^folds accumulators holds a part of a row.
    variance +=
        mean_row_energy(*term.map.op) * rotation * rotation + folded * rounding * rounding +
        folded * static_cast<double>(term.schedule.steps.size()) * operand_square * weight_error * weight_error +
        (folded - 1) * fold * fold;
  }
  return std::sqrt(variance);
}

}  // namespace

std::vector<double> row_energies(const layout::LinearOperator& op) {
  constexpr layout::Index kRows = 64;
  const layout::Index rows = layout::element_count(op.out_shape());
  const layout::Index step = std::max<layout::Index>(1, rows / kRows);
  std::vector<double> energies;
  layout::RowEntries entries;
  for (layout::Index row = 0; row < rows; row += step) {
    entries.clear();
    op.append_row(row, entries);
    entries.merge();
    double sum = 0;
    for (const double weight : entries.weights) sum += weight * weight;
    energies.push_back(sum);
  }
  return energies;
}

namespace {

NoiseModel noise_by(double SeriesNoise::*of_series, const Program& program, const params::CkksParameters& parameters) {
  NoiseModel noise;
  for (const Instruction& instruction : program.instructions) {
    const double scale = instruction.scale;
    double deviation = 0;
    if (std::holds_alternative<Input>(instruction.operation)) {
      // Whoever encrypts may have the public key, which leaves more noise than the secret one.
      // The trace of a thin input adds up g copies of this noise, and leaves one in g of its coefficients.
      const auto id = static_cast<ValueId>(&instruction - program.instructions.data());
      deviation = std::ldexp(
          std::hypot(params::public_encryption_noise(parameters, scale), params::encode_noise(parameters, scale)),
          -trace_after(program, id));
    } else if (const auto* linear = std::get_if<Linear>(&instruction.operation)) {
      deviation = linear_noise(*linear, instruction, program, parameters);
    } else if (const auto* polynomial = std::get_if<Polynomial>(&instruction.operation)) {
      deviation = polynomial_noise(*polynomial, instruction, program.value(polynomial->input), parameters).*of_series;
    } else if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation)) {
      deviation = params::bootstrap_noise(parameters, bootstrap->schedule).total();
    } else if (const auto* lookup = std::get_if<Lookup>(&instruction.operation)) {
      for (const std::vector<double>& table : lookup->tables) {
        const params::LookupNoise found = params::lookup_noise(parameters, lookup->schedule, table, scale);
        deviation = std::max(deviation, of_series == &SeriesNoise::largest ? found.largest : found.mean);
      }
    } else if (std::holds_alternative<Multiply>(instruction.operation)) {
      deviation = params::multiply_noise(parameters, instruction.level + 1, scale);
    } else if (program::holds_any<MultiplyPlain, Drop>(instruction.operation)) {
      const auto* product = std::get_if<MultiplyPlain>(&instruction.operation);
      const double terms = product ? static_cast<double>(product->terms) : 1;
      deviation = std::hypot(params::rounding_noise(parameters, scale),
                             std::sqrt(terms) * params::encode_noise(parameters, scale));
    } else if (std::holds_alternative<Rotate>(instruction.operation)) {
      deviation = params::key_switch_noise(parameters, instruction.level, scale);
    } else if (const auto* sum = std::get_if<RotateSum>(&instruction.operation)) {
      deviation = std::sqrt(static_cast<double>(sum->steps.size())) *
                  params::key_switch_noise(parameters, instruction.level, scale);
    }
    noise.push_back(deviation);
  }
  return noise;
}

}  // namespace

NoiseModel modelled_noise(const Program& program, const params::CkksParameters& parameters) {
  return noise_by(&SeriesNoise::mean, program, parameters);
}

NoiseModel largest_noise(const Program& program, const params::CkksParameters& parameters) {
  return noise_by(&SeriesNoise::largest, program, parameters);
}

}  // namespace tacit::slots
