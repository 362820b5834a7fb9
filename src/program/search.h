#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tacit::program {

/// A candidate: how log2 of the slots is shared out among the tile extents, once for every stage of the computation,
/// then one number for each further option.
struct Candidate {
  std::vector<int> exponents;  ///< stage by stage
  std::vector<int> options;
  auto operator<=>(const Candidate&) const = default;
};

/// What a candidate costs.
struct CandidateCost {
  double latency = 0;    ///< seconds until the results of one batch are there
  double amortised = 0;  ///< seconds an item
  double memory = 0;     ///< bytes of keys and of the arrays alive together
};

enum class Objective { latency, throughput, memory };

/// All ways to share `total` out among `parts` exponents in every stage, times all settings of the options.
struct SearchSpace {
  int parts = 1;
  int total = 0;
  std::vector<int> option_counts;
  int stages = 1;
  /// Number of candidates; saturates at 2^40.
  std::int64_t size() const;
};

struct SearchRequest {
  Objective objective = Objective::latency;
  std::optional<double> latency, memory;    ///< upper bounds
  std::int64_t exhaustive_limit = 200'000;  ///< larger spaces are walked by local search
  std::size_t keep = 10;
  unsigned seed = 1;  ///< of the starting points of the walks
  /// If there are any, walks start from these alone, and no space is too small for walks.
  std::vector<Candidate> starts{};
  std::int64_t most = std::int64_t{1} << 40;  ///< walks end when so many candidates were priced
};

struct PricedCandidate {
  Candidate candidate;
  CandidateCost cost;
};

struct SearchResult {
  std::vector<PricedCandidate>
      best;                   ///< that keep the bounds, best first; of equal ones with the same extents, the first
  std::int64_t priced = 0;    ///< prices asked for, each candidate once
  std::int64_t feasible = 0;  ///< of them within the bounds
  double seconds = 0;
  bool exhaustive = false;
};

/// The price of a candidate, or nothing if the computation does not fit it.
using PriceCandidate = std::function<std::optional<CandidateCost>(const Candidate&)>;

/// Finds the best candidates: all of a small space; of a large one, the ends of walks that move a factor of two from
/// one extent to another or change one option while that improves the objective (a bound that is broken counts first,
/// by how much). Walks start from each extreme, the balanced one and random ones. Equal prices keep the order of
/// candidates, so that a search is repeatable. Throws InputError if the space is empty.
SearchResult search(const SearchSpace& space, const SearchRequest& request, const PriceCandidate& price);

/// A computation whose stages may differ.
struct Stages {
  int count = 1;
  int changes = 0;  ///< settings of one more option, which matters where stages differ; 0: there is none
  /// How many candidates may be priced in walks, by the best one whose stages agree.
  std::function<std::int64_t(const Candidate& best)> most;
};
/// First the best candidates with one setting for all stages (`space` is that of one stage), then walks from these,
/// with every change, through all stages. The result counts both searches.
SearchResult search_stages(SearchSpace space, const Stages& stages, const SearchRequest& request,
                           const PriceCandidate& price);

}  // namespace tacit::program
