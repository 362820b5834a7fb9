#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "layout/sharding/op_sharding.h"
#include "layout/sharding/shard_annotation.h"

// How large what is said of shardings may be, and how much of it sentences repeat.
namespace tacit::layout {
namespace {

using base::refusal;
using ::testing::HasSubstr;

TEST(ShardingBounds, AnArrayHasAsManyDimensionsAsATensor) {
  const Mesh mesh({{"x", 2}, {"y", 3}});
  ArraySharding::Spec spec(kMaxRank, ArraySharding::kWhole);
  EXPECT_EQ(ArraySharding(mesh, spec).blocks(), 1);
  spec.back() = 1;
  EXPECT_EQ(ArraySharding(mesh, spec).blocks(), 3);
  spec.push_back(ArraySharding::kWhole);
  EXPECT_EQ(refusal([&] { ArraySharding(mesh, spec); }), "array sharding: 33 dimensions; at most 32 are allowed");
  for (const int axis : {-2, 2})
    EXPECT_EQ(refusal([&] { ArraySharding(mesh, ArraySharding::Spec{axis}); }),
              "array sharding: dimension 0 names axis " + std::to_string(axis) +
                  " of mesh [x=2, y=3]; name one of 0 to 1, or -1 for a dimension that is whole");
}

TEST(ShardingBounds, BlocksFillTheirSlotsAtMost) {
  const ArraySharding rows = ArraySharding::parse("mesh=[y=2] spec={y, -1}");
  EXPECT_EQ(rows.layout({4, 8}, 16).to_string(), "[4,8] across(d0:2/2@y) within(d0:2/1 d1:8/1) junk()");
  EXPECT_EQ(rows.layout({4, 8}, 32).to_string(), "[4,8] across(d0:2/2@y) within(copy:2 d0:2/1 d1:8/1) junk()");
  EXPECT_EQ(refusal([&] {
              static_cast<void>(rows.layout({4, 8}, 8));
            }),
            "array sharding mesh=[y=2] spec={y, -1}: blocks of [2,8] have 16 elements, and a ciphertext has 8 slots; "
            "split into more blocks");
  EXPECT_EQ(rows.layout({4, 8}, kMaxSlots).slots(), kMaxSlots);
  for (const Index slots : {Index{12}, 2 * kMaxSlots})
    EXPECT_EQ(refusal([&] {
                static_cast<void>(rows.layout({4, 8}, slots));
              }),
              "array sharding: " + std::to_string(slots) + " slots; a power of two up to 65536 is needed");
  EXPECT_EQ(rows.laid_out_like({4, 8}, Layout::row_major({2, 8}, 8)), std::nullopt);  // a block in two ciphertexts
  base::expect_refusal<base::InternalError>(
      [&] {
        static_cast<void>(rows.laid_out_like({4, 8}, Layout::row_major({4, 8}, 32)));
      },
      "a block's layout is of another shape");
}

TEST(ShardingBounds, OperandsAreCountedFromZeroToSixtyFiveThousand) {
  OpSharding sharding(Mesh({{"x", 2}}));
  const ArraySharding split = ArraySharding::parse("mesh=[x=2] spec={x}");
  sharding.set_input(0, split);
  EXPECT_EQ(refusal([&] { sharding.set_input(-1, split); }), "operator sharding: input -1; count from 0");
  EXPECT_EQ(refusal([&] { sharding.set_output(-1, split); }), "operator sharding: output -1; count from 0");
  const auto named = [](const std::string& index) { return "mesh=[x=2] inputs={" + index + ": {x}} outputs={}"; };
  EXPECT_EQ(OpSharding::parse(named("65535")).to_string(), named("65535"));
  EXPECT_THAT(refusal([&] { OpSharding::parse(named("65536")); }), HasSubstr("expected the position of an operand"));
}

TEST(ShardingBounds, SentencesRepeatTwoHundredLetters) {
  const std::string letters(200, 'x');
  EXPECT_EQ(refusal([&] { Layout::parse("[" + letters); }),
            "layout '[" + letters.substr(1) + "': expected a number of at most 18 digits at character 2");
  EXPECT_THAT(refusal([&] { ShardAnnotation::parse(letters + "y"); }),
              HasSubstr("sharding '" + letters + "': expected NODE=AXIS:BLOCKS"));
}

}  // namespace
}  // namespace tacit::layout
