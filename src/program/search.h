#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tacit::program {

/// A candidate. Its exponents divide log2 of the slots among the tile extents, once for every stage of the computation.
/// One number follows for each further option.
struct Candidate {
  std::vector<int> exponents;  ///< stage by stage
  std::vector<int> options;
  auto operator<=>(const Candidate&) const = default;
};

/// The cost of a candidate.
struct CandidateCost {
  double latency = 0;    ///< seconds until the results of one batch are available
  double amortised = 0;  ///< seconds per item
  double memory = 0;     ///< bytes of keys and of the arrays alive together
};

enum class Objective { latency, throughput, memory };

/// All ways to divide `total` among `parts` exponents in every stage, times all settings of the options.
struct SearchSpace {
  int parts = 1;
  int total = 0;
  std::vector<int> option_counts;
  int stages = 1;
  /// Returns the number of candidates; it saturates at 2^40.
  std::int64_t size() const;
};

struct SearchRequest {
  Objective objective = Objective::latency;
  std::optional<double> latency, memory;    ///< upper bounds
  std::int64_t exhaustive_limit = 200'000;  ///< larger spaces are walked by local search
  std::size_t keep = 10;
  unsigned seed = 1;  ///< of the starting points of the walks
  /// If there are any, walks start from these alone, even in a small space.
  std::vector<Candidate> starts{};
  std::int64_t most = std::int64_t{1} << 40;  ///< walks end after this number of priced candidates
};

struct PricedCandidate {
  Candidate candidate;
  CandidateCost cost;
};

struct SearchResult {
  std::vector<PricedCandidate>
      best;  ///< the best candidates within the bounds, best first; of equal ones with the same extents, the first
  std::int64_t priced = 0;    ///< prices asked for, each candidate once
  std::int64_t feasible = 0;  ///< number of them within the bounds
  double seconds = 0;
  bool exhaustive = false;
};

/// Returns the price of a candidate, or nothing if the computation does not fit it.
using PriceCandidate = std::function<std::optional<CandidateCost>(const Candidate&)>;

/// Finds the best candidates. A small space is searched completely. In a large one, walks end at the candidates
/// returned. A step moves a factor of two from one extent to another or changes one option, as long as that improves
/// the objective. A broken bound counts first, by its excess. Walks start from each extreme, the balanced candidate and
/// random ones. Equal prices keep the order of candidates, so that a search is repeatable. Throws InputError if the
/// space is empty.
SearchResult search(const SearchSpace& space, const SearchRequest& request, const PriceCandidate& price);

/// A computation whose stages may differ.
struct Stages {
  int count = 1;
  int changes = 0;  ///< settings of one more option, which matters if stages differ; 0: there is none
  /// Returns the number of candidates that walks may price, given the best one whose stages agree.
  std::function<std::int64_t(const Candidate& best)> most;
};
/// Finds the best candidates with one setting for all stages (`space` is that of one stage). Walks then start from
/// these, with every change, through all stages. The result counts both searches.
SearchResult search_stages(SearchSpace space, const Stages& stages, const SearchRequest& request,
                           const PriceCandidate& price);

}  // namespace tacit::program
