#include "program/slots/lookup_failure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "params/bootstrap_noise.h"
#include "params/lookup_noise.h"
#include "program/slots/noise_model.h"
#include "program/visit.h"

namespace tacit::slots {
namespace {

double largest_row_energy(const layout::LinearOperator& op) {
  double most = 0;
  layout::RowEntries entries;
  const layout::Index rows = layout::element_count(op.out_shape());
  for (layout::Index row = 0; row < rows; ++row) {
    entries.clear();
    op.append_row(row, entries);
    entries.merge();
    double sum = 0;
    for (const double weight : entries.weights) sum += weight * weight;
    most = std::max(most, sum);
  }
  return most;
}

double largest_square(const layout::RepeatedReals& numbers) {
  double most = 0;
  for (const double x : numbers.values()) most = std::max(most, x * x);
  return most;
}

/// The variance that operands pass on to a result.
double passed_on(const Operation& operation, const std::vector<double>& variances) {
  double sum = 0;
  for (const ValueId read : operands(operation)) sum += variances[read];
  return std::visit(
      program::Overloaded{[&](const Linear& linear) {
                            double total = 0;
                            for (const LinearTerm& term : linear.terms)
                              total += largest_row_energy(*term.map.op) * variances[term.input];
                            return total;
                          },
                          [&](const MultiplyPlain& product) {
                            return static_cast<double>(product.terms) * largest_square(product.factor) * sum;
                          },
                          [&](const Sum& add) { return static_cast<double>(add.terms) * sum; },
                          [&](const RotateSum& add) { return static_cast<double>(add.steps.size() + 1) * sum; },
                          // A value of both sides has one error.
                          [&](const Add&) { return 2 * sum; }, [&](const Subtract&) { return 2 * sum; },
                          [&](const Lookup&) { return 0.0; }, [&](const auto&) { return sum; }},
      operation);
}

}  // namespace

LookupFailure lookup_failure(const Program& program, const params::CkksParameters& parameters,
                             std::span<const RoundedOutput> outputs) {
  const NoiseModel added = largest_noise(program, parameters);
  LookupFailure worst{.id = 0, .deviation = 0, .log2_probability = -std::numeric_limits<double>::infinity()};
  std::vector<double> variances;
  double most = -std::numeric_limits<double>::infinity(), numbers = 0;
  const auto consider = [&](ValueId id, double deviation, double failure, layout::Index count) {
    numbers += static_cast<double>(count);
    if (failure <= most) return;
    most = failure;
    worst.id = id;
    worst.deviation = deviation;
  };
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Operation& operation = program.value(id).operation;
    if (const auto* lookup = std::get_if<Lookup>(&operation)) {
      const double bootstrap = params::argument_noise(parameters, lookup->schedule.bootstrap).total();
      for (const ValueId read : lookup->inputs) {
        const double deviation = std::sqrt(variances[read] + bootstrap * bootstrap);
        consider(id, deviation, params::log2_lookup_failure(deviation, lookup->schedule.entries),
                 program.value(read).layout.ciphertexts() * program.slots);
      }
    }
    variances.push_back(passed_on(operation, variances) + added[id] * added[id]);
  }
  for (const RoundedOutput& output : outputs) {
    const double deviation = std::sqrt(2 * variances[output.value]);
    consider(output.value, deviation, params::log2_rounding_failure(deviation, output.step),
             layout::element_count(program.value(output.value).layout.shape()));
  }
  worst.log2_probability = most + std::log2(numbers);
  return worst;
}

}  // namespace tacit::slots
