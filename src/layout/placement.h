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

/// Which of several ranks (processes that share a run) computes which block of an array of ciphertexts, or which of
/// several inputs. Blocks that outnumber the ranks are dealt out in stretches whose sizes differ by one at most; where
/// the ranks outnumber the blocks, each block has a stretch of ranks, which all compute it: the others would wait
/// meanwhile, and what is read next lies in more places.
class Placement {
 public:
  /// ranks >= 1.
  explicit Placement(Index ranks) : ranks_(ranks) {}
  Index ranks() const { return ranks_; }
  /// Those that compute a block: at least one.
  Interval ranks_of(Index block, Index blocks) const;
  /// Those that a rank computes: at least one where there are blocks.
  Interval blocks_of(Index rank, Index blocks) const;
  /// The most that one rank computes.
  Index largest_share(Index blocks) const { return (blocks + ranks_ - 1) / ranks_; }

 private:
  Index ranks_;
};

/// By rank, the members of an array that it reads where it computes units that read `each` consecutive ones of the
/// `members` (the last unit those that are left).
std::vector<std::vector<Index>> needs_of_units(const Placement& placement, Index units, Index each, Index members);
/// The same where unit u reads inputs[u].
std::vector<std::vector<Index>> needs_of_units(const Placement& placement,
                                               const std::vector<std::vector<Index>>& inputs);

/// One member of an array that goes from a rank that holds it to one that reads it.
struct Transfer {
  Index member = 0, from = 0, to = 0;
  bool operator==(const Transfer&) const = default;
};

/// What has to move so that every rank holds the members that it reads: holders[member] are the ranks that hold it,
/// needs[rank] the members that a rank reads. Every rank finds the same list, by receiving rank, then in the order of
/// its needs. Of several holders the receivers take turns.
std::vector<Transfer> transfers(const std::vector<Interval>& holders, const std::vector<std::vector<Index>>& needs);

}  // namespace tacit::layout
