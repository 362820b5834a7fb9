#include "check/likely_cause.h"

#include <algorithm>
#include <cmath>

#include "graph/approximate/fit.h"
#include "runtime/decryption_check.h"

namespace tacit::check {
namespace {

// Beyond the interval by more than noise explains: an argument at the margin's end is none of our business.
constexpr double kOutside = 1e-3;
// The largest of 2^16 Gaussian errors lies within 5 deviations; the model is good to a factor of about 3.
constexpr double kNoiseDeviations = 16;
// One ratio explains a difference if it leaves less than this of it, over at least so many elements.
constexpr double kLeft = 0.05;
constexpr std::size_t kFewestElements = 4;

double largest(std::span<const double> numbers) {
  double most = 0;
  for (const double x : numbers) most = std::isnan(x) ? HUGE_VAL : std::max(most, std::abs(x));
  return most;
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    most = std::isnan(difference) ? HUGE_VAL : std::max(most, difference);
  }
  return most;
}

bool one_ratio(std::span<const double> encrypted, std::span<const double> message, double noise) {
  double products = 0, squares = 0;
  std::size_t told = 0;
  const double least = 1e-3 * largest(message);
  for (std::size_t i = 0; i < message.size(); ++i) {
    products += encrypted[i] * message[i];
    squares += message[i] * message[i];
    told += std::abs(message[i]) > least ? 1 : 0;
  }
  if (told < kFewestElements || !(squares > 0) || !std::isfinite(products)) return false;
  const double ratio = products / squares;
  double left = 0;
  for (std::size_t i = 0; i < message.size(); ++i)
    left = std::max(left, std::abs(encrypted[i] - ratio * message[i]));
  return left <= kLeft * largest_difference(encrypted, message) + kNoiseDeviations * noise * std::max(1.0, std::abs(ratio));
}

}  // namespace

Cause likely_cause(const program::Instruction& value, const Evidence& evidence,
                   const params::CkksParameters& parameters) {
  const auto* polynomial = std::get_if<program::Polynomial>(&value.operation);
  if (polynomial)
    for (const std::vector<double>& argument : evidence.arguments)
      if (largest(argument) > 1 + kOutside) return Cause::range;
  if (largest(evidence.message) > runtime::largest_value(parameters, value.level, value.scale)) return Cause::range;
  const double worst = largest_difference(evidence.encrypted, evidence.message);
  if (worst <= kNoiseDeviations * evidence.noise) return Cause::noise;
  if (one_ratio(evidence.encrypted, evidence.message, evidence.noise)) return Cause::scale;
  if (polynomial && evidence.arguments.size() == 1 && evidence.arguments[0].size() == evidence.encrypted.size()) {
    std::vector<double> series = evidence.arguments[0];
    for (double& x : series) x = graph::approximate::evaluate(polynomial->coefficients, x);
    if (largest_difference(evidence.encrypted, series) <= std::max(kNoiseDeviations * evidence.noise, kLeft * worst))
      return Cause::approximation;
  }
  return Cause::bug;
}

}  // namespace tacit::check
