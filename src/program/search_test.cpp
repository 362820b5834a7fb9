#include "program/search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace tacit::program {
namespace {

/// A bowl with its bottom at `bottom`; the option adds nothing at 1.
PriceCandidate bowl(const std::vector<int>& bottom) {
  return [bottom](const Candidate& candidate) -> std::optional<CandidateCost> {
    double distance = candidate.options.empty() ? 0 : std::abs(candidate.options[0] - 1) * 0.25;
    for (std::size_t i = 0; i < bottom.size(); ++i) distance += std::pow(candidate.exponents[i] - bottom[i], 2);
    return CandidateCost{1 + distance, 1 / (1 + distance), 100 - distance};
  };
}

TEST(Search, CountsItsSpace) {
  EXPECT_EQ((SearchSpace{2, 14, {}}).size(), 15);
  EXPECT_EQ((SearchSpace{3, 13, {}}).size(), 105);
  EXPECT_EQ((SearchSpace{5, 15, {}}).size(), 3876);
  EXPECT_EQ((SearchSpace{2, 14, {2, 3}}).size(), 90);
  EXPECT_EQ((SearchSpace{40, 60, {9}}).size(), std::int64_t{1} << 40);
  EXPECT_EQ((SearchSpace{3, 14, {3, 3}, 2}).size(), 120 * 120 * 9);
}

TEST(Search, PricesEveryCandidateOfASmallSpaceOnce) {
  int calls = 0;
  const SearchResult result = search({3, 13, {2}}, {}, [&](const Candidate& c) {
    ++calls;
    return bowl({4, 4, 5})(c);
  });
  EXPECT_TRUE(result.exhaustive);
  EXPECT_EQ(calls, 210);
  EXPECT_EQ(result.priced, 210);
  EXPECT_EQ(result.feasible, 210);
  ASSERT_EQ(result.best.size(), 10u);
  EXPECT_EQ(result.best[0].candidate.exponents, (std::vector<int>{4, 4, 5}));
  EXPECT_EQ(result.best[0].candidate.options, (std::vector<int>{1}));
  for (std::size_t i = 1; i < result.best.size(); ++i)
    EXPECT_LE(result.best[i - 1].cost.latency, result.best[i].cost.latency);
}

TEST(Search, ObjectivesAndBounds) {
  SearchRequest request;
  request.objective = Objective::throughput;
  request.latency = 20;
  const SearchResult fast = search({2, 10, {}}, request, bowl({5, 5}));
  // The largest distance within the bound: (2, 8) and (8, 2), 1 + 18.
  EXPECT_DOUBLE_EQ(fast.best[0].cost.latency, 19);
  EXPECT_EQ(fast.feasible, 7);
  request.objective = Objective::memory;
  request.latency.reset();
  request.memory = 60;
  EXPECT_DOUBLE_EQ(search({2, 10, {}}, request, bowl({5, 5})).best[0].cost.memory, 50);
  request.memory = 1;
  EXPECT_TRUE(search({2, 10, {}}, request, bowl({5, 5})).best.empty());
}

TEST(Search, WalksALargeSpaceToTheSameBest) {
  SearchRequest request;
  request.exhaustive_limit = 10;
  const SearchResult walked = search({5, 15, {3}}, request, bowl({1, 6, 0, 5, 3}));
  EXPECT_FALSE(walked.exhaustive);
  EXPECT_EQ(walked.best[0].candidate.exponents, (std::vector<int>{1, 6, 0, 5, 3}));
  EXPECT_EQ(walked.best[0].candidate.options, (std::vector<int>{1}));
  EXPECT_LT(walked.priced, 3876 * 3);
}

TEST(Search, SharesTheSlotsOutInEveryStage) {
  const SearchSpace space{2, 6, {}, 2};
  SearchRequest request;
  const SearchResult all = search(space, request, bowl({1, 5, 4, 2}));
  EXPECT_EQ(all.priced, 49);
  EXPECT_EQ(all.best[0].candidate.exponents, (std::vector<int>{1, 5, 4, 2}));
  for (const PricedCandidate& c : all.best) {
    EXPECT_EQ(c.candidate.exponents[0] + c.candidate.exponents[1], 6);
    EXPECT_EQ(c.candidate.exponents[2] + c.candidate.exponents[3], 6);
  }
  request.exhaustive_limit = 1;
  EXPECT_EQ(search(space, request, bowl({1, 5, 4, 2})).best[0].candidate, all.best[0].candidate);
  request.starts = {{{3, 3, 3, 3}, {}}};
  const SearchResult walked = search(space, request, bowl({1, 5, 4, 2}));
  EXPECT_EQ(walked.best[0].candidate, all.best[0].candidate);
  EXPECT_LT(walked.priced, 20);
  request.most = 2;
  EXPECT_LE(search(space, request, bowl({1, 5, 4, 2})).priced, 6);
}

TEST(Search, WalksAmongCandidatesThatShareOutAllSlots) {
  SearchRequest request;
  request.exhaustive_limit = 1;
  // The slots do not divide evenly among three parts.
  const SearchResult walked = search({3, 7, {}, 2}, request, [](const Candidate& c) {
    for (const std::size_t stage : {0, 3})
      EXPECT_EQ(c.exponents[stage] + c.exponents[stage + 1] + c.exponents[stage + 2], 7);
    return bowl({2, 2, 3, 1, 5, 1})(c);
  });
  EXPECT_EQ(walked.best[0].candidate.exponents, (std::vector<int>{2, 2, 3, 1, 5, 1}));
}

TEST(Search, LeavesOutWhatDoesNotFit) {
  const SearchResult result = search({2, 4, {}}, {}, [](const Candidate& c) {
    return c.exponents[0] % 2 == 0 ? bowl({2, 2})(c) : std::nullopt;
  });
  EXPECT_EQ(result.priced, 5);
  EXPECT_EQ(result.feasible, 3);
  EXPECT_THROW(search({0, 4, {}}, {}, bowl({})), base::InputError);
  EXPECT_THROW(search({2, 4, {0}}, {}, bowl({2, 2})), base::InputError);
}

/// Of stages whose own best shares of six slots differ, (1, 5) and (4, 2); one stage stands for both.
PriceCandidate two_stages(int& calls) {
  return [&calls](const Candidate& candidate) {
    ++calls;
    Candidate whole = candidate;
    if (whole.exponents.size() == 2)
      whole.exponents.insert(whole.exponents.end(), candidate.exponents.begin(), candidate.exponents.end());
    return bowl({1, 5, 4, 2})(whole);
  };
}

TEST(SearchStages, WalksFromTheBestOfOneSettingToTheBestOfEach) {
  int calls = 0;
  std::vector<Candidate> asked;
  Stages stages{.count = 2, .changes = 0, .most = [&](const Candidate& best) {
                  asked.push_back(best);
                  return std::int64_t{1000};
                }};
  const SearchResult found = search_stages({2, 6, {}}, stages, {}, two_stages(calls));
  ASSERT_FALSE(found.best.empty());
  EXPECT_EQ(found.best[0].candidate, (Candidate{{1, 5, 4, 2}, {}}));
  EXPECT_DOUBLE_EQ(found.best[0].cost.latency, 1);
  // 2 (1, 1) + 2 (2, 2) away on both sides, (2, 4) and (3, 3) are equal; the first of them is the best of one setting.
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0], (Candidate{{2, 4}, {}}));
  EXPECT_EQ(found.priced, calls);
  EXPECT_EQ(found.feasible, calls);
  EXPECT_GT(found.priced, 7);
  EXPECT_FALSE(found.exhaustive);
  // Where no candidate may be priced any more, the starts alone are.
  stages.most = [](const Candidate&) { return std::int64_t{0}; };
  calls = 0;
  const SearchResult none = search_stages({2, 6, {}}, stages, {}, two_stages(calls));
  EXPECT_EQ(none.priced, 7 + 7) << "the starts alone";
  EXPECT_EQ(none.best[0].candidate, (Candidate{{2, 4, 2, 4}, {}}));
}

TEST(SearchStages, EveryChangeBetweenStagesIsTried) {
  int calls = 0;
  const Stages stages{.count = 2, .changes = 3, .most = [](const Candidate&) { return std::int64_t{1000}; }};
  const SearchResult found = search_stages({2, 6, {}}, stages, {}, two_stages(calls));
  EXPECT_EQ(found.best[0].candidate, (Candidate{{1, 5, 4, 2}, {1}}));
  EXPECT_EQ(found.priced, calls);
  // A walk of no step prices the start with each of the three changes.
  const Stages still{.count = 2, .changes = 3, .most = [](const Candidate&) { return std::int64_t{0}; }};
  EXPECT_EQ(search_stages({2, 6, {}}, still, {}, two_stages(calls)).priced, 7 + 3 * 7);
}

TEST(SearchStages, OneStageIsSearchedOnceAndWhatDoesNotFitIsNotWalked) {
  int calls = 0;
  const Stages one{.count = 1, .changes = 3, .most = nullptr};
  const SearchResult single = search_stages({2, 6, {}}, one, {}, two_stages(calls));
  EXPECT_EQ(single.priced, 7);
  EXPECT_TRUE(single.exhaustive);
  const Stages two{.count = 2, .changes = 0, .most = nullptr};
  const SearchResult nothing = search_stages({2, 6, {}}, two, {}, [](const Candidate&) { return std::nullopt; });
  EXPECT_TRUE(nothing.best.empty());
  EXPECT_EQ(nothing.priced, 7);
  EXPECT_EQ(nothing.feasible, 0);
}

TEST(Search, KeepsTheBestThatWereAskedForAndPackingsOnce) {
  SearchRequest request;
  request.keep = 3;
  EXPECT_EQ(search({3, 13, {}}, request, bowl({4, 4, 5})).best.size(), 3u);
  // An option that changes nothing makes no other packing.
  const SearchResult same = search({2, 2, {4}}, {}, [](const Candidate& c) -> std::optional<CandidateCost> {
    return CandidateCost{1.0 + c.exponents[0], 1, 1};
  });
  EXPECT_EQ(same.priced, 12);
  ASSERT_EQ(same.best.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(same.best[i].candidate.exponents[0], static_cast<int>(i));
    EXPECT_EQ(same.best[i].candidate.options[0], 0);
  }
}

TEST(Search, BoundsThatAreBrokenAddUp) {
  SearchRequest request;
  request.latency = 10;
  request.memory = 10;
  request.exhaustive_limit = 1;
  // Both are broken alike but for the last candidate, which keeps them.
  const auto price = [](const Candidate& c) -> std::optional<CandidateCost> {
    const double cost = c.exponents[0] == 6 ? 5 : 20 - c.exponents[0];
    return CandidateCost{cost, 1, cost};
  };
  const SearchResult walked = search({2, 6, {}}, request, price);
  ASSERT_EQ(walked.best.size(), 1u);
  EXPECT_EQ(walked.best[0].candidate.exponents[0], 6);
  EXPECT_EQ(walked.feasible, 1);
  // What exactly keeps a bound is within it.
  request.latency = request.memory = 5;
  EXPECT_EQ(search({2, 6, {}}, request, price).feasible, 1);
  request.memory = 4.99;
  EXPECT_EQ(search({2, 6, {}}, request, price).feasible, 0);
}

TEST(Search, HasItsDefaults) {
  const SearchRequest request;
  EXPECT_EQ(request.objective, Objective::latency);
  EXPECT_EQ(request.exhaustive_limit, 200000);
  EXPECT_EQ(request.keep, 10U);
  EXPECT_EQ(request.seed, 1U);
  EXPECT_EQ(request.most, std::int64_t{1} << 40);
  EXPECT_EQ(SearchSpace{}.size(), 1);
}

TEST(Search, TheLeastThatThereIsToChooseFromIsOneCandidate) {
  const SearchResult one = search({1, 0, {1}, 1}, {}, bowl({0}));
  EXPECT_EQ(one.priced, 1);
  EXPECT_EQ(one.best.at(0).candidate, (Candidate{{0}, {0}}));
  EXPECT_EQ(search({1, 4, {}}, {}, bowl({0})).best.at(0).candidate.exponents, (std::vector<int>{4}));
  EXPECT_THROW(search({1, -1, {}}, {}, bowl({0})), base::InputError);
  EXPECT_THROW(search({1, 4, {}, 0}, {}, bowl({0})), base::InputError);
  EXPECT_THROW(search({1, 4, {1, 0}}, {}, bowl({0})), base::InputError);
  // A space of as many candidates as the limit is searched whole.
  SearchRequest request;
  request.exhaustive_limit = 5;
  EXPECT_TRUE(search({2, 4, {}}, request, bowl({2, 2})).exhaustive);
  request.exhaustive_limit = 4;
  EXPECT_FALSE(search({2, 4, {}}, request, bowl({2, 2})).exhaustive);
}

// Of equal candidates by the objective the other two decide, in an order of its own.
TEST(Search, TiesAreBrokenByTheOtherCosts) {
  const auto first = [](Objective objective, const CandidateCost& zero, const CandidateCost& one) {
    SearchRequest request;
    request.objective = objective;
    const SearchResult found = search({2, 1, {}}, request, [&](const Candidate& c) -> std::optional<CandidateCost> {
      return c.exponents[0] == 0 ? zero : one;
    });
    return found.best.at(0).candidate.exponents[0];
  };
  // Latency, seconds an item, memory.
  EXPECT_EQ(first(Objective::latency, {1, 3, 1}, {1, 2, 9}), 1);
  EXPECT_EQ(first(Objective::latency, {1, 2, 9}, {1, 2, 1}), 1);
  EXPECT_EQ(first(Objective::throughput, {3, 1, 1}, {2, 1, 9}), 1);
  EXPECT_EQ(first(Objective::throughput, {2, 1, 9}, {2, 1, 1}), 1);
  EXPECT_EQ(first(Objective::memory, {3, 1, 1}, {2, 9, 1}), 1);
  EXPECT_EQ(first(Objective::memory, {2, 9, 1}, {2, 1, 1}), 1);
}

// A walk stops where as many candidates were priced as were asked for, after the neighbours of a place.
TEST(Search, WalksEndWhereEnoughWasPriced) {
  SearchRequest request;
  request.starts = {{{3, 3, 3, 3}, {}}};
  const auto priced = [&](std::int64_t most) {
    request.most = most;
    return search({2, 6, {}, 2}, request, bowl({1, 5, 4, 2})).priced;
  };
  EXPECT_EQ(priced(0), 1);
  EXPECT_EQ(priced(1), 1);
  EXPECT_EQ(priced(2), 5);  // one more or less on either side of two stages
  EXPECT_EQ(priced(5), 5);
  EXPECT_GT(priced(6), 5);
}

// Where nothing is better than anything else a walk is its start and the neighbours of that: of a start without empty
// parts 6 * 5 moves and two other options, of an extreme one five moves and the options.
TEST(Search, WalksStartFromExtremesTheBalancedCandidateAndRandomOnes) {
  int calls = 0;
  std::vector<int> of_option(3);
  const SearchResult walked = search({6, 300, {3}}, {}, [&](const Candidate& c) -> std::optional<CandidateCost> {
    ++calls;
    EXPECT_EQ(c.options.size(), 1U);
    ++of_option.at(static_cast<std::size_t>(c.options[0]));
    int sum = 0;
    for (const int exponent : c.exponents) {
      EXPECT_GE(exponent, 0);
      sum += exponent;
    }
    EXPECT_EQ(sum, 300);
    return CandidateCost{1, 1, 1};
  });
  EXPECT_FALSE(walked.exhaustive);
  EXPECT_EQ(walked.priced, 6 * (1 + 5 + 2) + (1 + 24) * (1 + 30 + 2));
  EXPECT_EQ(calls, walked.priced);
  // Random starts have random options: but for that each of the others would be looked at once a start.
  for (const std::size_t option : {1, 2}) EXPECT_GT(of_option[option], 100);
}

// Behind a start that breaks the bounds lies one candidate that breaks one of them by much, and on the other side one
// that breaks both by little. Only behind the latter lies one that keeps them.
TEST(Search, BoundsAreBrokenByShares) {
  const auto best = [](const CandidateCost& by_much, const CandidateCost& by_little) {
    SearchRequest request;
    request.latency = 10;
    request.memory = 1000;
    request.starts = {{{2, 2}, {}}};
    const std::vector<std::optional<CandidateCost>> costs{std::nullopt, by_much, CandidateCost{60, 1, 1000}, by_little,
                                                          CandidateCost{9, 1, 900}};
    const SearchResult found = search(
        {2, 4, {}}, request, [&](const Candidate& c) { return costs.at(static_cast<std::size_t>(c.exponents[0])); });
    return found.best.empty() ? -1 : found.best[0].candidate.exponents[0];
  };
  EXPECT_EQ(best({30, 1, 1000}, {11, 1, 1100}), 4);
  EXPECT_EQ(best({10, 1, 3000}, {15, 1, 1400}), 4);
  EXPECT_EQ(best({15, 1, 1000}, {13, 1, 1300}), -1) << "0.5 is less than 0.6";
}

TEST(Search, CostsAndStagesAreNoneUnlessTheySay) {
  const CandidateCost cost;
  EXPECT_EQ(cost.latency, 0);
  EXPECT_EQ(cost.amortised, 0);
  EXPECT_EQ(cost.memory, 0);
  const Stages stages;
  EXPECT_EQ(stages.count, 1);
  EXPECT_EQ(stages.changes, 0);
  const SearchResult result;
  EXPECT_EQ(result.priced, 0);
  EXPECT_EQ(result.feasible, 0);
  EXPECT_FALSE(result.exhaustive);
}

// Of two options as of one: a start has four neighbours by them, and random starts have both at random.
TEST(Search, WalksChangeEveryOption) {
  std::vector<std::vector<int>> of_option(2, std::vector<int>(3));
  const SearchResult walked = search({6, 300, {3, 3}}, {}, [&](const Candidate& c) -> std::optional<CandidateCost> {
    for (std::size_t o = 0; o < 2; ++o) ++of_option[o].at(static_cast<std::size_t>(c.options.at(o)));
    return CandidateCost{1, 1, 1};
  });
  EXPECT_EQ(walked.priced, 6 * (1 + 5 + 4) + (1 + 24) * (1 + 30 + 4));
  // An option that random starts do not draw would have each other setting looked at once a start.
  for (const std::vector<int>& settings : of_option)
    for (const std::size_t setting : {1, 2}) EXPECT_GT(settings[setting], 100);
}

TEST(Search, ABoundOfNothingIsKeptByWhatCostsNothing) {
  SearchRequest request;
  request.memory = 0;
  const SearchResult found = search({2, 4, {}}, request, [](const Candidate& c) -> std::optional<CandidateCost> {
    return CandidateCost{5.0 - c.exponents[0], 1, 0};
  });
  EXPECT_EQ(found.feasible, 5);
  EXPECT_EQ(found.best.at(0).candidate.exponents, (std::vector<int>{4, 0}));
}

TEST(SearchStages, OneSettingOfTheChangeIsAnOption) {
  int calls = 0;
  const Stages stages{.count = 2, .changes = 1, .most = [](const Candidate&) { return std::int64_t{1000}; }};
  const SearchResult found = search_stages({2, 6, {}}, stages, {}, two_stages(calls));
  EXPECT_EQ(found.best.at(0).candidate, (Candidate{{1, 5, 4, 2}, {0}}));
  EXPECT_EQ(found.priced, calls);
}

TEST(Search, ASpaceIsOneExponentOfNothingUnlessItSays) {
  EXPECT_EQ(SearchSpace{}.parts, 1);
  EXPECT_EQ(SearchSpace{}.total, 0);
  EXPECT_EQ(SearchSpace{}.stages, 1);
  EXPECT_EQ(SearchResult{}.seconds, 0);
}

}  // namespace
}  // namespace tacit::program
