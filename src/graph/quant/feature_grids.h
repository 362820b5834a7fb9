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

/// The grid of an input for tables of so many bits.
struct FeatureGrid {
  integers::Borders borders;
  std::vector<double> points;  ///< 2^bits of every element: values that stand for each integer; NaN for a missing one
};

/// The grids of private inputs that nothing but trees read, directly or after operators on single elements. The borders
/// of a grid are thresholds of the trees, in units of the input. So trees on integers answer as trees on reals do,
/// unless a feature has more thresholds than its grid has borders.
class FeatureGrids {
 public:
  /// No input has a grid.
  FeatureGrids() = default;
  /// `samples` may be empty: they count where thresholds are too many, and where decoys are drawn.
  FeatureGrids(const passes::Network& network, const std::vector<std::vector<Tensor>>& samples,
               const ValueRoundings& roundings);

  /// Whether this private input has a grid.
  bool has(passes::ValueId input) const { return elements_.contains(input); }
  /// Whether trees take this value in, and nothing else needs it.
  bool is_folded(passes::ValueId id) const { return id < folded_.size() && folded_[id] != 0; }
  /// Whether these trees read inputs with grids.
  bool covers(passes::ValueId trees) const { return readings_.contains(trees); }
  FeatureGrid grid(passes::ValueId input, int bits) const;

  /// An element of an input.
  struct Place {
    passes::ValueId input = 0;
    std::size_t element = 0;
    bool operator<(const Place& other) const {
      return std::pair(input, element) < std::pair(other.input, other.element);
    }
    bool operator==(const Place&) const = default;
  };
  /// Where every feature of these trees comes from; none for features that they do not read, and constants.
  std::vector<std::optional<Place>> places(passes::ValueId trees) const;
  /// Numbers of a feature of these trees where its place has these.
  std::vector<double> feature_numbers(passes::ValueId trees, std::size_t feature,
                                      std::span<const double> numbers) const;

 private:
  using Reading = std::vector<std::optional<FeatureChain>>;  ///< by feature

  void find_readings(const passes::Network& network, const ValueRoundings& roundings);
  void collect(const passes::Network& network, const std::vector<std::vector<Tensor>>& samples);

  /// What trees ask of one element.
  struct Element {
    std::vector<Candidate> candidates;                     ///< rising
    std::vector<double> shown;                             ///< by samples, rising
    bool missing_is_least = true, missing_is_most = true;  ///< trees answer NaN as the first or the last interval
  };

  std::map<passes::ValueId, Reading> readings_;  ///< by trees
  std::map<passes::ValueId, std::vector<Element>> elements_;
  std::map<passes::ValueId, bool> single_;
  std::vector<char> folded_;
  base::Digest seed_{};  ///< of decoys
};

}  // namespace tacit::graph::quant
