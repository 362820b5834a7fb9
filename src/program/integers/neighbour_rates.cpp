#include "program/integers/neighbour_rates.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/parallel.h"
#include "program/integers/noise.h"

namespace tacit::integers {
namespace {

/// Of an argument `off` boxes from the middle of its own, with an error of this deviation in boxes.
double moved(double off, double deviation) {
  constexpr double kHalf = 0.5;  // of a box, and of both tails
  const double scale = deviation * std::numbers::sqrt2;
  return kHalf * (std::erfc((kHalf - off) / scale) + std::erfc((kHalf + off) / scale));
}

/// Sums of the shares over what one sample looks up, by value.
std::vector<double> moved_of_sample(const Program& program, const ClearProgram& reading,
                                    const std::vector<double>& deviations, const std::vector<Integers>& sample) {
  std::vector<double> sums(deviations.size(), 0.0);
  std::vector<std::vector<ValueId>> readers(deviations.size());
  for (ValueId id = 0; id < deviations.size(); ++id)
    if (deviations[id] > 0) readers[std::get<Lookup>(program.value(id).operation).input].push_back(id);
  reading.run(sample, [&](ValueId id, std::span<const std::int64_t> numbers) {
    for (const ValueId reader : readers[id]) {
      const auto& lookup = std::get<Lookup>(program.value(reader).operation);
      const std::int64_t first = first_centre(program, lookup);
      const int below = program.value(id).step - (kMessageBits - program.bits);
      for (std::size_t e = 0; e < elements(program.value(reader)); ++e) {
        const double boxes = std::ldexp(static_cast<double>(numbers[lookup.argument(e)] - first), below);
        sums[reader] += moved(boxes - std::floor(boxes + 0.5), deviations[reader]);
      }
    }
  });
  return sums;
}

}  // namespace

std::vector<double> neighbour_rates(const Program& program, const params::TfheParameters& parameters,
                                    std::span<const std::vector<Integers>> samples) {
  std::vector<double> deviations = noise_deviations(program, parameters);
  const double boxes = std::ldexp(1.0, program.bits + 1);  // of the whole torus
  bool any = false;
  for (ValueId id = 0; id < deviations.size(); ++id) {
    const auto* lookup = std::get_if<Lookup>(&program.value(id).operation);
    const bool rounded = lookup != nullptr && rounds(program, *lookup);
    deviations[id] = rounded ? deviations[id] * boxes : 0;
    any = any || rounded;
  }
  std::vector<double> rates(deviations.size(), 0.0);
  if (!any || samples.empty()) {
    for (ValueId id = 0; id < rates.size(); ++id)
      rates[id] = std::min(1.0, std::sqrt(2 / std::numbers::pi) * deviations[id]);
    return rates;
  }
  const ClearProgram reading(program);
  std::vector<std::vector<double>> of_samples(samples.size());
  base::parallel_for(0, samples.size(),
                     [&](std::size_t s) { of_samples[s] = moved_of_sample(program, reading, deviations, samples[s]); });
  for (const std::vector<double>& sums : of_samples)
    for (ValueId id = 0; id < rates.size(); ++id) rates[id] += sums[id];
  for (ValueId id = 0; id < rates.size(); ++id)
    rates[id] /= static_cast<double>(samples.size()) *
                 static_cast<double>(std::max<std::size_t>(1, elements(program.value(id))));
  return rates;
}

}  // namespace tacit::integers
