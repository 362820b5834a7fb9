#pragma once

#include <vector>

#include "layout/layout.h"

namespace tacit::layout {

/// The whole numbers from `begin` up to, and without, `end`.
struct Interval {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
  bool contains(Index i) const { return begin <= i && i < end; }
  bool operator==(const Interval&) const = default;
};

/// Assigns the blocks of an array of ciphertexts, or one of several inputs, to ranks (processes that share a run).
/// - With more blocks than ranks, each rank computes consecutive blocks. The numbers of blocks differ by one at most.
/// - With more ranks than blocks, consecutive ranks all compute the same block. Otherwise they would wait, and the next
///   readers would find the block in fewer places.
class Placement {
 public:
  /// `ranks` >= 1.
  explicit Placement(Index ranks) : ranks_(ranks) {}
  Index ranks() const { return ranks_; }
  /// Returns the ranks that compute a block: at least one.
  Interval ranks_of(Index block, Index blocks) const;
  /// Returns the blocks that a rank computes: at least one if there are blocks.
  Interval blocks_of(Index rank, Index blocks) const;
  /// Returns the most blocks that one rank computes.
  Index largest_share(Index blocks) const { return (blocks + ranks_ - 1) / ranks_; }

 private:
  Index ranks_;
};

/// Returns, by rank, the members of an array that it reads. A unit reads `each` consecutive ones of the `members`, and
/// the last unit reads the rest.
std::vector<std::vector<Index>> needs_of_units(const Placement& placement, Index units, Index each, Index members);
/// Returns the same if unit u reads inputs[u].
std::vector<std::vector<Index>> needs_of_units(const Placement& placement,
                                               const std::vector<std::vector<Index>>& inputs);

/// The transfer of one member of an array from a rank that holds it to a rank that reads it.
struct Transfer {
  Index member = 0, from = 0, to = 0;
  bool operator==(const Transfer&) const = default;
};

/// Returns the transfers after which every rank holds the members that it reads. holders[member] are the ranks that
/// hold the member; needs[rank] are the members that the rank reads. Every rank finds the same list, by receiving rank,
/// then in the order of its needs. Receivers take turns among several holders.
std::vector<Transfer> transfers(const std::vector<Interval>& holders, const std::vector<std::vector<Index>>& needs);

}  // namespace tacit::layout
