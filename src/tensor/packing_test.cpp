#include "tensor/packing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <tuple>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "params/requirement.h"
#include "tensor/random_tiles_for_test.h"
#include "tensor/session.h"

namespace tacit::tensor {
namespace {

using slots::Unit;

constexpr int kLogSlots = 14;

std::shared_ptr<CostSession> published_reading() { return cost_session(params::parameters_for(params::Requirement{})); }

PackedComputation::Extents split(int alpha) { return {Index{1} << alpha, Index{1} << (kLogSlots - alpha)}; }

struct Counts {
  Index batches, products, sums, rotations, tiles;
};

Counts counts(const PackedComputation& computation, const PackedComputation::Extents& extents,
              const PackingOptions& options) {
  const auto cost = published_reading();
  price_packing(cost, computation, extents, options, computation.depth);
  const slots::Cost& read = cost->cost();
  // A rotation of a sum comes with one addition; the published count is that of tiles.
  return {computation.batches(extents), read.work.count(Unit::product),
          read.work.count(Unit::add) - read.work.count(Unit::rotate), read.work.rotations(),
          read.work.count(Unit::encrypt)};
}

TEST(Packing, RegressionTakesThePublishedCounts) {
  const PackedComputation computation = regression(10000, 100);
  const Counts ten = counts(computation, split(10), PackingOptions::published());
  EXPECT_EQ(ten.batches, 10);
  EXPECT_EQ(ten.products, 7);
  EXPECT_EQ(ten.sums, 6);
  EXPECT_EQ(ten.rotations, 4);
  const Counts eight = counts(computation, split(8), PackingOptions::published());
  EXPECT_EQ(eight.batches, 40);
  EXPECT_EQ(eight.products, 2);
  EXPECT_EQ(eight.sums, 1);
  EXPECT_EQ(eight.rotations, 6);
}

TEST(Packing, TheSweepIsExplained) {
  std::vector<double> latency, amortised, memory;
  const auto cost = published_reading();
  for (int alpha = 0; alpha <= kLogSlots; ++alpha) {
    const PackedComputation computation = inner_products(Index{1} << alpha, 32);
    const Counts c = counts(computation, split(alpha), PackingOptions::published());
    EXPECT_EQ(c.rotations, kLogSlots - alpha) << alpha;
    EXPECT_EQ(c.products, alpha <= 9 ? 1 : Index{1} << (alpha - 9)) << alpha;
    EXPECT_EQ(c.tiles, 2 * c.products);
    const program::CandidateCost price =
        price_packing(cost, computation, split(alpha), PackingOptions::published(), cost->max_level());
    latency.push_back(price.latency);
    amortised.push_back(price.amortised);
    memory.push_back(cost->cost().peak_bytes);
  }
  // At alpha 0 only rotations are dear and every step to the right saves one; at 14 none is left and the tiles double.
  EXPECT_GT(latency[0], latency[1]);
  EXPECT_GT(latency[14], latency[13]);
  for (std::size_t i = 1; i < latency.size(); ++i) {
    EXPECT_LT(amortised[i], amortised[i - 1]) << i;
    EXPECT_GE(memory[i], memory[i - 1]) << i;
  }
  const auto lowest = static_cast<std::size_t>(std::min_element(latency.begin(), latency.end()) - latency.begin());
  EXPECT_GT(lowest, 5u);
  EXPECT_LT(lowest, 14u);
}

TEST(Packing, SumsOnlyPlacesThatHoldValuesAndSharesRelinearisations) {
  const PackingOptions ours;
  for (int alpha = 0; alpha <= kLogSlots; ++alpha) {
    const Counts c = counts(inner_products(Index{1} << alpha, 32), split(alpha), ours);
    EXPECT_EQ(c.rotations, std::min(5, kLogSlots - alpha)) << alpha;
  }
  const auto cost = published_reading();
  price_packing(cost, regression(10000, 100), split(10), ours, 1);
  EXPECT_EQ(cost->count(Unit::product), 7);
  EXPECT_EQ(cost->count(Unit::relinearise), 1);
}

TEST(Packing, FourMatricesTakeThePublishedChain) {
  const PackedComputation chain = matrix_chain({4, 5, 6, 7, 8});
  EXPECT_EQ(chain.depth, 4);
  const PackedComputation::Extents extents{16, 16, 64};
  const auto clear = clear_session(16384, 8);
  std::vector<Dense> matrices;
  testing::RandomTiles random(64, 3);
  const auto inputs = encrypt_inputs(clear, chain, extents, 4, [&](std::size_t, const Shape& sizes) {
    matrices.push_back(random.tensor(sizes));
    return matrices.back();
  });
  std::vector<std::string> shapes;
  const TileTensor result =
      chain.compute(inputs, PackingOptions::published(), [&](const std::string& what, const TileTensor& t) {
        if (what != "product") shapes.push_back(what + " " + t.shape().to_string());
      });
  EXPECT_EQ(inputs[0].shape().to_string(), "{b 5|16}{a 4|16}{c copy 64}");
  EXPECT_EQ(inputs[1].shape().to_string(), "{b 5|16}{a copy 16}{c 6|64}");
  EXPECT_EQ(inputs[2].shape().to_string(), "{d 7|16}{a copy 16}{c 6|64}");
  EXPECT_EQ(inputs[3].shape().to_string(), "{d 7|16}{a copy 16}{e 8|64}");
  EXPECT_EQ(shapes, (std::vector<std::string>{
                        "M1 M2 summed {b copy 16}{a 4|16}{c 6|64}", "M1 M2 M3 summed {d 7|16}{a 4|16}{c 1|64 junk}",
                        "M1 M2 M3 cleared {d 7|16}{a 4|16}{c 1|64}", "M1 M2 M3 replicated {d 7|16}{a 4|16}{c copy 64}",
                        "M1 M2 M3 M4 summed {d copy 16}{a 4|16}{e 8|64}"}));
  EXPECT_EQ(result.shape().sizes(), (Shape{1, 4, 8}));
  Dense expected = testing::summed(testing::elementwise(matrices[0], matrices[1], '*'), 0);
  expected = testing::summed(testing::elementwise(expected, matrices[2], '*'), 2);
  testing::expect_holds(result, testing::summed(testing::elementwise(expected, matrices[3], '*'), 0));

  const Counts c = counts(chain, extents, PackingOptions::published());
  EXPECT_EQ(c.products, 3);
  EXPECT_EQ(c.rotations, 20);
  EXPECT_EQ(c.tiles, 4);
}

TEST(Packing, EveryPackingOfAComputationGivesTheSameNumbers) {
  const auto clear = clear_session(64, 8);
  testing::RandomTiles random(64, 4);
  std::vector<Dense> matrices;
  for (const Shape& sizes : {Shape{5, 4, 1}, Shape{5, 1, 6}, Shape{7, 1, 6}}) matrices.push_back(random.tensor(sizes));
  const PackedComputation chain = matrix_chain({4, 5, 6, 7});
  Dense expected = testing::summed(testing::elementwise(matrices[0], matrices[1], '*'), 0);
  expected = testing::summed(testing::elementwise(expected, matrices[2], '*'), 2);
  for (int first = 0; first <= 6; ++first)
    for (int second = 0; first + second <= 6; ++second)
      for (int hoist = 0; hoist < 3; ++hoist) {
        const program::Candidate candidate{{first, second, 6 - first - second}, {hoist}};
        const auto inputs = encrypt_inputs(clear, chain, extents_of(candidate), chain.depth,
                                           [&](std::size_t i, const Shape&) { return matrices[i]; });
        testing::expect_holds(chain.compute(inputs, options_of(candidate), {}), expected);
      }
}

TEST(Packing, StagesMayChangeTheirTiles) {
  const auto clear = clear_session(64, 8);
  testing::RandomTiles random(64, 5);
  const std::vector<Index> sizes{3, 5, 4, 6, 2, 3};
  const PackedComputation chain = matrix_chain(sizes);
  EXPECT_EQ(chain.stages, 2);
  std::vector<Dense> matrices;
  for (const TileShape& shape : chain.shapes({4, 4, 4})) matrices.push_back(random.tensor(shape.sizes()));
  Dense expected = testing::summed(testing::elementwise(matrices[0], matrices[1], '*'), 0);
  expected = testing::summed(testing::elementwise(expected, matrices[2], '*'), 2);
  expected = testing::summed(testing::elementwise(expected, matrices[3], '*'), 0);
  expected = testing::summed(testing::elementwise(expected, matrices[4], '*'), 2);
  int fitted = 0;
  for (const PackedComputation::Extents& extents :
       {PackedComputation::Extents{4, 4, 4, 16, 2, 2}, {64, 1, 1, 1, 1, 64}, {2, 4, 8, 2, 4, 8}, {8, 2, 4, 1, 64, 1}})
    for (const Change change : {Change::reshard, Change::sum_into}) {
      PackingOptions options;
      options.change = change;
      const auto inputs =
          encrypt_inputs(clear, chain, extents, chain.depth, [&](std::size_t i, const Shape&) { return matrices[i]; });
      testing::expect_holds(chain.compute(inputs, options, {}), expected);
      ++fitted;
    }
  EXPECT_EQ(fitted, 8);
  // Other tiles behind a mask do not fit.
  const auto inputs = encrypt_inputs(clear, chain, {4, 4, 4, 16, 2, 2}, chain.depth,
                                     [&](std::size_t i, const Shape&) { return matrices[i]; });
  EXPECT_THROW(chain.compute(inputs, {}, {}), base::InputError);
}

TEST(Packing, PlansPutReshardsWhereTheyPay) {
  const auto cost = published_reading();
  const PackedComputation chain = matrix_chain({4, 5, 6, 7, 8});
  const program::SearchResult plan = plan_packing(cost, chain, {});
  ASSERT_FALSE(plan.best.empty());
  double lowest = 1e9;  // of the same tiles throughout
  for (int first = 0; first <= kLogSlots; ++first)
    for (int second = 0; first + second <= kLogSlots; ++second)
      for (int hoist = 0; hoist < 3; ++hoist) {
        const program::Candidate same{{first, second, kLogSlots - first - second}, {hoist}};
        lowest = std::min(lowest, price_packing(cost, chain, extents_of(same), options_of(same), chain.depth).latency);
      }
  EXPECT_LE(plan.best[0].cost.latency, lowest);
  EXPECT_EQ(plan.best[0].candidate.exponents.size(), 6U);
  // What it chose is what its price was.
  const auto& best = plan.best[0].candidate;
  EXPECT_EQ(price_packing(cost, chain, extents_of(best), options_of(best), chain.depth).latency,
            plan.best[0].cost.latency);
}

TEST(Packing, ThePlanIsAtLeastAsGoodAsEveryPointOfTheSweep) {
  const auto cost = published_reading();
  const PackedComputation computation = inner_products(10000, 32);
  program::SearchRequest request;
  request.objective = program::Objective::throughput;
  request.latency = 0.2;
  const program::SearchResult plan = plan_packing(cost, computation, request);
  ASSERT_FALSE(plan.best.empty());
  EXPECT_TRUE(plan.exhaustive);
  EXPECT_EQ(plan.priced, 15 * 3);
  for (int alpha = 0; alpha <= kLogSlots; ++alpha) {
    const auto price = price_packing(cost, computation, split(alpha), PackingOptions::published(), 1);
    if (price.latency <= 0.2) {
      EXPECT_LE(plan.best[0].cost.amortised, price.amortised) << alpha;
    }
  }
}

TEST(Packing, ReadsComputationsAndRefusesOthers) {
  EXPECT_EQ(parse_computation("chain 4,5,6,7,8").name, "chain 4,5,6,7,8");
  EXPECT_EQ(parse_computation("regression 10000x100").items, 10000);
  EXPECT_EQ(parse_computation("pairs 16x32").name, "pairs 16x32");
  for (const char* wrong : {"", "chain", "chain 4", "chain 4,5", "chain 4,,5", "pairs 4", "pairs 4x", "pairs 0x4",
                            "pairs 4x5x6", "sort 4x5", "pairs -4x5", "chain 4,5,x"})
    EXPECT_THROW(parse_computation(wrong), base::InputError) << wrong;
  EXPECT_THROW(plan_packing(published_reading(), matrix_chain({2, 2, 2, 2, 2, 2, 2, 2, 2, 2}), {}), base::InputError);
}

std::vector<std::string> texts(const std::vector<TileShape>& shapes) {
  std::vector<std::string> result;
  for (const TileShape& shape : shapes) result.push_back(shape.to_string());
  return result;
}

using Texts = std::vector<std::string>;

TEST(Packing, InputsLieInTheTilesThatAreAskedFor) {
  const PackedComputation fit = regression(10, 3), pairs = inner_products(10, 3);
  EXPECT_EQ(fit.name, "regression 10x3");
  EXPECT_EQ(pairs.name, "pairs 10x3");
  EXPECT_EQ(fit.dims, (Texts{"n", "d"}));
  // One vector of weights for all inputs, or one each.
  EXPECT_EQ(texts(fit.shapes({4, 2})), (Texts{"{n 4|4}{d 3|2}", "{n copy 4}{d 3|2}"}));
  EXPECT_EQ(texts(pairs.shapes({4, 2})), (Texts{"{n 4|4}{d 3|2}", "{n 4|4}{d 3|2}"}));
  EXPECT_EQ(texts(pairs.shapes({16, 2})), (Texts{"{n 10|16}{d 3|2}", "{n 10|16}{d 3|2}"}));
  for (const PackedComputation& computation : {fit, pairs}) {
    EXPECT_EQ(computation.items, 10);
    EXPECT_EQ(computation.depth, 1);
    EXPECT_EQ(computation.batch({4, 2}), 4);
    EXPECT_EQ(computation.batch({16, 2}), 10);
    EXPECT_EQ(computation.batches({4, 2}), 3);
    EXPECT_EQ(computation.batches({2, 2}), 5);
    EXPECT_EQ(computation.batches({16, 2}), 1);
  }
  const PackedComputation fewer = with_items(fit, 7);
  EXPECT_EQ(fewer.name, "regression 7x3");
  EXPECT_EQ(texts(fewer.shapes({8, 2})), (Texts{"{n 7|8}{d 3|2}", "{n copy 8}{d 3|2}"}));
}

TEST(Packing, AChainTakesItsStagesAndLevelsInTurn) {
  const PackedComputation chain = matrix_chain({4, 5, 6, 7, 8});
  EXPECT_EQ(chain.name, "chain 4,5,6,7,8");
  EXPECT_EQ(chain.depth, 4);  // the second sum is cleared
  EXPECT_EQ(chain.stages, 2);
  EXPECT_EQ(chain.late, (std::vector<int>{0, 0, 1, 3}));
  EXPECT_EQ(chain.batches({16, 16, 64}), 1);
  EXPECT_EQ(texts(chain.shapes({16, 16, 64})), (Texts{"{b 5|16}{a 4|16}{c copy 64}", "{b 5|16}{a copy 16}{c 6|64}",
                                                      "{d 7|16}{a copy 16}{c 6|64}", "{d 7|16}{a copy 16}{e 8|64}"}));
  // The last matrix meets what the first stage made.
  EXPECT_EQ(texts(chain.shapes({16, 16, 64, 8, 32, 64})).back(), "{d 7|8}{a copy 32}{e 8|64}");
  EXPECT_EQ(matrix_chain({4, 5, 6}).depth, 1);
  EXPECT_EQ(matrix_chain({4, 5, 6}).stages, 1);
  EXPECT_EQ(matrix_chain({4, 5, 6, 7}).depth, 2);
  EXPECT_EQ(matrix_chain({4, 5, 6, 7}).stages, 1);
}

TEST(Packing, EveryStepIsToldByWhatItMade) {
  const auto session = clear_session(64, 8);
  const auto told = [&](const PackedComputation& computation, const PackedComputation::Extents& extents,
                        const PackingOptions& options) {
    const auto ones = [](std::size_t, const layout::Shape& sizes) {
      return Dense{sizes, std::vector<double>(static_cast<std::size_t>(layout::element_count(sizes)), 1.0)};
    };
    Texts steps;
    const auto inputs = encrypt_inputs(session, computation, extents, 8, ones);
    const TileTensor result = computation.compute(
        inputs, options, [&](const std::string& what, const TileTensor&) { steps.push_back(what); });
    EXPECT_EQ(computation.compute(inputs, options, nullptr).shape(), result.shape());
    return steps;
  };
  PackingOptions options{{true, 1}, true, Change::clear};
  EXPECT_EQ(told(regression(3, 5), {8, 8}, options), (Texts{"summed"}));
  EXPECT_EQ(told(regression(3, 5), {8, 8}, PackingOptions::published()), (Texts{"product", "summed"}));
  const PackedComputation chain = matrix_chain({2, 3, 2, 3, 2});
  EXPECT_EQ(told(chain, {4, 4, 4}, options), (Texts{"M1 M2 summed", "M1 M2 M3 summed", "M1 M2 M3 cleared",
                                                    "M1 M2 M3 replicated", "M1 M2 M3 M4 summed"}));
  options.change = Change::reshard;
  EXPECT_EQ(told(chain, {4, 4, 4}, options),
            (Texts{"M1 M2 summed", "M1 M2 M3 summed", "M1 M2 M3 resharded", "M1 M2 M3 M4 summed"}));
  options.change = Change::sum_into;
  EXPECT_EQ(told(chain, {4, 4, 4}, options), (Texts{"M1 M2 summed", "M1 M2 M3 summed into", "M1 M2 M3 M4 summed"}));
}

TEST(Packing, SizesOfComputationsAreBounded) {
  using base::refusal;
  using ::testing::HasSubstr;
  constexpr Index kItems = Index{1} << 30, kLength = Index{1} << 20;
  for (const auto make : {&regression, &inner_products}) {
    EXPECT_EQ(make(kItems, kLength).items, kItems);
    EXPECT_EQ(make(1, 1).items, 1);
    for (const Index items : {Index{0}, kItems + 1})
      EXPECT_EQ(refusal([&] { make(items, 1); }),
                "packing: a number of items of " + std::to_string(items) + " is outside 1 to 1073741824");
    for (const Index length : {Index{0}, kLength + 1})
      EXPECT_EQ(refusal([&] { make(1, length); }),
                "packing: a vector length of " + std::to_string(length) + " is outside 1 to 1048576");
  }
  EXPECT_EQ(matrix_chain({kLength, 1, 2}).name, "chain 1048576,1,2");
  for (const Index size : {Index{0}, kLength + 1})
    EXPECT_EQ(refusal([&] {
                matrix_chain({2, size, 2});
              }),
              "packing: a matrix size of " + std::to_string(size) + " is outside 1 to 1048576");
  const PackedComputation longest = matrix_chain(std::vector<Index>(17, 2));
  EXPECT_EQ(longest.late.size(), 16u);
  EXPECT_EQ(longest.stages, 8);
  EXPECT_EQ(longest.depth, 15 + 7);  // every second sum is cleared, but for the last
  for (const std::size_t sizes : {2, 18})
    EXPECT_EQ(refusal([&] { matrix_chain(std::vector<Index>(sizes, 2)); }),
              "packing: a chain of " + std::to_string(sizes) + " sizes; 3 to 17 make 2 to 16 matrices");
  EXPECT_EQ(refusal([] {
              with_items(matrix_chain({4, 5, 6}), 3);
            }),
            "'chain 4,5,6' has one result; it cannot be asked for 3");
  // Of what somebody typed, the beginning.
  EXPECT_THAT(refusal([] { parse_computation(std::string(101, 'x')); }),
              HasSubstr("'" + std::string(100, 'x') + "' is no computation; write "));
  EXPECT_THAT(refusal([] { parse_computation("regression 99999999999999999999x2"); }), HasSubstr("is no computation"));
}

TEST(Packing, CandidatesSayTilesFoldsAndChanges) {
  EXPECT_EQ(extents_of({{0, 3, 14}, {}}), (PackedComputation::Extents{1, 8, 16384}));
  const auto options = [](std::vector<int> of) { return options_of({{1, 3}, std::move(of)}); };
  for (const auto& [of, hoist, change] : {std::tuple(std::vector<int>{}, 1, Change::clear),
                                          {{0}, 1, Change::clear},
                                          {{2}, 3, Change::clear},
                                          {{0, 1}, 1, Change::reshard},
                                          {{1, 2}, 2, Change::sum_into}}) {
    const PackingOptions made = options(of);
    EXPECT_EQ(made.fold.hoist, hoist);
    EXPECT_FALSE(made.fold.all_places);
    EXPECT_TRUE(made.fused);
    EXPECT_EQ(made.change, change);
  }
  EXPECT_STREQ(name_of(Change::clear), "clear");
  EXPECT_STREQ(name_of(Change::reshard), "reshard");
  EXPECT_STREQ(name_of(Change::sum_into), "sum_into");
}

TEST(Packing, InputsAreEncryptedAtTheLevelAtWhichTheyAreRead) {
  const auto session = clear_session(64, 8);
  std::vector<std::size_t> asked;
  const auto ones = [&](std::size_t input, const layout::Shape& sizes) {
    asked.push_back(input);
    return Dense{sizes, std::vector<double>(static_cast<std::size_t>(layout::element_count(sizes)), 1.0)};
  };
  std::vector<int> levels;
  for (const TileTensor& input : encrypt_inputs(session, matrix_chain({2, 3, 2, 3, 2}), {4, 4, 4}, 7, ones))
    levels.push_back(input.level());
  EXPECT_EQ(levels, (std::vector<int>{7, 7, 6, 4}));
  EXPECT_EQ(asked, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(Packing, APriceIsThatOfABatchAndOfAnItem) {
  const auto cost = published_reading();
  const program::CandidateCost price = price_packing(cost, inner_products(3000, 32), split(10), PackingOptions{}, 1);
  EXPECT_GT(price.latency, 0);
  EXPECT_EQ(price.latency, cost->cost().seconds);
  EXPECT_DOUBLE_EQ(price.amortised, 3 * price.latency / 3000);  // of 1024 items, three batches
  EXPECT_EQ(price.memory, cost->key_bytes() + cost->cost().peak_bytes);
  EXPECT_GT(cost->key_bytes(), 0);
  // Whatever was read before.
  EXPECT_EQ(price_packing(cost, inner_products(3000, 32), split(10), PackingOptions{}, 1).latency, price.latency);
}

TEST(Packing, AComputationMayTakeAllLevelsAndNoMore) {
  const params::CkksLiteral literal{.name = "test", .log_n = 13, .q_bits = {50, 40}, .p_bits = {50}, .log_scale = 40};
  const auto cost = cost_session({literal, 0});
  ASSERT_EQ(cost->max_level(), 1);
  const program::SearchResult plan = plan_packing(cost, regression(8, 2), {});
  EXPECT_EQ(plan.priced, 13 * 3);
  ASSERT_FALSE(plan.best.empty());
  EXPECT_EQ(extents_of(plan.best[0].candidate).size(), 2U);
  EXPECT_EQ(base::refusal([&] {
              plan_packing(cost, matrix_chain({2, 2, 2, 2}), {});
            }),
            "'chain 2,2,2,2' needs a depth of 2, and the requirement has 1");
}

}  // namespace
}  // namespace tacit::tensor
