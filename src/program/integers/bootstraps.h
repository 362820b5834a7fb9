#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/integers/program.h"

/// Which tables one bootstrap looks up: a property of the program that all readings share.
namespace tacit::integers {

/// One element of a lookup's result.
struct LookedUp {
  ValueId lookup = 0;
  std::uint32_t element = 0;
};

/// The bootstraps that are carried out together: of one operand's elements. Up to 2^program.log_tables tables that read
/// the same element share one, whichever lookups they belong to.
class Bootstraps {
 public:
  std::size_t count() const { return arguments_.size(); }
  /// The element of the operand that bootstrap i reads. They come in order.
  std::size_t argument(std::size_t i) const { return arguments_[i]; }
  /// What bootstrap i makes, a table each.
  std::span<const LookedUp> made(std::size_t i) const {
    return std::span(made_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }
  /// Tables that are looked up together, as `lookup` and index of its table: those of bootstrap i are sets()[set(i)].
  struct TableOf {
    ValueId lookup = 0;
    std::uint32_t table = 0;
    auto operator<=>(const TableOf&) const = default;
  };
  const std::vector<std::vector<TableOf>>& sets() const { return sets_; }
  std::size_t set(std::size_t i) const { return set_of_[i]; }

 private:
  friend Bootstraps bootstraps_at(const Program& program, ValueId id);
  std::vector<std::uint32_t> arguments_, set_of_;
  std::vector<std::size_t> begin_{0};
  std::vector<LookedUp> made_;
  std::vector<std::vector<TableOf>> sets_;
};

/// Those that are carried out when it is the turn of instruction `id`, a lookup: its own. Where tables share, those of
/// all lookups of its operand if it is their first, and otherwise none.
Bootstraps bootstraps_at(const Program& program, ValueId id);

/// By value: the instruction at whose turn it is made. Its own, but for lookups that share bootstraps with earlier
/// ones.
std::vector<ValueId> makers(const Program& program);
/// By value: log2 of the room for tables in the bootstraps of a lookup, 0 for others. Noise depends on it.
std::vector<int> log_rooms(const Program& program);

/// How many bootstraps are carried out at the turn of an instruction, or in a run: those of tables, and one for every
/// bit and element that is rounded off.
std::size_t bootstraps(const Program& program, ValueId id);
std::size_t bootstraps(const Program& program);

}  // namespace tacit::integers
