#include "program/integers/bootstraps.h"

#include <algorithm>
#include <bit>
#include <map>

namespace tacit::integers {
namespace {

const Lookup* lookup_at(const Program& program, ValueId id) {
  return std::get_if<Lookup>(&program.value(id).operation);
}

}  // namespace

Bootstraps bootstraps_at(const Program& program, ValueId id) {
  Bootstraps result;
  const ValueId operand = lookup_at(program, id)->input;
  std::vector<ValueId> together{id};
  if (program.log_tables > 0) {
    together.clear();
    for (ValueId other = 0; other < program.instructions.size(); ++other)
      if (const Lookup* lookup = lookup_at(program, other); lookup != nullptr && lookup->input == operand)
        together.push_back(other);
    if (together.front() != id) return result;
  }
  // By argument, then in the program's order.
  std::vector<std::size_t> end(elements(program.value(operand)) + 1, 0);
  for (const ValueId lookup : together)
    for (std::size_t e = 0; e < elements(program.value(lookup)); ++e)
      ++end[lookup_at(program, lookup)->argument(e) + 1];
  for (std::size_t a = 1; a < end.size(); ++a) end[a] += end[a - 1];
  result.made_.resize(end.back());
  for (const ValueId lookup : together)
    for (std::size_t e = 0; e < elements(program.value(lookup)); ++e)
      result.made_[end[lookup_at(program, lookup)->argument(e)]++] = {lookup, static_cast<std::uint32_t>(e)};
  // Now end[a] is the end of argument a.
  std::map<std::vector<Bootstraps::TableOf>, std::uint32_t> known;
  const std::size_t room = std::size_t{1} << program.log_tables;
  for (std::size_t a = 0, begin = 0; a + 1 < end.size(); ++a)
    for (; begin < end[a]; begin = result.begin_.back()) {
      result.begin_.push_back(std::min(begin + room, end[a]));
      result.arguments_.push_back(static_cast<std::uint32_t>(a));
      std::vector<Bootstraps::TableOf> tables;
      for (std::size_t m = begin; m < result.begin_.back(); ++m) {
        const auto& [lookup, element] = result.made_[m];
        tables.push_back({lookup, static_cast<std::uint32_t>(lookup_at(program, lookup)->table(element))});
      }
      const auto [found, added] = known.emplace(tables, static_cast<std::uint32_t>(result.sets_.size()));
      if (added) result.sets_.push_back(std::move(tables));
      result.set_of_.push_back(found->second);
    }
  return result;
}

std::vector<ValueId> makers(const Program& program) {
  std::vector<ValueId> result(program.instructions.size());
  std::map<ValueId, ValueId> first;  // lookup of an operand
  for (ValueId id = 0; id < result.size(); ++id) {
    const Lookup* lookup = program.log_tables > 0 ? lookup_at(program, id) : nullptr;
    result[id] = lookup == nullptr ? id : first.emplace(lookup->input, id).first->second;
  }
  return result;
}

std::vector<int> log_rooms(const Program& program) {
  std::vector<int> rooms(program.instructions.size(), 0);
  if (program.log_tables == 0) return rooms;
  for (ValueId id = 0; id < rooms.size(); ++id) {
    if (lookup_at(program, id) == nullptr) continue;
    const Bootstraps bootstraps = bootstraps_at(program, id);
    for (const auto& tables : bootstraps.sets())
      for (const auto& [lookup, table] : tables)
        rooms[lookup] = std::max(rooms[lookup], static_cast<int>(std::bit_width(tables.size() - 1)));
  }
  return rooms;
}

std::size_t bootstraps(const Program& program, ValueId id) {
  const Instruction& made = program.value(id);
  if (const auto* round = std::get_if<Round>(&made.operation))
    return elements(made) * static_cast<std::size_t>(round->dropped);
  if (!std::holds_alternative<Lookup>(made.operation)) return 0;
  return program.log_tables == 0 ? elements(made) : bootstraps_at(program, id).count();
}

std::size_t bootstraps(const Program& program) {
  std::size_t count = 0;
  for (ValueId id = 0; id < program.instructions.size(); ++id) count += bootstraps(program, id);
  return count;
}

}  // namespace tacit::integers
