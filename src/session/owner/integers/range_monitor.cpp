#include "session/owner/integers/range_monitor.h"

#include <algorithm>

#include "base/error.h"
#include "graph/client_parts.h"

namespace tacit::session {

using integers::ValueId;

IntegerRangeMonitor::IntegerRangeMonitor(const graph::quant::CompiledIntegers& model,
                                         const integers::ClearProgram& reading)
    : model_(model), reading_(reading) {
  // Values that leave their interval do harm where they are looked up.
  looked_up_.assign(model.program.instructions.size(), 0);
  for (const integers::Instruction& made : model.program.instructions)
    if (const auto* lookup = std::get_if<integers::Lookup>(&made.operation)) looked_up_[lookup->input] = 1;
}

std::vector<std::optional<RangeExcess>> IntegerRangeMonitor::check(
    std::int64_t first, std::span<const std::vector<graph::Tensor>> samples) {
  std::vector<std::optional<RangeExcess>> found(samples.size());
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const auto index = first + static_cast<std::int64_t>(s);
    const std::vector<graph::Tensor> tensors = graph::run_before(model_.parts, samples[s]);
    std::vector<integers::Integers> inputs;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const integers::ClientInput& input = model_.client.inputs.at(i);
      check_input(i, input, tensors[i].data, index, found[s]);
      integers::ClientInput clamped = input;  // to see what lies behind
      clamped.saturates = true;
      inputs.push_back(integers::quantise(clamped, tensors[i].data));
    }
    reading_.run(inputs, [&](ValueId id, std::span<const std::int64_t> numbers) {
      if (looked_up_[id] != 0) check_value(id, numbers, index, found[s]);
    });
  }
  return found;
}

void IntegerRangeMonitor::check_input(std::size_t place, const integers::ClientInput& input,
                                      std::span<const double> tensor, std::int64_t index,
                                      std::optional<RangeExcess>& first) {
  if (input.saturates) return;
  try {
    integers::quantise(input, tensor);
  } catch (const base::InputError&) {
    const integers::Quantiser& q = input.quantiser;
    RangeExcess excess{input.name, "Input", IntervalSource::calibration, 0, 0, 0, index, 1};
    double farthest = 0;
    for (std::size_t e = 0; e < tensor.size(); ++e) {
      const auto at = static_cast<layout::Index>(e);
      const double lowest = q.scale[at] * static_cast<double>(q.lowest) + q.offset[at];
      const double highest = q.scale[at] * static_cast<double>(q.highest) + q.offset[at];
      const double outside = std::max(lowest - tensor[e], tensor[e] - highest) / (highest - lowest);
      if (!(outside > farthest)) continue;
      farthest = outside;
      excess.lowest = lowest;
      excess.highest = highest;
      excess.worst = tensor[e];
    }
    if (farthest > 0) excesses_.add(place, excess, farthest, first);  // what is no number is outside no range
  }
}

void IntegerRangeMonitor::check_value(ValueId id, std::span<const std::int64_t> numbers, std::int64_t index,
                                      std::optional<RangeExcess>& first) {
  const integers::Instruction& made = model_.program.value(id);
  std::int64_t farthest = 0;
  std::size_t worst = 0;
  for (std::size_t e = 0; e < numbers.size(); ++e)
    if (const std::int64_t outside = std::max(made.lowest - numbers[e], numbers[e] - made.highest);
        outside > farthest) {
      farthest = outside;
      worst = e;
    }
  if (farthest == 0) return;
  const graph::quant::IntegerMeaning& meaning = model_.meanings.at(id);
  const auto real = [&](std::int64_t integer) {
    const auto at = static_cast<layout::Index>(worst);
    return meaning.scale[at] * static_cast<double>(integer) + meaning.offset[at];
  };
  excesses_.add(model_.client.inputs.size() + id,
                {made.node, integers::mnemonic(made.operation), IntervalSource::calibration, real(made.lowest),
                 real(made.highest), real(numbers[worst]), index, 1},
                static_cast<double>(farthest) / static_cast<double>(made.highest - made.lowest + 1), first);
}

}  // namespace tacit::session
