#include "program/execution.h"

#include "base/error.h"

namespace tacit::program {

Execution::Execution(Reading& reading, std::vector<ArrayPtr> inputs)
    : reading_(reading), inputs_(reading.size()), values_(reading.size()), last_use_(reading.size()) {
  auto given = inputs.begin();
  for (ValueId id = 0; id < values_.size(); ++id) {
    last_use_[id] = id;
    for (const ValueId read : reading.operands(id)) last_use_[read] = id;
    if (!reading.is_input(id)) continue;
    if (given == inputs.end()) throw base::InputError("no tensor was given for input '" + reading.name(id) + "'");
    inputs_[id] = std::move(*given++);
  }
}

void Execution::step(const Watch& watch) {
  const ValueId id = next_++;
  const std::vector<ValueId> reads = reading_.operands(id);
  std::vector<ArrayPtr> arrays;
  for (const ValueId read : reads) arrays.push_back(values_[read]);
  if (const ArrayPtr given = std::move(inputs_[id]))
    reading_.carry_out(id, {&given, 1}, values_);
  else
    reading_.carry_out(id, arrays, values_);
  if (watch) watch(id, values_[id], arrays);
  for (const ValueId read : reads)
    if (last_use_[read] == id) values_[read].reset();
}

std::vector<std::pair<ValueId, ArrayPtr>> Execution::alive() const {
  std::vector<std::pair<ValueId, ArrayPtr>> values;
  for (ValueId id = 0; id < values_.size(); ++id)
    if (values_[id] && (last_use_[id] >= next_ || reading_.is_output(id))) values.emplace_back(id, values_[id]);
  return values;
}

void Execution::resume(ValueId next, std::vector<std::pair<ValueId, ArrayPtr>> alive) {
  for (; next_ < next; ++next_) {
    inputs_[next_].reset();
    values_[next_].reset();
  }
  for (auto& [id, array] : alive) values_.at(id) = std::move(array);
}

std::vector<ArrayPtr> Execution::take_outputs() {
  std::vector<ArrayPtr> outputs;
  for (ValueId id = 0; id < values_.size(); ++id)
    if (reading_.is_output(id)) outputs.push_back(std::move(values_[id]));
  return outputs;
}

}  // namespace tacit::program
