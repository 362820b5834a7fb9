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

/// Which lookups are carried out at one turn. Where tables share bootstraps those of one operand are, at the turn of
/// the first; otherwise each at its own. Found by one pass over the program.
class Makers {
 public:
  explicit Makers(const Program& program);
  /// The instruction at whose turn a value is made.
  ValueId of(ValueId id) const { return of_[id]; }
  /// The lookups that are made at the turn of `id`, in the program's order.
  std::span<const ValueId> lookups(ValueId id) const {
    return std::span(lookups_).subspan(begin_[id], begin_[id + 1] - begin_[id]);
  }

 private:
  std::vector<ValueId> of_;
  std::vector<ValueId> lookups_;  // by maker
  std::vector<std::size_t> begin_;
};

/// The bootstraps that are carried out together: of one operand's elements. Up to 2^program.log_tables tables that read
/// the same element share one, whichever lookups they belong to.
struct Bootstraps {
  std::size_t count() const { return arguments.size(); }
  /// What bootstrap i makes, a table each.
  std::span<const LookedUp> made(std::size_t i) const {
    return std::span(all_made).subspan(begin[i], begin[i + 1] - begin[i]);
  }
  /// A table, as `lookup` and index of its table.
  struct TableOf {
    ValueId lookup = 0;
    std::uint32_t table = 0;
    auto operator<=>(const TableOf&) const = default;
  };
  std::vector<std::uint32_t> arguments;    ///< the element of the operand that bootstrap i reads. They come in order
  std::vector<std::vector<TableOf>> sets;  ///< tables that are looked up together
  std::vector<std::uint32_t> set_of;       ///< those of bootstrap i are sets[set_of[i]]
  std::vector<LookedUp> all_made;          ///< bootstrap after bootstrap
  std::vector<std::size_t> begin{0};       ///< of each bootstrap in all_made, and the end
};

/// Those that are carried out when it is the turn of instruction `id`. Takes time and memory by the elements that are
/// looked up then, whatever the size of their operand.
Bootstraps bootstraps_at(const Program& program, const Makers& makers, ValueId id);

/// By value: log2 of the room for tables in the bootstraps of a lookup, 0 for others. Noise depends on it.
std::vector<int> log_rooms(const Program& program);

/// By instruction: how many bootstraps are carried out at its turn, those of tables, and one for every bit and element
/// that is rounded off.
std::vector<std::size_t> bootstrap_counts(const Program& program);
/// Those of a run.
std::size_t bootstraps(const Program& program);

}  // namespace tacit::integers
