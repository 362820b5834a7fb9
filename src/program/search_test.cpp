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

}  // namespace
}  // namespace tacit::program
