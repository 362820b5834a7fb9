#include "program/integers/bootstraps.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace tacit::integers {
namespace {

const Lookup* lookup_at(const Program& program, ValueId id) {
  return std::get_if<Lookup>(&program.value(id).operation);
}

/// An element of a lookup's result, and the element of the operand that it reads.
struct Read {
  std::uint32_t argument = 0;
  LookedUp made;
};

/// What is looked up together, by argument, then in the program's order.
std::vector<Read> reads_of(const Program& program, std::span<const ValueId> lookups) {
  std::vector<Read> reads;
  std::size_t count = 0;
  for (const ValueId id : lookups) count += elements(program.value(id));
  reads.reserve(count);
  for (const ValueId id : lookups) {
    const Lookup& lookup = *lookup_at(program, id);
    for (std::size_t e = 0; e < elements(program.value(id)); ++e)
      reads.push_back({static_cast<std::uint32_t>(lookup.argument(e)), {id, static_cast<std::uint32_t>(e)}});
  }
  std::ranges::stable_sort(reads, {}, &Read::argument);
  return reads;
}

/// Calls visit(begin, end) for every bootstrap, of what it makes: reads[begin] to reads[end - 1].
template <class Visit>
void for_each_bootstrap(std::span<const Read> reads, int log_tables, const Visit& visit) {
  const std::size_t room = std::size_t{1} << log_tables;
  for (std::size_t begin = 0, end = 0; begin < reads.size(); begin = end) {
    while (end < reads.size() && end - begin < room && reads[end].argument == reads[begin].argument) ++end;
    visit(begin, end);
  }
}

}  // namespace

Makers::Makers(const Program& program) : of_(program.instructions.size()), begin_(program.instructions.size() + 1, 0) {
  std::iota(of_.begin(), of_.end(), ValueId{0});
  std::map<ValueId, ValueId> first;  // lookup of an operand
  for (ValueId id = 0; id < of_.size(); ++id) {
    const Lookup* lookup = lookup_at(program, id);
    if (lookup == nullptr) continue;
    if (program.log_tables > 0) of_[id] = first.emplace(lookup->input, id).first->second;
    lookups_.push_back(id);
    ++begin_[of_[id] + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::ranges::stable_sort(lookups_, {}, [&](ValueId id) { return of_[id]; });
}

Bootstraps bootstraps_at(const Program& program, const Makers& makers, ValueId id) {
  Bootstraps result;
  const std::vector<Read> reads = reads_of(program, makers.lookups(id));
  result.all_made.reserve(reads.size());
  for (const Read& read : reads) result.all_made.push_back(read.made);
  std::map<std::vector<Bootstraps::TableOf>, std::uint32_t> known;
  for_each_bootstrap(reads, program.log_tables, [&](std::size_t begin, std::size_t end) {
    result.begin.push_back(end);
    result.arguments.push_back(reads[begin].argument);
    std::vector<Bootstraps::TableOf> tables;
    for (std::size_t m = begin; m < end; ++m) {
      const auto& [lookup, element] = reads[m].made;
      tables.push_back({lookup, static_cast<std::uint32_t>(lookup_at(program, lookup)->table(element))});
    }
    const auto [found, added] = known.emplace(tables, static_cast<std::uint32_t>(result.sets.size()));
    if (added) result.sets.push_back(std::move(tables));
    result.set_of.push_back(found->second);
  });
  return result;
}

std::vector<int> log_rooms(const Program& program) {
  std::vector<int> rooms(program.instructions.size(), 0);
  if (program.log_tables == 0) return rooms;
  const Makers makers(program);
  for (ValueId id = 0; id < rooms.size(); ++id) {
    const std::vector<Read> reads = reads_of(program, makers.lookups(id));
    for_each_bootstrap(reads, program.log_tables, [&](std::size_t begin, std::size_t end) {
      for (std::size_t m = begin; m < end; ++m) {
        int& room = rooms[reads[m].made.lookup];
        room = std::max(room, static_cast<int>(std::bit_width(end - begin - 1)));
      }
    });
  }
  return rooms;
}

std::vector<std::size_t> bootstrap_counts(const Program& program) {
  std::vector<std::size_t> counts(program.instructions.size(), 0);
  const Makers makers(program);
  for (ValueId id = 0; id < counts.size(); ++id) {
    const Instruction& made = program.value(id);
    if (const auto* round = std::get_if<Round>(&made.operation))
      counts[id] = elements(made) * static_cast<std::size_t>(round->dropped);
    else if (lookup_at(program, id) != nullptr && program.log_tables == 0)
      counts[id] = elements(made);
    else
      for_each_bootstrap(reads_of(program, makers.lookups(id)), program.log_tables,
                         [&](std::size_t, std::size_t) { ++counts[id]; });
  }
  return counts;
}

std::size_t bootstraps(const Program& program) {
  const std::vector<std::size_t> counts = bootstrap_counts(program);
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

}  // namespace tacit::integers
