#include "layout/sharding/array_sharding.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/refusal_for_test.h"

namespace tacit::layout {
namespace {

using base::refusal;
using testing::HasSubstr;

constexpr Index kSlots = 32768;
const Mesh kMesh({{"x", 4}, {"y", 3}, {"z", 2}});

std::vector<double> counted(const Shape& shape) {
  std::vector<double> values(static_cast<std::size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(ArraySharding, DistributesAnImageAsPublished) {
  const ArraySharding sharding(kMesh, std::vector<std::string>{"y", "z", "-1"});
  const Shape shape{3, 224, 224};
  EXPECT_EQ(sharding.to_string(), "mesh=[x=4, y=3, z=2] spec={y, z, -1}");
  EXPECT_EQ(sharding.array_text(shape), "D[6][112x224]");
  EXPECT_EQ(sharding.distribution(),
            "| mesh[x,0,0] | mesh[x,0,1] | mesh[x,1,0] | mesh[x,1,1] | mesh[x,2,0] | mesh[x,2,1] |\n"
            "| D[0] | D[1] | D[2] | D[3] | D[4] | D[5] |\n");
  const Layout layout = sharding.layout(shape, kSlots);
  EXPECT_EQ(layout.ciphertexts(), 6);
  EXPECT_EQ(layout.slots(), kSlots);
  EXPECT_EQ(layout.to_string(),
            "[3,224,224] across(copy:4@x d0:3/1@y d1:2/112@z) within(d0:2/3 d1:112/1 d2:224/1) junk()");
  EXPECT_EQ(Layout::parse(layout.to_string()), layout);
  EXPECT_EQ(layout.position_of((2 * 224 + 113) * 224 + 5), (Position{2 * 2 + 1, 224 + 5}));
  const std::vector<double> image = counted(shape);
  EXPECT_EQ(layout.unpack(layout.pack(image)), image);
}

TEST(ArraySharding, DistributesFeatureMapsAsPublished) {
  const ArraySharding sharding(Mesh({{"x", 8}, {"y", 8}, {"z", 1}}), std::vector<std::string>{"y", "z", "-1"});
  const Shape shape{64, 56, 56};
  EXPECT_EQ(sharding.array_text(shape), "D[8][8x56x56]");
  EXPECT_EQ(sharding.distribution(4),
            "| mesh[x,0,0] | mesh[x,1,0] | ... | mesh[x,7,0] |\n"
            "| D[0] | D[1] | ... | D[7] |\n");
  EXPECT_EQ(sharding.layout(shape, kSlots).ciphertexts(), 8);
}

TEST(ArraySharding, AnArrayThatNothingSplitsIsReplicated) {
  // [16,7,7] -> [64,7,7] by 1 x 1 at 1,024 slots: each of four devices loads the one block of the input.
  const Mesh mesh({{"x", 4}, {"y", 1}, {"z", 1}});
  const ArraySharding input(mesh, std::vector<std::string>{"y", "-1", "-1"});
  const ArraySharding output(mesh, std::vector<std::string>{"x", "-1", "-1"});
  EXPECT_FALSE(input.is_split());
  EXPECT_EQ(input.array_text({16, 7, 7}), "D[1][16x7x7]");
  EXPECT_EQ(input.layout({16, 7, 7}, 1024).ciphertexts(), 1);
  EXPECT_EQ(output.array_text({64, 7, 7}), "D[4][16x7x7]");
  EXPECT_EQ(ArraySharding::replicated(mesh, 3).spec_text(), "{-1, -1, -1}");
}

// The table of docs/sharding.md.
TEST(ArraySharding, BlocksOfAConvolutionAreThoseOfThePublishedIndexers) {
  const Mesh mesh({{"x", 5}, {"y", 3}, {"z", 2}});
  const auto sharding = [&](std::vector<std::string> spec) { return ArraySharding(mesh, spec); };
  const ArraySharding input = sharding({"y", "z", "-1"}), weight = sharding({"x", "y", "-1", "-1"}),
                      bias = sharding({"x"}), output = sharding({"x", "z", "-1"});
  for (Index x = 0; x < 5; ++x)
    for (Index y = 0; y < 3; ++y)
      for (Index z = 0; z < 2; ++z) {
        EXPECT_EQ(input.block_position(y * 2 + z), (std::vector<Index>{y, z, 0}));
        EXPECT_EQ(weight.block_position(x * 3 + y), (std::vector<Index>{x, y, 0, 0}));
        EXPECT_EQ(bias.block_position(x), (std::vector<Index>{x}));
        EXPECT_EQ(output.block_position(x * 2 + z), (std::vector<Index>{x, z, 0}));
      }
}

TEST(ArraySharding, PadsWhatDoesNotDivideAndCopiesPowersOfTwo) {
  const Mesh mesh({{"y", 2}, {"z", 3}});
  const ArraySharding sharding(mesh, std::vector<std::string>{"y", "z"});
  const Shape shape{3, 7};
  EXPECT_EQ(sharding.block_shape(shape), (Shape{2, 3}));
  const Layout layout = sharding.layout(shape, 16);
  EXPECT_EQ(layout.element_at(5, 0), std::optional<Index>(2 * 7 + 6));
  EXPECT_FALSE(layout.element_at(5, 1));  // column 7
  EXPECT_FALSE(layout.element_at(5, 3));  // row 3
  EXPECT_FALSE(layout.element_at(0, 6));  // behind the block
  EXPECT_EQ(layout.unpack(layout.pack(counted(shape))), counted(shape));
  const Layout copied = ArraySharding(mesh, std::vector<std::string>{"y", "-1"}).layout({4, 2}, 16);
  EXPECT_EQ(copied.period(), 4);
  EXPECT_EQ(copied.element_at(1, 4 + 3), std::optional<Index>(7));
}

TEST(ArraySharding, BlocksOfTheLayoutAreThoseOfTheArray) {
  for (const char* text : {"mesh=[x=4, y=3, z=2] spec={y, z, -1}", "mesh=[x=4, y=3, z=2] spec={z, x, y}",
                           "mesh=[a=5] spec={-1, a, -1}", "mesh=[a=2, b=2] spec={-1, b, a}"}) {
    const ArraySharding sharding = ArraySharding::parse(text);
    EXPECT_EQ(sharding.to_string(), text);
    const Shape shape{7, 10, 5};
    const Shape block = sharding.block_shape(shape);
    const Layout layout = sharding.layout(shape, 256);
    ASSERT_EQ(layout.ciphertexts(), sharding.blocks());
    for (Index b = 0; b < sharding.blocks(); ++b) {
      const std::vector<Index> at = sharding.block_position(b);
      for (Index slot = 0; slot < element_count(block); ++slot) {
        const Index i = at[0] * block[0] + slot / (block[1] * block[2]);
        const Index j = at[1] * block[1] + slot / block[2] % block[1];
        const Index k = at[2] * block[2] + slot % block[2];
        const bool inside = i < shape[0] && j < shape[1] && k < shape[2];
        EXPECT_EQ(layout.element_at(b, slot), inside ? std::optional((i * shape[1] + j) * shape[2] + k) : std::nullopt)
            << text << b << " " << slot;
      }
    }
  }
}

TEST(ArraySharding, RefusesSpecsThatDoNotFit) {
  const auto spec = [](std::vector<std::string> axes) { return ArraySharding(kMesh, axes); };
  EXPECT_THAT(refusal([&] {
                spec({"y", "w", "-1"});
              }),
              HasSubstr("[x=4, y=3, z=2] has no axis 'w'; name one of its axes"));
  EXPECT_THAT(refusal([&] {
                spec({"y", "y", "-1"});
              }),
              AllOf(HasSubstr("axis 'y' splits dimensions 0 and 1"), HasSubstr("name another axis or -1")));
  EXPECT_THAT(refusal([&] { ArraySharding(kMesh, ArraySharding::Spec{0, 3}); }), HasSubstr("dimension 1 names axis 3"));
  EXPECT_THAT(refusal([] { ArraySharding::parse("mesh=[x=4, y=3] spec={x*y, -1}"); }),
              AllOf(HasSubstr("dimension 0 is split twice"), HasSubstr("join the two axes")));
  EXPECT_THAT(refusal([] { ArraySharding::parse("mesh=[x=0] spec={x}"); }), HasSubstr("axis 'x' has extent 0"));
  EXPECT_THAT(refusal([&] {
                static_cast<void>(spec({"y", "z"}).block_shape({3, 4, 5}));
              }),
              HasSubstr("2 entries for an array of 3 dimensions"));
  EXPECT_THAT(refusal([&] { static_cast<void>(spec({"x"}).block_shape({3})); }),
              HasSubstr("3 elements and cannot be split into 4 blocks"));
  EXPECT_THAT(refusal([&] {
                static_cast<void>(spec({"y", "-1", "-1"}).layout({3, 224, 224}, kSlots));
              }),
              AllOf(HasSubstr("50176 elements"), HasSubstr("split into more blocks")));
  EXPECT_THAT(refusal([&] { static_cast<void>(spec({"x"}).layout({5}, kSlots)); }),
              AllOf(HasSubstr("5 elements, which fill 3 of 4 blocks of 2"), HasSubstr("split it into 3")));
  EXPECT_THAT(refusal([&] { static_cast<void>(spec({"y"}).layout({3}, 12)); }), HasSubstr("a power of two"));
  EXPECT_THAT(refusal([&] { static_cast<void>(spec({"y"}).block_position(3)); }), HasSubstr("has no block 3"));
}

TEST(ArraySharding, BehindABlockLieCopiesOrNothing) {
  const auto text = [](const char* sharding, const Shape& shape, Index slots) {
    return ArraySharding::parse(sharding).layout(shape, slots).to_string();
  };
  EXPECT_EQ(text("mesh=[y=2, z=3] spec={y, z}", {3, 7}, 16),
            "[3,7] across(d0:2/2@y d1:3/3@z) within(d0:3/4 d0:2/1 d1:3/1) junk()");
  // Five blocks of three and a slot.
  EXPECT_EQ(text("mesh=[y=2] spec={-1}", {3}, 16), "[3] across(copy:2@y) within(d0:6/3 d0:3/1) junk()");
  EXPECT_EQ(text("mesh=[y=2] spec={y}", {2}, 1), "[2] across(d0:2/1@y) within(copy:1) junk()");
  EXPECT_EQ(text("mesh=[y=2] spec={y}", {2}, 4), "[2] across(d0:2/1@y) within(copy:4) junk()");
  EXPECT_EQ(text("mesh=[y=2] spec={y, -1}", {2, 4}, 4), "[2,4] across(d0:2/1@y) within(d1:4/1) junk()");
  EXPECT_EQ(text("mesh=[y=4] spec={y}", {7}, 2), "[7] across(d0:4/2@y) within(d0:2/1) junk()");
}

TEST(ArraySharding, BlocksAreCountedAndShownByTheirExtents) {
  const ArraySharding split(Mesh({{"x", 4}, {"y", 3}}), std::vector<std::string>{"y", "-1", "x"});
  EXPECT_EQ(split.blocks(), 12);
  EXPECT_TRUE(split.is_split());
  EXPECT_EQ(split.parts(0), 3);
  EXPECT_EQ(split.parts(1), 1);
  EXPECT_EQ(split.block_shape({4, 5, 9}), (Shape{2, 5, 3}));
  EXPECT_EQ(split.array_text({3, 1, 4}), "D[12][1]");
  EXPECT_EQ(split.array_text({3, 2, 4}), "D[12][2x1]");
  EXPECT_EQ(split.array_text({6, 1, 4}), "D[12][2x1x1]");
  EXPECT_EQ(split.block_position(10), (std::vector<Index>{1, 0, 3}));
  EXPECT_EQ(split.block_position(0), (std::vector<Index>{0, 0, 0}));
  for (const Index block : {-1, 12})
    EXPECT_EQ(refusal([&] { static_cast<void>(split.block_position(block)); }),
              fmt::format("array sharding mesh=[x=4, y=3] spec={{y, -1, x}}: it has no block {}", block));
  EXPECT_EQ(refusal([&] {
              static_cast<void>(split.block_shape({2, 5, 9}));
            }),
            "array sharding: dimension 0 has 2 elements and cannot be split into 3 blocks; split it into 2 or fewer");
}

TEST(ArraySharding, SentencesNameDimensionsAxesAndBlocks) {
  const Mesh mesh({{"x", 4}, {"y", 3}});
  EXPECT_EQ(refusal([&] {
              ArraySharding(mesh, ArraySharding::Spec{-1, 1, 0, 1});
            }),
            "array sharding: axis 'y' splits dimensions 1 and 3; an axis splits one dimension, so name another axis or "
            "-1");
  EXPECT_EQ(refusal([&] {
              ArraySharding(mesh, ArraySharding::Spec{-1, 2});
            }),
            "array sharding: dimension 1 names axis 2 of mesh [x=4, y=3]; name one of 0 to 1, or -1 for a dimension "
            "that is whole");
  EXPECT_EQ(
      refusal([] { ArraySharding::parse("mesh=[x=4, y=3] spec={-1, x*y}"); }),
      "array sharding 'mesh=[x=4, y=3] spec={-1, x*y}': dimension 1 is split twice, by 'x' and another axis; join "
      "the two axes of the mesh into one of their product at character 29");
  EXPECT_EQ(refusal([&] {
              static_cast<void>(ArraySharding(mesh, ArraySharding::Spec{0, 1}).layout({9, 6}, 8));
            }),
            "array sharding mesh=[x=4, y=3] spec={x, y}: dimension 0 has 9 elements, which fill 3 of 4 blocks of 3; a "
            "ciphertext of nothing cannot be decrypted, so split it into 3");
  EXPECT_EQ(ArraySharding(mesh, ArraySharding::Spec{0, 1}).layout({8, 6}, 4).ciphertexts(), 12);
  EXPECT_EQ(ArraySharding::replicated(mesh, 2).spec(), (ArraySharding::Spec{-1, -1}));
  EXPECT_EQ(ArraySharding::replicated(mesh, 2).blocks(), 1);
}

TEST(ArraySharding, EveryDimensionFillsItsBlocks) {
  const Mesh mesh({{"x", 4}, {"y", 3}});
  EXPECT_EQ(refusal([&] {
              static_cast<void>(ArraySharding(mesh, ArraySharding::Spec{-1, 0}).layout({6, 9}, 64));
            }),
            "array sharding mesh=[x=4, y=3] spec={-1, x}: dimension 1 has 9 elements, which fill 3 of 4 blocks of 3; a "
            "ciphertext of nothing cannot be decrypted, so split it into 3");
}

TEST(ArraySharding, LayoutsAreThoseOfTheirTexts) {
  const Layout copied = ArraySharding::parse("mesh=[y=2] spec={y, -1}").layout({4, 8}, 32);
  EXPECT_EQ(copied, Layout::parse("[4,8] across(d0:2/2@y) within(copy:2 d0:2/1 d1:8/1) junk()"));
  const Layout single = ArraySharding::parse("mesh=[y=2] spec={y}").layout({2}, 1);
  EXPECT_EQ(single, Layout::parse("[2] across(d0:2/1@y) within(copy:1) junk()"));
  // Each dimension by its own axis; one of a single block leaves no digit, and copies stay as they are.
  const ArraySharding split = ArraySharding::parse("mesh=[y=2, u=1, z=3] spec={y, z, u}");
  EXPECT_EQ(
      split.laid_out_like({4, 12, 4}, Layout::parse("[2,4,4] across() within(copy:2 d0:2/1 d1:4/1 d2:4/1) junk()")),
      Layout::parse("[4,12,4] across(d0:2/2@y d1:3/4@z) within(copy:2 d0:2/1 d1:4/1 d2:4/1) junk()"));
}

TEST(ArraySharding, DevicesAreNamedByTheAxesThatReplicate) {
  const ArraySharding sharding = ArraySharding::parse("mesh=[x=2, u=1, y=2] spec={y}");
  EXPECT_EQ(sharding.distribution(), "| mesh[x,0,0] | mesh[x,0,1] |\n| D[0] | D[1] |\n");
  EXPECT_TRUE(sharding.is_split());
  EXPECT_FALSE(ArraySharding::parse("mesh=[x=2, u=1] spec={u}").is_split());
}

}  // namespace
}  // namespace tacit::layout
