#include "graph/slots/choose_layouts.h"

#include <gtest/gtest.h>

#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"
#include "layout/diagonals.h"

namespace tacit::graph::passes {
namespace {

double diagonal_count(const layout::LinearMap& map) {
  return static_cast<double>(layout::diagonal_set(map).diagonals.size());
}

TEST(ChooseLayouts, CandidatesForAFeatureMapAreRowMajorAndTheGridsThatFit) {
  EXPECT_EQ(candidate_layouts({1, 5, 13, 13}, 4096).size(), 3u);  // 8 x 16 x 16, and gaps 2 and 4
  EXPECT_EQ(candidate_layouts({1, 100}, 4096).size(), 1u);
}

TEST(ChooseLayouts, CandidatesForABatchHaveASlotForEverySampleInPlaceOfEachSlot) {
  const auto layouts = candidate_layouts({2, 5, 13, 13}, 4096);
  ASSERT_EQ(layouts.size(), 3u);  // samples side by side, and those of one sample in 2048 slots
  EXPECT_EQ(layouts[1].to_string(), "[2,5,13,13] across() within(d1:8/1 d2:16/1 d3:16/1 d0:2/1) junk()");
  EXPECT_EQ(candidate_layouts({5, 3}, 16)[1].to_string(), "[5,3] across(d1:2/2) within(d1:2/1 d0:8/1) junk()");
  EXPECT_EQ(candidate_layouts({16, 3}, 16).size(), 1u);
}

TEST(ChooseLayouts, AStridedConvolutionKeepsItsChannelsInTheGapsOfTheGrid) {
  Sketch s;
  const TensorId x = s.input({1, 1, 28, 28});
  const TensorId w = s.constant({5, 1, 5, 5}, std::vector<double>(125, 1.0));
  const TensorId c = s.node("Conv", {x, w}, {1, 5, 13, 13},
                            {{"kernel_shape", std::vector<std::int64_t>{5, 5}},
                             {"strides", std::vector<std::int64_t>{2, 2}},
                             {"pads", std::vector<std::int64_t>{0, 0, 1, 1}}});
  s.output(s.node("Mul", {c, c}, {1, 5, 13, 13}));
  const Network network = fold(linearise(recognise(s.graph)));
  const ChosenLayouts chosen = choose_layouts(
      network, 4096, [](const layout::LinearMap& map, ValueId) { return diagonal_count(map); },
      [](ValueId, layout::Index) { return 0.0; });
  const std::vector<layout::Layout>& layouts = chosen.layouts;
  EXPECT_EQ(layouts[1], layout::Layout::multiplexed({1, 5, 13, 13}, 32, 32, 2, 4096));
  EXPECT_EQ(layouts[1], layouts[2]);  // a product keeps the layout of its operands
  const auto& op = std::get<Affine>(network.values[1].operation).terms[0].op;
  EXPECT_EQ(diagonal_count({layouts[0], layouts[1], op}), 36);
  EXPECT_EQ(diagonal_count({layouts[0], layout::Layout::row_major({1, 5, 13, 13}, 4096), op}), 1024);
}

}  // namespace
}  // namespace tacit::graph::passes
