#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "params/requirement.h"
#include "tensor/packing.h"
#include "tensor/random_tiles_for_test.h"
#include "tensor/session.h"

// What packed computations give, and how many packings are looked at.
namespace tacit::tensor {
namespace {

TEST(PackedComputations, VectorsAreMultipliedPairwiseAndSummed) {
  const SessionPtr session = clear_session(64, 8);
  testing::RandomTiles random(64, 6);
  for (const PackedComputation& computation : {regression(3, 5), inner_products(3, 5)})
    for (const PackingOptions& options : {PackingOptions{}, PackingOptions::published()}) {
      std::vector<Dense> made;
      const auto inputs = encrypt_inputs(session, computation, {4, 16}, 8, [&](std::size_t, const Shape& sizes) {
        made.push_back(random.tensor(sizes));
        return made.back();
      });
      ASSERT_EQ(made.size(), 2u);
      testing::expect_holds(computation.compute(inputs, options, {}),
                            testing::summed(testing::elementwise(made[0], made[1], '*'), 1));
    }
}

TEST(PackedComputations, ChangedTensorsKeepTheNamesOfTheirDimensions) {
  const SessionPtr session = clear_session(64, 8);
  const PackedComputation chain = matrix_chain({2, 3, 2, 3, 2});
  const auto inputs = encrypt_inputs(session, chain, {4, 4, 4, 2, 8, 4}, 8, [](std::size_t, const Shape& sizes) {
    return Dense{sizes, std::vector<double>(static_cast<std::size_t>(layout::element_count(sizes)), 1.0)};
  });
  EXPECT_EQ(inputs[3].shape().to_string(), "{d 3|2}{a copy 8}{e 2|4}");
  for (const auto& [change, step] :
       {std::pair(Change::reshard, "M1 M2 M3 resharded"), {Change::sum_into, "M1 M2 M3 summed into"}}) {
    PackingOptions options;
    options.change = change;
    std::string shape;
    chain.compute(inputs, options, [&, told = step](const std::string& what, const TileTensor& tensor) {
      if (what == told) shape = tensor.shape().to_string();
    });
    EXPECT_EQ(shape, "{d 3|2}{a 2|8}{c copy 4}") << step;
  }
}

// Every candidate of this computation costs the same, so that walks look around their starts and stay there.
TEST(PackedComputations, WalksPriceFewerCandidatesOfLargerComputations) {
  const params::CkksLiteral literal{.name = "test", .log_n = 13, .q_bits = {50, 40}, .p_bits = {50}, .log_scale = 40};
  const auto cost = cost_session({literal, 0});
  ASSERT_EQ(cost->slots(), 4096);
  const auto priced = [&](Index entries, std::size_t extents, int stages, std::size_t starts) {
    PackedComputation computation;
    computation.name = "flat";
    computation.dims.assign(extents, "n");
    computation.stages = stages;
    computation.late = {0};
    computation.shapes = [&](const PackedComputation::Extents&) {
      return std::vector<TileShape>{TileShape({{.name = "n", .size = entries, .tile = 4096}})};
    };
    computation.compute = [](const std::vector<TileTensor>& x, const PackingOptions&, const PackedComputation::Trace&) {
      return x[0];
    };
    program::SearchRequest request;
    request.keep = starts;
    return plan_packing(cost, computation, request).priced;
  };
  // First all candidates whose stages agree: 13 times 3. Then from one of them with each of 3 changes: with the first,
  // itself, one neighbour for each of 15 stages, 2 other folds and 2 other changes; with each further one 15 + 2 more.
  EXPECT_EQ(priced(1, 2, 15, 1), 39 + 20 + 17 + 17);
  EXPECT_EQ(priced(3'000'000, 2, 15, 1), 39 + 20 + 17);  // 33 are looked for
  EXPECT_EQ(priced(Index{1} << 23, 2, 15, 1), 39 + 20);  // 20, however large
  // 4000, however small. From 14 starts whose 4 extents are shared out in each of 17 stages, (1, 1, 1, 4096) to
  // (1, 2, 1, 2048): an extent above 1 can give to 3 others, so that two of them have 3 neighbours a stage and the rest
  // 6, with each change. The last walk begins when 4000 are known, and looks at none of its 6 * 17 neighbours.
  static_assert(2 * (3 * 17 * 3 + 9) + 11 * (3 * 17 * 6 + 9) + 2 * (17 * 6) + 7 == 4000);
  EXPECT_EQ(priced(1, 4, 17, 14), 455 * 3 + 4000);
}

}  // namespace
}  // namespace tacit::tensor
