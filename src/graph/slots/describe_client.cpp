#include "graph/slots/describe_client.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "graph/passes/function_intervals.h"
#include "program/slots/trace.h"

namespace tacit::graph::passes {
namespace {

program::ClientInput describe_input(const slots::Input& input, const slots::Instruction& instruction, int log_gap,
                                    std::size_t position, const Network& network, const CompileOptions& options) {
  program::ClientInput result{input.name, instruction.layout, instruction.level, instruction.scale, 0, 0, input.units,
                              log_gap};
  if (options.input_range) {
    std::tie(result.lowest, result.highest) = *options.input_range;
  } else {
    for (const Value& value : network.values) {
      const auto* from = std::get_if<Private>(&value.operation);
      if (!from || from->input != position || !value.range.known()) continue;
      // The margin is once the width of the calibrated range on either side. Linear maps carry such inputs, and
      // functions check their own intervals.
      const double margin =
          std::max(value.range.highest - value.range.lowest, widened(value.range).highest - value.range.highest);
      result.lowest = value.range.lowest - margin;
      result.highest = value.range.highest + margin;
    }
  }
  return result;
}

program::ClientOutput describe_output(const std::string& name, std::size_t position,
                                      const slots::Instruction& instruction, const Lowered& lowered,
                                      const Network& network) {
  const ValueId value = lowered.normalised.network.outputs[position];
  // Half of the range that wraps around. A value that wraps comes back spread over the whole capacity.
  const double capacity = 2 * largest_output(lowered.literal, instruction.level);
  double lowest = -capacity, highest = capacity;
  if (const Range& range = lowered.normalised.network.values[value].range; range.known() && range.bound() > 0) {
    const double margin = std::max(range.highest - range.lowest, range.bound());
    lowest = range.lowest - margin;
    highest = range.highest + margin;
  } else if (const Range& safe = network.values[value].range; safe.known() && safe.bound() < capacity) {
    lowest = safe.lowest;
    highest = safe.highest;
  }
  const double unit = 1 / lowered.normalised.factors[value];
  program::ClientOutput output{name,    instruction.layout, position,         unit, lowest,
                               highest, instruction.level,  instruction.scale};
  const Value& stored = lowered.normalised.network.values[value];
  if (stored.stretch.all_equal(1)) return output;
  for (const double stretch : stored.stretch.expanded(layout::element_count(stored.shape)))
    output.shares.push_back(1 / stretch);
  return output;
}

}  // namespace

program::ClientInterface describe_client(const Graph& encrypted, const Network& network, const Lowered& lowered,
                                         const CompileOptions& options) {
  program::ClientInterface client;
  std::vector<const slots::Instruction*> outputs;
  for (program::ValueId id = 0; id < lowered.program.instructions.size(); ++id) {
    const slots::Instruction& instruction = lowered.program.value(id);
    if (const auto* input = std::get_if<slots::Input>(&instruction.operation))
      client.inputs.push_back(describe_input(*input, instruction, slots::trace_after(lowered.program, id),
                                             client.inputs.size(), network, options));
    if (std::holds_alternative<slots::Output>(instruction.operation)) outputs.push_back(&instruction);
  }
  for (std::size_t o = 0; o < encrypted.outputs.size(); ++o)
    client.outputs.push_back(
        describe_output(encrypted.tensors[encrypted.outputs[o]].name, o, *outputs.at(o), lowered, network));
  return client;
}

}  // namespace tacit::graph::passes
