#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "layout/apply_diagonals_for_test.h"
#include "layout/diagonals.h"
#include "layout/operators/movement.h"
#include "layout/operators/window.h"
#include "layout/sharding/array_sharding.h"

// A reshard is the identity between two layouts: it needs no code of its own.
namespace tacit::layout {
namespace {

struct Reshard {
  const char *from, *to;
  Shape shape;
  Index slots, ciphertexts_from, ciphertexts_to;
  Index blocks;  ///< pairs of ciphertexts with something to move
};

class Reshards : public ::testing::TestWithParam<Reshard> {};

TEST_P(Reshards, MoveEveryElement) {
  const Reshard& reshard = GetParam();
  const LinearMap map{ArraySharding::parse(reshard.from).layout(reshard.shape, reshard.slots),
                      ArraySharding::parse(reshard.to).layout(reshard.shape, reshard.slots),
                      std::make_shared<Identity>(reshard.shape)};
  EXPECT_EQ(map.in.ciphertexts(), reshard.ciphertexts_from);
  EXPECT_EQ(map.out.ciphertexts(), reshard.ciphertexts_to);
  EXPECT_EQ(diagonal_set(map).blocks, reshard.blocks);
  std::vector<double> tensor(static_cast<std::size_t>(element_count(reshard.shape)));
  std::iota(tensor.begin(), tensor.end(), 1.0);
  EXPECT_EQ(map.out.unpack(apply_diagonals(map, map.in.pack(tensor))), tensor);
}

INSTANTIATE_TEST_SUITE_P(
    All, Reshards,
    ::testing::Values(
        // n to n/2, and to n/4
        Reshard{"mesh=[x=16] spec={x, -1, -1}", "mesh=[x=8] spec={x, -1, -1}", {16, 6, 6}, 128, 16, 8, 16},
        Reshard{"mesh=[x=16] spec={x, -1, -1}", "mesh=[x=4] spec={x, -1, -1}", {16, 6, 6}, 256, 16, 4, 16},
        // [64][112,112] on 64 to [32][2,112,112] on 32, at full size
        Reshard{"mesh=[x=64] spec={x, -1, -1}", "mesh=[x=32] spec={x, -1, -1}", {64, 112, 112}, 32768, 64, 32, 64},
        // rows to channels: every block meets every other
        Reshard{"mesh=[z=4] spec={-1, z, -1}", "mesh=[x=3] spec={x, -1, -1}", {3, 16, 12}, 256, 4, 3, 12},
        // gather along an axis: to a mesh without it
        Reshard{"mesh=[x=4, z=2] spec={x, z, -1}", "mesh=[x=4] spec={x, -1, -1}", {8, 6, 6}, 128, 8, 4, 8},
        // and grow again
        Reshard{"mesh=[x=1] spec={-1, -1, -1}", "mesh=[x=4, z=2] spec={x, z, -1}", {8, 4, 4}, 128, 1, 8, 8},
        // blocks that do not divide each other, padded
        Reshard{"mesh=[x=3] spec={x, -1, -1}", "mesh=[x=2] spec={x, -1, -1}", {7, 3, 5}, 64, 3, 2, 4}));

// The image of an ImageNet network on rows, as the channels of its first convolution: the reshard is no step of its
// own, for a linear map reads any blocks.
TEST(Reshards, ARowShardedImageFeedsChannelBlocks) {
  const Shape in{1, 3, 14, 14}, out{1, 8, 7, 7};
  const WindowAxis axis{.kernel = 3, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  std::vector<double> weights(8 * 3 * 9);
  for (std::size_t w = 0; w < weights.size(); ++w) weights[w] = static_cast<double>(w % 7) - 3;
  const auto op = std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{axis, axis}, 1, weights);
  const LinearMap map{ArraySharding::parse("mesh=[z=7] spec={-1, -1, z, -1}").layout(in, 128),
                      ArraySharding::parse("mesh=[x=4] spec={-1, x, -1, -1}").layout(out, 128), op};
  std::vector<double> image(static_cast<std::size_t>(element_count(in))), expected(8 * 7 * 7);
  std::iota(image.begin(), image.end(), 1.0);
  op->apply(image, expected, 1);
  const std::vector<double> made = map.out.unpack(apply_diagonals(map, map.in.pack(image)));
  for (std::size_t e = 0; e < expected.size(); ++e) EXPECT_NEAR(made[e], expected[e], 1e-9) << e;
}

}  // namespace
}  // namespace tacit::layout
