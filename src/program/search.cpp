#include "program/search.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "base/error.h"

namespace tacit::program {
namespace {

constexpr std::int64_t kMostCandidates = std::int64_t{1} << 40;
constexpr int kRandomStarts = 24;
constexpr double kImpossible = std::numeric_limits<double>::infinity();

class Search {
 public:
  Search(const SearchSpace& space, const SearchRequest& request, const PriceCandidate& price)
      : space_(space), request_(request), price_(price) {}

  SearchResult run() {
    const auto start = std::chrono::steady_clock::now();
    SearchResult result;
    result.exhaustive = request_.starts.empty() && space_.size() <= request_.exhaustive_limit;
    if (result.exhaustive)
      all();
    else
      walks();
    for (const auto& [candidate, cost] : known_) {
      if (!cost || excess(*cost) > 0) continue;
      ++result.feasible;
      result.best.push_back({candidate, *cost});
    }
    std::stable_sort(result.best.begin(), result.best.end(),
                     [&](const PricedCandidate& a, const PricedCandidate& b) { return rank(a.cost) < rank(b.cost); });
    // Options that change nothing about a packing are one candidate.
    const auto same = [&](const PricedCandidate& a, const PricedCandidate& b) {
      return a.candidate.exponents == b.candidate.exponents && rank(a.cost) == rank(b.cost);
    };
    result.best.erase(std::unique(result.best.begin(), result.best.end(), same), result.best.end());
    if (result.best.size() > request_.keep) result.best.resize(request_.keep);
    result.priced = static_cast<std::int64_t>(known_.size());
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 private:
  using Rank = std::array<double, 4>;

  /// By how much a cost breaks the bounds: the sum of the relative excesses.
  double excess(const CandidateCost& cost) const {
    const auto over = [](double value, const std::optional<double>& bound) {
      return bound && value > *bound ? value / *bound - 1 : 0;
    };
    return over(cost.latency, request_.latency) + over(cost.memory, request_.memory);
  }
  Rank rank(const CandidateCost& cost) const {
    switch (request_.objective) {
      case Objective::throughput: return {excess(cost), cost.amortised, cost.latency, cost.memory};
      case Objective::memory: return {excess(cost), cost.memory, cost.latency, cost.amortised};
      case Objective::latency: break;
    }
    return {excess(cost), cost.latency, cost.amortised, cost.memory};
  }
  const std::optional<CandidateCost>& cost_of(const Candidate& candidate) {
    const auto [entry, absent] = known_.try_emplace(candidate);
    if (absent) entry->second = price_(candidate);
    return entry->second;
  }
  Rank rank_of(const Candidate& candidate) {
    const auto& cost = cost_of(candidate);
    return cost ? rank(*cost) : Rank{kImpossible, 0, 0, 0};
  }

  void all() {
    Candidate candidate{std::vector<int>(parts() * stages()), std::vector<int>(space_.option_counts.size())};
    exponents_from(candidate, 0, space_.total);
  }
  /// The last part of a stage takes all that is left.
  void exponents_from(Candidate& candidate, std::size_t part, int left) {
    if (part == candidate.exponents.size()) return options_from(candidate, 0);
    const bool last = (part + 1) % parts() == 0;
    for (int e = last ? left : 0; e <= left; ++e) {
      candidate.exponents[part] = e;
      exponents_from(candidate, part + 1, last ? space_.total : left - e);
    }
  }
  void options_from(Candidate& candidate, std::size_t option) {
    if (option == candidate.options.size())
      cost_of(candidate);
    else
      for (int value = 0; value < space_.option_counts[option]; ++value) {
        candidate.options[option] = value;
        options_from(candidate, option + 1);
      }
  }

  void walks() {
    for (const Candidate& start : request_.starts) walk(start);
    if (!request_.starts.empty()) return;
    const std::size_t all = parts() * stages();
    Candidate start{std::vector<int>(all), std::vector<int>(space_.option_counts.size())};
    for (std::size_t part = 0; part < parts(); ++part) {
      start.exponents.assign(all, 0);
      for (std::size_t i = part; i < all; i += parts()) start.exponents[i] = space_.total;
      walk(start);
    }
    for (std::size_t i = 0; i < all; ++i)
      start.exponents[i] =
          space_.total / space_.parts + (static_cast<int>(i % parts()) < space_.total % space_.parts ? 1 : 0);
    walk(start);
    std::mt19937 random(request_.seed);
    for (int k = 0; k < kRandomStarts; ++k) {
      start.exponents.assign(all, 0);
      for (std::size_t stage = 0; stage < stages(); ++stage)
        for (int i = 0; i < space_.total; ++i) ++start.exponents[stage * parts() + random() % parts()];
      for (std::size_t o = 0; o < start.options.size(); ++o)
        start.options[o] = static_cast<int>(random() % static_cast<unsigned>(space_.option_counts[o]));
      walk(start);
    }
  }
  void walk(Candidate at) {
    Rank here = rank_of(at);
    for (bool moved = true; moved && static_cast<std::int64_t>(known_.size()) < request_.most;) {
      moved = false;
      Candidate best;
      const auto look = [&](const Candidate& next) {
        const Rank there = rank_of(next);
        if (there >= here) return;
        here = there;
        best = next;
        moved = true;
      };
      for (std::size_t from = 0; from < at.exponents.size(); ++from)
        for (std::size_t to = 0; to < at.exponents.size(); ++to) {
          if (from == to || from / parts() != to / parts() || at.exponents[from] == 0) continue;
          Candidate next = at;
          --next.exponents[from];
          ++next.exponents[to];
          look(next);
        }
      for (std::size_t o = 0; o < at.options.size(); ++o)
        for (int value = 0; value < space_.option_counts[o]; ++value) {
          if (value == at.options[o]) continue;
          Candidate next = at;
          next.options[o] = value;
          look(next);
        }
      if (moved) at = best;
    }
  }

  std::size_t parts() const { return static_cast<std::size_t>(space_.parts); }
  std::size_t stages() const { return static_cast<std::size_t>(space_.stages); }

  const SearchSpace& space_;
  const SearchRequest& request_;
  const PriceCandidate& price_;
  std::map<Candidate, std::optional<CandidateCost>> known_;
};

}  // namespace

std::int64_t SearchSpace::size() const {
  // The ways to share `total` out: (total + parts - 1) over (parts - 1).
  double count = 1;
  for (int i = 1; i < parts; ++i) count *= static_cast<double>(total + i) / i;
  count = std::pow(count, stages);
  for (const int options : option_counts) count *= options;
  return count < static_cast<double>(kMostCandidates) ? std::llround(count) : kMostCandidates;
}

SearchResult search(const SearchSpace& space, const SearchRequest& request, const PriceCandidate& price) {
  if (space.parts < 1 || space.total < 0 || space.stages < 1 ||
      std::any_of(space.option_counts.begin(), space.option_counts.end(), [](int n) { return n < 1; }))
    throw base::InputError("search: there is nothing to choose from");
  return Search(space, request, price).run();
}

SearchResult search_stages(SearchSpace space, const Stages& stages, const SearchRequest& request,
                           const PriceCandidate& price) {
  const SearchResult same = search(space, request, price);
  if (stages.count == 1 || same.best.empty()) return same;
  space.stages = stages.count;
  if (stages.changes > 0) space.option_counts.push_back(stages.changes);
  SearchRequest walks = request;
  walks.most = stages.most(same.best.front().candidate);
  for (const PricedCandidate& found : same.best) {
    Candidate start = found.candidate;
    for (int stage = 1; stage < stages.count; ++stage)
      start.exponents.insert(start.exponents.end(), found.candidate.exponents.begin(), found.candidate.exponents.end());
    if (stages.changes == 0) walks.starts.push_back(start);
    for (int change = 0; change < stages.changes; ++change) {
      walks.starts.push_back(start);
      walks.starts.back().options.push_back(change);
    }
  }
  SearchResult changed = search(space, walks, price);
  changed.priced += same.priced;
  changed.feasible += same.feasible;
  changed.seconds += same.seconds;
  return changed;
}

}  // namespace tacit::program
