#include "params/bootstrap_scales.h"

#include <cmath>
#include <numbers>

namespace tacit::params {
namespace {

std::vector<double> steps(double from, double to, std::size_t count) {
  std::vector<double> result;
  for (std::size_t i = 1; i < count; ++i)
    result.push_back(from * std::pow(to / from, static_cast<double>(i) / static_cast<double>(count)));
  result.push_back(to);
  return result;
}

}  // namespace

double prime_product(const CkksParameters& parameters, int from, int to) {
  double product = 1;
  for (int level = from; level > to; --level) product *= parameters.prime(level);
  return product;
}

CkksParameters raised_parameters(const CkksParameters& parameters, const BootstrapChain& chain) {
  return chain.skipped == 0 ? parameters : parameters.without(chain.output + 1, chain.skipped);
}

BootstrapScales bootstrap_scales(const CkksParameters& whole, const BootstrapSchedule& schedule) {
  const CkksParameters parameters = raised_parameters(whole, schedule.chain);
  const std::vector<int>& levels = schedule.chain.sine;
  const auto level = [&](std::size_t i) { return prime_product(parameters, levels[i], levels[i + 1]); };
  const double q0 = parameters.prime(0);
  BootstrapScales scales;
  scales.slots_to_coefficients =
      steps(parameters.scale(), q0 / schedule.ratio(), schedule.slots_to_coefficients.size());
  scales.coefficients_to_slots =
      steps(q0, std::sqrt(level(0) * std::sqrt(level(1) * level(2))), schedule.coefficients_to_slots.size());
  const double x = is_of_lookups(schedule.form) ? 1 : 2 * std::numbers::pi / schedule.ratio();
  scales.sine = parameters.scale() / x;
  // The gain of the linear form.
  if (schedule.form == BootstrapForm::linear) scales.sine *= 1 + 0.75 * x * x / 6;
  // Squaring at scale s and dividing by q leaves s^2 / q: backwards from the sine.
  scales.cosine = scales.sine;
  for (std::size_t i = levels.size() - 1; i > static_cast<std::size_t>(kCosineDepth); --i)
    scales.cosine = std::sqrt(scales.cosine * level(i - 1));
  return scales;
}

}  // namespace tacit::params
