#include "check/slots/likely_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "base/wipe.h"
#include "check/slots/scope.h"
#include "graph/approximate/fit.h"
#include "runtime/slots/decryption_check.h"

namespace tacit::check {
namespace {

// Beyond the interval by more than noise explains: an argument at the margin's end is none of our business.
constexpr double kOutside = 1e-3;
// The largest of 2^16 Gaussian errors lies within 5 deviations; the model is good to a factor of about 3.
constexpr double kNoiseDeviations = 16;
// One ratio explains a difference if it leaves less than this of it, over at least so many elements.
constexpr double kLeft = 0.05;
constexpr std::size_t kFewestElements = 4;

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    most = std::isnan(difference) ? HUGE_VAL : std::max(most, difference);
  }
  return most;
}

constexpr const char* kWiden = "compile with calibration data, or an input range, that covers this input";

/// An argument that a polynomial or a bootstrap reads lies outside [-1, 1], or the message outgrows the modulus.
std::string out_of_range(const slots::Program& program, const Evidence& evidence,
                         const params::CkksParameters& parameters) {
  for (const program::ValueId id : evidence.inside) {
    const slots::Instruction& reader = program.value(id);
    const std::vector<program::ValueId> reads = read_on_unit_interval(reader.operation);
    for (std::size_t a = 0; a < evidence.arguments.size(); ++a)
      if (const double found = largest_magnitude(evidence.elements[a]);
          std::ranges::count(reads, evidence.arguments[a]) > 0 && found > 1 + kOutside)
        return fmt::format(
            "the {} of {} carries values of {} in [-1, 1], in the units of that interval, and reads one of size "
            "{:.3g}; {}",
            slots::mnemonic(reader.operation), reader.node, program.value(evidence.arguments[a]).node, found, kWiden);
  }
  const slots::Instruction& value = program.value(evidence.value);
  const double reached = largest_magnitude(evidence.message),
               carried = runtime::largest_value(parameters, value.level, value.scale);
  if (!(reached > carried)) return {};
  return fmt::format("level {} carries values of {} up to {:.3g}, and one has the size {:.3g}; {}", value.level,
                     value.node, carried, reached, kWiden);
}

// An argument further from its entry than this share of the distance of two entries is hardly noise. A lookup that
// fails with 2^-128 has 13 deviations in half that distance, and the largest of 2^16 Gaussian errors has 5.
constexpr double kOffGridShare = 0x1p-4;

/// An argument of a lookup lies between two entries. Operators between sums and lookups are then wrong, or an input was
/// not quantised.
bool reads_between_entries(const slots::Program& program, const Evidence& evidence) {
  for (const program::ValueId id : evidence.inside) {
    const auto* lookup = std::get_if<slots::Lookup>(&program.value(id).operation);
    if (lookup == nullptr) continue;
    const double entries = lookup->schedule.entries;
    for (std::size_t a = 0; a < evidence.arguments.size(); ++a)
      if (std::ranges::count(lookup->inputs, evidence.arguments[a]) > 0 &&
          std::ranges::any_of(evidence.elements[a], [&](double x) {
            const double place = ((x + 1) * entries - 1) / 2;
            return std::abs(place - std::nearbyint(place)) > kOffGridShare;
          }))
        return true;
  }
  return false;
}

/// What the series of a polynomial, or the sine of a bootstrap, makes of the argument: what stands for the exact
/// function, with what is added to the elements behind it. Empty for other instructions, and where the argument is not
/// at hand.
std::vector<double> stand_in(const slots::Program& program, const Evidence& evidence) {
  const slots::Operation* made_by = &program.value(program.computed_by(evidence.value)).operation;
  const auto* addition = std::get_if<slots::AddPlain>(made_by);
  if (addition != nullptr) made_by = &program.value(program.computed_by(addition->input)).operation;
  const slots::Operation& operation = *made_by;
  const std::vector<program::ValueId> reads = read_on_unit_interval(operation);
  if (evidence.arguments.size() != 1 || std::ranges::count(reads, evidence.arguments[0]) == 0 ||
      evidence.elements[0].size() != evidence.encrypted.size())
    return {};
  std::vector<double> made = evidence.elements[0];
  const auto* polynomial = std::get_if<slots::Polynomial>(&operation);
  const auto* lookup = std::get_if<slots::Lookup>(&operation);
  if (lookup != nullptr && lookup->tables.size() > 1) return {};  // results of several tables are side by side
  const auto series = lookup ? params::table_series(lookup->schedule.form(), lookup->tables.front())
                             : std::vector<std::complex<double>>();
  for (double& x : made)
    x = polynomial ? graph::approximate::evaluate(polynomial->coefficients, x)
        : lookup   ? params::look_up(lookup->schedule.form(), series, x)
                   : std::get<slots::Bootstrap>(operation).schedule.result(x);
  if (addition != nullptr)
    for (std::size_t e = 0; e < made.size(); ++e) made[e] += addition->addend[static_cast<layout::Index>(e)];
  return made;
}

Cause cause_within_range(const slots::Program& program, const Evidence& evidence) {
  const double worst = largest_difference(evidence.encrypted, evidence.message);
  if (worst <= kNoiseDeviations * evidence.noise) return Cause::noise;
  std::vector<double> made = stand_in(program, evidence);
  const base::WipedAtExit wiped(made);
  if (one_ratio(evidence.encrypted, evidence.message, evidence.noise)) return Cause::scale;
  if (made.empty()) return Cause::bug;
  if (largest_difference(evidence.encrypted, made) <= std::max(kNoiseDeviations * evidence.noise, kLeft * worst))
    return Cause::approximation;
  if (one_ratio(evidence.encrypted, made, evidence.noise)) return Cause::scale;
  return Cause::bug;
}

}  // namespace

double largest_magnitude(std::span<const double> numbers) {
  double most = 0;
  for (const double x : numbers) most = std::isnan(x) ? HUGE_VAL : std::max(most, std::abs(x));
  return most;
}

bool one_ratio(std::span<const double> encrypted, std::span<const double> message, double noise) {
  double products = 0, squares = 0;
  std::size_t told = 0;
  const double least = 1e-3 * largest_magnitude(message);
  for (std::size_t i = 0; i < message.size(); ++i) {
    products += encrypted[i] * message[i];
    squares += message[i] * message[i];
    told += std::abs(message[i]) > least ? 1 : 0;
  }
  if (told < kFewestElements || !(squares > 0) || !std::isfinite(products)) return false;
  const double ratio = products / squares;
  double left = 0;
  for (std::size_t i = 0; i < message.size(); ++i) left = std::max(left, std::abs(encrypted[i] - ratio * message[i]));
  return left <=
         kLeft * largest_difference(encrypted, message) + kNoiseDeviations * noise * std::max(1.0, std::abs(ratio));
}

Finding likely_cause(const slots::Program& program, const Evidence& evidence,
                     const params::CkksParameters& parameters) {
  std::string outside = out_of_range(program, evidence, parameters);
  if (!outside.empty()) return {Cause::range, std::move(outside)};
  if (reads_between_entries(program, evidence)) return {Cause::grid, {}};
  return {cause_within_range(program, evidence), {}};
}

}  // namespace tacit::check
