#include "check/slots/scope.h"

#include <algorithm>
#include <set>

namespace tacit::check {

using program::ValueId;

std::vector<ValueId> between(const slots::Program& program, std::span<const ValueId> arguments, ValueId value) {
  std::set<ValueId> seen{value};
  std::vector<ValueId> pending{value};
  while (!pending.empty()) {
    const ValueId id = pending.back();
    pending.pop_back();
    const ValueId by = program.computed_by(id);
    const bool known = std::find(arguments.begin(), arguments.end(), by) != arguments.end();
    const auto before = by != id && !known ? slots::refreshed_from(program, id) : std::nullopt;
    if (before) seen.insert(by);
    for (const ValueId read : before ? std::vector{*before} : slots::operands(program.value(id).operation))
      if (std::find(arguments.begin(), arguments.end(), read) == arguments.end() && seen.insert(read).second)
        pending.push_back(read);
  }
  return {seen.begin(), seen.end()};
}

std::vector<ValueId> sources(const slots::Program& program, ValueId id) {
  const auto before = slots::refreshed_from(program, id);
  return before ? std::vector<ValueId>{*before} : slots::operands(program.value(id).operation);
}

std::vector<ValueId> read_on_unit_interval(const slots::Operation& operation) {
  if (const auto* polynomial = std::get_if<slots::Polynomial>(&operation)) return {polynomial->input};
  if (const auto* bootstrap = std::get_if<slots::Bootstrap>(&operation)) return bootstrap->inputs;
  if (const auto* lookup = std::get_if<slots::Lookup>(&operation)) return lookup->inputs;
  return {};
}

}  // namespace tacit::check
