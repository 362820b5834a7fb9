#include "graph/passes/function_inputs.h"

#include <algorithm>

namespace tacit::graph::passes {
namespace {

constexpr std::size_t kBins = 256;
constexpr std::size_t kNumbers = std::size_t{1} << 17;
/// Large values are noted in part. The alternative would be fewer samples.
constexpr std::size_t kFewestKeptSamples = 16;

std::size_t rounded_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace

FunctionInputs::FunctionInputs(const Network& network, std::size_t samples)
    : all_samples_(samples), of_(network.values.size()) {
  if (samples == 0) return;
  for (const Value& value : network.values) {
    const auto* function = std::get_if<Function>(&value.operation);
    if (function == nullptr) continue;
    Numbers& numbers = of_[function->input];
    const auto all = static_cast<std::size_t>(layout::element_count(value.shape));
    if (all == 0) continue;
    numbers.all_elements = all;
    numbers.samples = std::min(samples, std::max(kFewestKeptSamples, rounded_up(kNumbers, all)));
    numbers.elements = std::min(all, rounded_up(kNumbers, numbers.samples));
    numbers.noted.resize(numbers.samples * numbers.elements);
  }
}

void FunctionInputs::note(const SampleRun::BlockOfValue& block) {
  Numbers& numbers = of_[block.id];
  if (numbers.elements == 0) return;
  for (std::size_t lane = 0; lane < block.samples; ++lane) {
    const std::size_t sample = block.first + lane, i = rounded_up(sample * numbers.samples, all_samples_);
    if (i * all_samples_ / numbers.samples != sample) continue;
    for (std::size_t e = 0; e < numbers.elements; ++e)
      numbers.noted[i * numbers.elements + e] = block.numbers[numbers.element(i, e) * kLanes + lane];
  }
}

approximate::Histogram FunctionInputs::histogram(const Network& network, const Function& function) const {
  if (function.input >= of_.size() || of_[function.input].elements == 0) return {};
  const Numbers& numbers = of_[function.input];
  const layout::RepeatedReals& stretch = network.values[function.input].stretch;
  const auto bins = static_cast<double>(kBins);
  approximate::Histogram histogram(kBins, 0.0);
  for (std::size_t i = 0; i < numbers.samples; ++i)
    for (std::size_t e = 0; e < numbers.elements; ++e) {
      const double x =
          numbers.noted[i * numbers.elements + e] * stretch[static_cast<layout::Index>(numbers.element(i, e))];
      const double bin = (x - function.lowest) / (function.highest - function.lowest) * bins;
      histogram[static_cast<std::size_t>(std::clamp(bin, 0.0, bins - 1))] += 1;
    }
  if (function.parity == approximate::Parity::none) return histogram;
  return approximate::mirrored(histogram, function.lowest, function.highest, function.highest);
}

}  // namespace tacit::graph::passes
