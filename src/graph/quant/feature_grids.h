#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "graph/passes/network.h"
#include "graph/quant/border_choice.h"
#include "graph/quant/feature_chain.h"
#include "program/integers/client_interface.h"

namespace tacit::graph::quant {

/// The grid of an input for tables of a number of bits.
struct FeatureGrid {
  integers::Borders borders;
  std::vector<double> points;  ///< 2^bits of every element: a value for each integer; NaN for a missing value
};

/// The grids of private inputs that only trees read, directly or after operators on single elements. The borders of a
/// grid are thresholds of the trees, in units of the input. So trees on integers answer as trees on reals do, unless a
/// feature has more thresholds than its grid has borders.
class FeatureGrids {
 public:
  /// No input has a grid.
  FeatureGrids() = default;
  /// `samples` may be empty. They weigh thresholds if there are too many, and guide the choice of decoys.
  FeatureGrids(const passes::Network& network, const std::vector<std::vector<Tensor>>& samples,
               const ValueRoundings& roundings);

  /// True if this private input has a grid.
  bool has(passes::ValueId input) const { return elements_.contains(input); }
  /// True if trees include the computation of this value, and nothing else needs it.
  bool is_folded(passes::ValueId id) const { return id < folded_.size() && folded_[id] != 0; }
  /// True if these trees read inputs with grids.
  bool covers(passes::ValueId trees) const { return readings_.contains(trees); }
  FeatureGrid grid(passes::ValueId input, int bits) const;
  /// Makes these the borders and points (those of missing values left out) that `grid` returns. Returns false, and
  /// takes nothing, if they are not as many as the grid has, or do not rise, or are not numbers of the input's format.
  bool take(passes::ValueId input, int bits, const std::vector<double>& borders, const std::vector<double>& points);

  /// An element of an input.
  struct Place {
    passes::ValueId input = 0;
    std::size_t element = 0;
    bool operator<(const Place& other) const {
      return std::pair(input, element) < std::pair(other.input, other.element);
    }
    bool operator==(const Place&) const = default;
  };
  /// Returns the origin of every feature of these trees. None for features that they do not read, and for constants.
  std::vector<std::optional<Place>> places(passes::ValueId trees) const;
  /// Returns the numbers of a feature of these trees for these numbers of its place.
  std::vector<double> feature_numbers(passes::ValueId trees, std::size_t feature,
                                      std::span<const double> numbers) const;

 private:
  using Reading = std::vector<std::optional<FeatureChain>>;  ///< by feature

  void find_readings(const passes::Network& network, const ValueRoundings& roundings);
  void collect(const passes::Network& network, const std::vector<std::vector<Tensor>>& samples);

  /// The comparisons of trees with one element.
  struct Element {
    std::vector<Candidate> candidates;  ///< rising
    std::vector<double> shown;          ///< numbers of samples, rising
    bool missing_is_least = true,
         missing_is_most = true;  ///< true if trees answer NaN as the first or the last interval
  };
  static bool tells_missing(const std::vector<Element>& elements);

  std::map<passes::ValueId, Reading> readings_;  ///< by trees
  std::map<passes::ValueId, std::vector<Element>> elements_;
  std::map<passes::ValueId, bool> single_;
  std::map<std::pair<passes::ValueId, int>, FeatureGrid> taken_;  ///< by input and bits
  std::vector<char> folded_;
  base::Digest seed_{};  ///< seed of decoys
};

}  // namespace tacit::graph::quant
