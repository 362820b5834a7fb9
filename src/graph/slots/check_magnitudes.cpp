#include "graph/slots/check_magnitudes.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/error.h"
#include "params/noise.h"

namespace tacit::graph::passes {
namespace {

// The bits that the largest element of an input or output must have above the noise.
constexpr int kLeastBits = 8;

/// Returns a bound in the units in which the value is stored.
double stored_bound(const Network& bounded, const Lowered& lowered, ValueId id) {
  const Range& stored = lowered.normalised.network.values[id].range;
  return stored.known() ? stored.bound() : lowered.normalised.factors[id] * bounded.values[id].range.bound();
}

double stored_limit(const Lowered& lowered, ValueId id) {
  // A sign and a factor of two stay free.
  return 2 * largest_output(lowered.literal, lowered.program.instructions[lowered.places[id]].level);
}

std::string named(const Value& value) {
  if (std::holds_alternative<Private>(value.operation)) return fmt::format("input '{}'", value.node);
  return fmt::format("node '{}' ({})", value.node, value.op);
}

void refuse_overflow(const Network& bounded, const Lowered& lowered, ValueId id, bool measured) {
  const Value& value = bounded.values[id];
  base::refuse("{}: values reach {:.3g} {}, and parameter set {} holds at most {:.3g} at that point: {}", named(value),
               value.range.bound(),
               measured ? "on the calibration data" : "by interval arithmetic from the declared range of the inputs",
               lowered.literal.name, stored_limit(lowered, id) / lowered.normalised.factors[id],
               measured ? "scale the model's inputs or weights down"
                        : "give calibration data (--calibrate), whose measured ranges are tighter and set the units "
                          "of the results, or declare a smaller range");
}

void check_noise(const Network& bounded, const Lowered& lowered, ValueId id, bool measured) {
  const Value& value = bounded.values[id];
  const double bound = stored_bound(bounded, lowered, id);
  const double scale = lowered.program.instructions[lowered.places[id]].scale;
  const double least =
      std::exp2(kLeastBits) * params::rounding_noise(params::CkksParameters::check(lowered.literal), scale);
  if (bound == 0 || bound >= least) return;
  const bool input = std::holds_alternative<Private>(value.operation);
  base::refuse(
      "{}: its values lie in [{:.3g}, {:.3g}] {}, and with parameter set {} anything below {:.3g} drowns in noise: {}",
      named(value), value.range.lowest, value.range.highest,
      measured ? "on the calibration data" : "by the declared range of the inputs", lowered.literal.name,
      least / lowered.normalised.factors[id],
      input      ? "scale the model's inputs up, for example to [-1, 1], and its first weights down to match"
      : measured ? "scale the model's outputs up"
                 : "give calibration data (--calibrate), which sets the units of the results, or scale the model's "
                   "outputs up");
}

// Checks the operands of bootstraps. The sine of a bootstrap is fitted to slots in [-1, 1]. A ciphertext does not show
// whether a value is outside.
void check_bootstraps(const Lowered& lowered) {
  constexpr double kTolerance = 1e-9;
  for (const slots::Instruction& instruction : lowered.program.instructions) {
    const auto* bootstrap = std::get_if<slots::Bootstrap>(&instruction.operation);
    if (!bootstrap) continue;
    for (const program::ValueId input : bootstrap->inputs) {
      const double bound = lowered.program.value(input).bound;
      // In folded form the operand is the input of a function, whose interval was chosen before it.
      const bool known = bound > 0 || bootstrap->schedule.form == params::BootstrapForm::folded;
      if (known && bound <= 1 + kTolerance) continue;
      base::refuse(
          "node '{}': a bootstrap takes values in [-1, 1], and the calibrated range of its operand {}: "
          "give calibration data (--calibrate) that covers the values of this node, or use a parameter set "
          "without bootstraps",
          instruction.node, bound == 0 ? "is not known" : fmt::format("reaches {:.3g}", bound));
    }
  }
}

}  // namespace

std::optional<ValueId> first_overflow(const Network& bounded, const Lowered& lowered) {
  for (ValueId id = 0; id < bounded.values.size(); ++id)
    if (stored_bound(bounded, lowered, id) > stored_limit(lowered, id)) return id;
  return std::nullopt;
}

void check_magnitudes(const Network& bounded, const Lowered& lowered, bool measured) {
  check_bootstraps(lowered);
  if (const std::optional<ValueId> id = first_overflow(bounded, lowered))
    refuse_overflow(bounded, lowered, *id, measured);
  const std::vector<int> uses = bounded.uses();
  for (ValueId id = 0; id < bounded.values.size(); ++id)
    if (std::holds_alternative<Private>(bounded.values[id].operation) && uses[id] > 0)
      check_noise(bounded, lowered, id, measured);
  for (const ValueId id : bounded.outputs) check_noise(bounded, lowered, id, measured);
}

}  // namespace tacit::graph::passes
