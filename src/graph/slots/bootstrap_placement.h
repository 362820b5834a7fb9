#pragma once

#include <optional>
#include <set>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/feature_grid.h"
#include "graph/slots/row_slices.h"
#include "params/bootstrap_chain.h"
#include "params/ckks_parameters.h"

namespace tacit::graph::passes {

/// Where the values of a network are refreshed, and the levels that follow. All by value.
struct Placement {
  std::vector<char> refreshed;
  std::vector<int> levels;  ///< at which a value is made, before its refresh
  std::vector<int> ends;    ///< at which it is wanted behind its refresh, or as it is
};

/// Which values of a normalised network can be refreshed on a bootstrapping set, and what a choice of them leads to.
/// What can be refreshed are the inputs of functions, which lie in [-1, 1] and whose function takes in the arcsine,
/// and, in networks without functions, affine values in [-1, 1] that products read. What is linear in the inputs may
/// lie above a bootstrap's levels (params::highest_fresh_level), so that the first functions need none.
class BootstrapPlacer {
 public:
  /// Outputs are wanted at `output_level`. All must outlive this. On a guarded grid, a feature map that a function
  /// reads is cleaned first: the identity takes it into a layout of its own, with zeros around it. On a tight grid
  /// linear operators read slices of their maps where windows leave them.
  BootstrapPlacer(const Network& network, const params::CkksLiteral& literal, int output_level,
                  const std::optional<FeatureGrid>& grid, RowSlices& slices);

  /// As late as the levels allow: walking backwards from the outputs, a value is refreshed when the way up to the next
  /// values that can be would need more levels than a bootstrap gives. Those of `early` are refreshed wherever they
  /// are. Throws InputError naming the operator that is deeper than a bootstrap's levels.
  Placement place(const std::set<ValueId>& early = {}) const;

  bool can_be_refreshed(ValueId id) const { return candidate_[id] != 0; }
  /// Whether a function reads a value: it takes in the arcsine of the value's refresh.
  bool read_by_function(ValueId id) const { return read_by_function_[id] != 0; }
  /// Whether a value is cleaned before a function, or a refresh, reads it.
  bool cleaned(ValueId id) const { return cleaned_[id] != 0; }
  /// Whether the k-th operand of a value is read as slices.
  bool sliced(ValueId id, std::size_t k) const { return k < parts_[id].size() && parts_[id][k].size() > 1; }
  /// The parts of the k-th operand.
  const std::vector<RowPart>& parts(ValueId id, std::size_t k) const { return parts_[id][k]; }

 private:
  using Parts = std::vector<std::vector<RowPart>>;  // of every term of a value

  std::vector<char> candidates() const;
  int room_of(ValueId id) const;
  void take_apart(RowSlices& slices);
  bool wants_cleaning(ValueId id, const Affine& affine, bool whole_to_zeros, bool whole_to_unknown) const;
  Parts parts_of(ValueId id, const Affine& affine, RowSlices& slices, Beside beside) const;
  void check(ValueId id, int level, int highest) const;

  const Network& network_;
  const params::CkksLiteral& literal_;
  const std::optional<FeatureGrid>& grid_;
  int output_level_;
  params::BootstrapChain chain_;
  int fresh_;
  std::vector<char> read_by_function_, candidate_, cleaned_;
  std::vector<Parts> parts_;
  std::vector<int> rooms_;
};

}  // namespace tacit::graph::passes
