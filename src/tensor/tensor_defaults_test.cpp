#include <gtest/gtest.h>

#include <memory>

#include "base/refusal_for_test.h"
#include "params/requirement.h"
#include "tensor/convolution.h"
#include "tensor/packing.h"
#include "tensor/recording.h"
#include "tensor/session.h"

// What is meant where nothing is said.
namespace tacit::tensor {
namespace {

TEST(TensorDefaults, SumsFoldThePlacesThatAreUsedBitByBit) {
  EXPECT_FALSE(FoldOptions{}.all_places);
  EXPECT_EQ(FoldOptions{}.hoist, 1);
  const ConvolutionOptions convolution;
  EXPECT_EQ(convolution.channels, 0);
  EXPECT_EQ(convolution.rows, 1);
  EXPECT_EQ(convolution.columns, 2);
  EXPECT_EQ(convolution.stride, 1);
}

TEST(TensorDefaults, AComputationIsOneStageOfOneLevelForOneItem) {
  const PackedComputation computation;
  EXPECT_EQ(computation.stages, 1);
  EXPECT_EQ(computation.depth, 1);
  EXPECT_EQ(computation.items, 1);
  EXPECT_TRUE(PackingOptions{}.fused);
  EXPECT_EQ(PackingOptions{}.change, Change::clear);
  const PackingOptions published = PackingOptions::published();
  EXPECT_TRUE(published.fold.all_places);
  EXPECT_EQ(published.fold.hoist, 1);
  EXPECT_FALSE(published.fused);
  EXPECT_EQ(published.change, Change::clear);
}

TEST(TensorDefaults, LevelsAndPendingSumsBeginAtNone) {
  EXPECT_EQ(TileLevels{}.base, 0);
  EXPECT_EQ(TileLevels{}.max, 0);
  EXPECT_EQ(TileLevels{}.at(0).scale, 1);
  EXPECT_EQ(TileTensor().pending_dim(), -1);
  EXPECT_EQ(TileTensor().pending_places(), 0);
  EXPECT_EQ(clear_session(16, 3)->max_level(), 3);
  EXPECT_EQ(clear_session(16, 3)->levels().base, 0);
  EXPECT_EQ(clear_session(16, 3)->slots(), 16);
}

TEST(TensorDefaults, ARecordEndsWithTensorsOfItsOwn) {
  const auto parameters = params::CkksParameters::check(
      {.name = "small", .log_n = 13, .q_bits = {50, 40, 40}, .p_bits = {50}, .log_scale = 40});
  const auto make = [&] { return std::make_shared<RecordingSession>("record", parameters, 0, params::CostTable{}); };
  const auto one = make(), other = make();
  EXPECT_EQ(one->slots(), 4096);
  EXPECT_EQ(one->max_level(), 2);
  EXPECT_EQ(base::refusal([&] {
              one->output(encrypt(other, TileShape::parse("{4|4096}"), {{4}, {1, 2, 3, 4}}, 1), "y");
            }),
            "output 'y': the tensor belongs to another session than the one that records");
}

}  // namespace
}  // namespace tacit::tensor
