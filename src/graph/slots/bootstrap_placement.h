#pragma once

#include <optional>
#include <set>
#include <vector>

#include "base/feasible.h"
#include "graph/passes/network.h"
#include "graph/slots/feature_grid.h"
#include "graph/slots/row_slices.h"
#include "params/bootstrap_chain.h"
#include "params/ckks_parameters.h"

namespace tacit::graph::passes {

/// The refreshed values of a network and the levels that follow. All lists are by value.
struct BootstrapPlacement {
  std::vector<char> refreshed;
  std::vector<int> levels;  ///< level at which a value is made, before its refresh
  std::vector<int> ends;    ///< level at which the readers want the value, after its refresh if it has one
};

/// The values that may be refreshed.
enum class Refreshable {
  /// The inputs of functions, which are in [-1, 1]. The function then includes the arcsine of the refresh. In networks
  /// without functions, affine values in [-1, 1] that products read.
  function_inputs,
  /// Beside the inputs of functions, all affine values in [-1, 1]: sums, maxima, shortcuts and operands of products. A
  /// network that has too many levels between two functions needs them.
  affine_values
};

/// Finds the values of a normalised network that a bootstrapping set can refresh, and the levels of a placement.
///
/// Values that are linear in the inputs may be above a bootstrap's levels (params::highest_fresh_level), so that the
/// first functions need no bootstrap.
class BootstrapPlacer {
 public:
  /// Outputs end at `output_level`. All arguments must outlive this object. On a guarded grid, a feature map that a
  /// function reads is cleaned first: an identity moves it to another layout, with zeros around the map. On a tight
  /// grid, linear operators read slices of maps whose rows their windows leave.
  BootstrapPlacer(const Network& network, const params::CkksLiteral& literal, int output_level,
                  const std::optional<FeatureGrid>& grid, RowSlices& slices,
                  Refreshable refreshable = Refreshable::function_inputs);

  /// Refreshes as late as the levels allow. The search walks back from the outputs. It refreshes a value if the levels
  /// that its readers need exceed the levels that the value can have without a refresh. The values in `early` are
  /// always refreshed. There is no placement if an operator is deeper than a bootstrap's levels: the problem names it.
  base::Feasible<BootstrapPlacement> place(const std::set<ValueId>& early = {}) const;

  bool can_be_refreshed(ValueId id) const { return candidate_[id] != 0; }
  /// True if a function reads the value. The function then includes the arcsine of the value's refresh.
  bool read_by_function(ValueId id) const { return read_by_function_[id] != 0; }
  /// True if the value is cleaned before a function, or a refresh, reads it.
  bool cleaned(ValueId id) const { return cleaned_[id] != 0; }
  /// True if the k-th operand of a value is read as slices.
  bool sliced(ValueId id, std::size_t k) const { return k < parts_[id].size() && parts_[id][k].size() > 1; }
  /// The parts of the k-th operand.
  const std::vector<RowPart>& parts(ValueId id, std::size_t k) const { return parts_[id][k]; }

 private:
  using Parts = std::vector<std::vector<RowPart>>;  // of every term of a value

  std::vector<char> candidates(Refreshable refreshable) const;
  int room_of(ValueId id) const;
  void take_apart(RowSlices& slices);
  bool wants_cleaning(ValueId id, const Affine& affine, bool whole_to_zeros, bool whole_to_unknown) const;
  Parts parts_of(ValueId id, const Affine& affine, RowSlices& slices, Beside beside) const;
  std::optional<base::Infeasible> lacking(ValueId id, int level, int highest) const;

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
