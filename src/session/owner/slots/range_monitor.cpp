#include "session/owner/slots/range_monitor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "session/owner/run_inputs.h"

namespace tacit::session {
namespace {

/// Rounding of the interval's own arithmetic, relative to its width.
constexpr double kTolerance = 1e-9;

double distance_outside(double value, double lowest, double highest) {
  // Not a number is infinitely far outside.
  if (std::isnan(value)) return HUGE_VAL;
  return std::max({lowest - value, value - highest, 0.0});
}

}  // namespace

RangeMonitor::RangeMonitor(const Compilation& compilation, const slots::ClearProgram& reading)
    : compilation_(compilation), reading_(reading) {}

IntervalSource RangeMonitor::source() const {
  return compilation_.calibrated      ? IntervalSource::calibration
         : compilation_.input_bounded ? IntervalSource::input_range
                                      : IntervalSource::parameters;
}

std::size_t RangeMonitor::place_of(program::ValueId id) const { return compilation_.model.client.inputs.size() + id; }

void RangeMonitor::check_values(std::size_t place, const Interval& interval, Run& run, std::size_t sample,
                                std::span<const double> values) {
  const double allowed = kTolerance * (interval.highest - interval.lowest);
  const double* worst = nullptr;
  double farthest = allowed;
  for (const double& value : values)
    if (const double distance = distance_outside(value, interval.lowest, interval.highest); distance > farthest) {
      farthest = distance;
      worst = &value;
    }
  if (!worst) return;
  const double shown = std::isnan(*worst) ? std::numeric_limits<double>::quiet_NaN() : *worst;  // of no sign
  const std::int64_t index = run.first + static_cast<std::int64_t>(sample);
  excesses_.add(place,
                {interval.node, interval.op, interval.source, interval.lowest, interval.highest, shown, index, 1},
                farthest, run.found[sample]);
}

void RangeMonitor::check_batch(std::size_t place, const Interval& interval, Run& run, std::span<const double> values) {
  const std::size_t size = values.size() / static_cast<std::size_t>(compilation_.model.client.batch);
  for (std::size_t s = 0; s < run.found.size(); ++s)
    check_values(place, interval, run, s, values.subspan(s * size, size));
}

void RangeMonitor::check_polynomial(program::ValueId id, const slots::Polynomial& polynomial,
                                    const slots::SlotArray& argument, Run& run) {
  const slots::Program& program = compilation_.model.program;
  std::vector<double> values = slots::unpack_period(program.value(polynomial.input).layout, argument);
  Interval interval{program.value(id).node, "polynomial", source(), -1, 1};
  for (const graph::Approximation& approximation : compilation_.model.approximations)
    if (approximation.node == interval.node) {
      // The argument is the function's input, moved linearly to [-1, 1].
      interval = {approximation.node, approximation.op, source(), approximation.lowest, approximation.highest};
      for (double& x : values) x = interval.lowest + (x + 1) / 2 * (interval.highest - interval.lowest);
      break;
    }
  check_batch(place_of(id), interval, run, values);
}

// One in folded form is read by a polynomial, which has the same interval.
void RangeMonitor::check_bootstrap(program::ValueId id, const slots::Bootstrap& bootstrap,
                                   std::span<const program::ArrayPtr> operands, Run& run) {
  if (bootstrap.schedule.form == params::BootstrapForm::folded) return;
  const slots::Program& program = compilation_.model.program;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const slots::Instruction& operand = program.value(bootstrap.inputs[i]);
    const program::ValueId refreshed = slots::refreshed_as(program, id, bootstrap.inputs[i]);
    check_batch(place_of(refreshed), {program.value(refreshed).node, "bootstrap", source(), -1, 1}, run,
                slots::unpack_period(operand.layout, slots::slots_of(operands[i])));
  }
}

void RangeMonitor::check_modulus(program::ValueId id, const slots::SlotArray& value, Run& run) {
  const slots::Instruction& instruction = compilation_.model.program.value(id);
  const std::vector<int>& bits = compilation_.model.parameters.q_bits;
  const double log_modulus = std::accumulate(bits.begin(), bits.begin() + instruction.level + 1, 0.0);
  // Half the modulus carries the sign, and half of that is kept free for the primes' distance from 2^bits.
  const double largest = std::exp2(log_modulus - 2) / instruction.scale;
  if (!std::isfinite(largest)) return;
  const Interval interval{instruction.node, slots::mnemonic(instruction.operation), IntervalSource::parameters,
                          -largest, largest};
  const auto outside = [&](double x) { return !(std::abs(x) <= largest); };
  const auto farther = [](double& worst, double x) { worst = std::abs(x) <= std::abs(worst) ? worst : x; };
  const layout::Index size =
      layout::element_count(instruction.layout.shape()) / compilation_.model.client.batch;  // of a sample
  std::vector<double> worst(run.found.size());
  double beside = 0;  // of slots that hold no element
  for (std::size_t c = 0; c < value.size(); ++c)
    for (std::size_t s = 0; s < value[c].size(); ++s) {
      if (!outside(value[c][s])) continue;
      const auto element = instruction.layout.element_at(static_cast<layout::Index>(c), static_cast<layout::Index>(s));
      const std::size_t sample = element ? static_cast<std::size_t>(*element / size) : worst.size();
      if (!element) farther(beside, value[c][s]);
      if (sample < worst.size()) farther(worst[sample], value[c][s]);
    }
  // A slot that wraps around spoils all others of its ciphertext. Whose number it is, is to blame.
  if (std::ranges::none_of(worst, outside)) worst.assign(worst.size(), beside);
  for (std::size_t s = 0; s < worst.size(); ++s) check_values(place_of(id), interval, run, s, {&worst[s], 1});
}

std::vector<std::optional<RangeExcess>> RangeMonitor::check(std::int64_t first,
                                                            std::span<const std::vector<graph::Tensor>> samples) {
  Run run{first, std::vector<std::optional<RangeExcess>>(samples.size())};
  const std::vector<std::vector<double>> tensors = run_inputs(compilation_.model, samples);
  const slots::Program& program = compilation_.model.program;
  const program::ClientInterface& client = compilation_.model.client;
  const IntervalSource source_of_inputs =
      compilation_.input_bounded ? IntervalSource::input_range : IntervalSource::calibration;
  for (std::size_t i = 0; i < client.inputs.size(); ++i) {
    const program::ClientInput& input = client.inputs[i];
    if (input.lowest < input.highest)
      check_batch(i, {input.name, "input", source_of_inputs, input.lowest, input.highest}, run, tensors[i]);
  }
  const auto observer = [&](program::ValueId id, const slots::SlotArray& value,
                            std::span<const program::ArrayPtr> operands) {
    if (const auto* polynomial = std::get_if<slots::Polynomial>(&program.value(id).operation))
      check_polynomial(id, *polynomial, slots::slots_of(operands[0]), run);
    else if (const auto* bootstrap = std::get_if<slots::Bootstrap>(&program.value(id).operation))
      check_bootstrap(id, *bootstrap, operands, run);
    else if (!std::holds_alternative<slots::Output>(program.value(id).operation))  // checked as results below
      check_modulus(id, value, run);
  };
  const std::vector<std::vector<double>> results = reading_.run(tensors, observer);
  for (std::size_t i = 0; i < client.outputs.size(); ++i) {
    const program::ClientOutput& output = client.outputs[i];
    if (output.lowest < output.highest)
      check_batch(place_of(static_cast<program::ValueId>(program.instructions.size())) + i,
                  {output.name, "output", source(), output.lowest, output.highest}, run,
                  results.at(output.program_output));
  }
  return run.found;
}

}  // namespace tacit::session
