#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/integers/program.h"

/// Groups the tables that one bootstrap looks up. All readings share this property of the program.
namespace tacit::integers {

/// One element of a lookup's result.
struct LookedUp {
  ValueId lookup = 0;
  std::uint32_t element = 0;
};

/// Finds the lookups that are carried out at one turn, by one pass over the program. If tables share bootstraps, the
/// lookups of one operand are carried out at the turn of the first. Otherwise each has its own turn.
class Makers {
 public:
  explicit Makers(const Program& program);
  /// Returns the instruction at whose turn a value is made.
  ValueId of(ValueId id) const { return of_[id]; }
  /// Returns the lookups that are made at the turn of `id`, in the program's order.
  std::span<const ValueId> lookups(ValueId id) const {
    return std::span(lookups_).subspan(begin_[id], begin_[id + 1] - begin_[id]);
  }

 private:
  std::vector<ValueId> of_;
  std::vector<ValueId> lookups_;  // by maker
  std::vector<std::size_t> begin_;
};

/// The bootstraps of one operand's elements, which are carried out together. At most 2^program.log_tables tables that
/// read the same element share one bootstrap. They may belong to different lookups.
struct Bootstraps {
  std::size_t count() const { return arguments.size(); }
  /// Returns the results of bootstrap i, one per table.
  std::span<const LookedUp> made(std::size_t i) const {
    return std::span(all_made).subspan(begin[i], begin[i + 1] - begin[i]);
  }
  /// A table, as `lookup` and the index of its table.
  struct TableOf {
    ValueId lookup = 0;
    std::uint32_t table = 0;
    auto operator<=>(const TableOf&) const = default;
  };
  std::vector<std::uint32_t> arguments;    ///< element of the operand that bootstrap i reads, in order
  std::vector<std::vector<TableOf>> sets;  ///< tables that are looked up together
  std::vector<std::uint32_t> set_of;       ///< the tables of bootstrap i are sets[set_of[i]]
  std::vector<LookedUp> all_made;          ///< bootstrap after bootstrap
  std::vector<std::size_t> begin{0};       ///< first result of each bootstrap in all_made, and the end
};

/// Returns the bootstraps at the turn of instruction `id`. Time and memory depend on the elements that are looked up
/// then, not on the size of their operand.
Bootstraps bootstraps_at(const Program& program, const Makers& makers, ValueId id);

/// Returns, by value, log2 of the room for tables in the bootstraps of a lookup, and 0 for others. Noise depends on it.
std::vector<int> log_rooms(const Program& program);

/// Returns, by instruction, the number of bootstraps at its turn. It counts those of tables, and one for every bit and
/// element that is rounded off.
std::vector<std::size_t> bootstrap_counts(const Program& program);
/// Returns the number of bootstraps of a run.
std::size_t bootstraps(const Program& program);

}  // namespace tacit::integers
