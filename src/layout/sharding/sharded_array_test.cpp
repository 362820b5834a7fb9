#include "layout/sharding/sharded_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/refusal_for_test.h"
#include "layout/operators/window.h"
#include "layout/sharding/convolution_indexers.h"
#include "layout/sharding/operator_rules.h"
#include "layout/sharding/sharding_map.h"

namespace tacit::layout {
namespace {

using base::refusal;
using testing::HasSubstr;

std::vector<double> random_values(Index count, std::mt19937& random) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = static_cast<double>(std::uniform_int_distribution<int>(-9, 9)(random));
  return values;
}

/// A convolution of one sample over a mesh of blocks, [channels, rows, columns], by loads and stores alone. Rows that a
/// block reads of its neighbours are gathered, never stored.
class ShardedConvolution {
 public:
  ShardedConvolution(Shape in, Shape out, WindowAxis rows, WindowAxis columns, ConvolutionIndexers mesh)
      : in_(std::move(in)),
        out_(std::move(out)),
        rows_(rows),
        columns_(columns),
        at_(mesh),
        mesh_({{"x", mesh.X}, {"y", mesh.Y}, {"z", mesh.Z}}) {}

  std::vector<double> run(const std::vector<double>& input, const std::vector<double>& weight,
                          const std::vector<double>& bias) const {
    const auto sharding = [&](const std::vector<std::string>& spec) { return ArraySharding(mesh_, spec); };
    const auto inputs = ShardedArray::split(input, in_, sharding({"y", "z", "-1"}));
    const auto weights =
        ShardedArray::split(weight, {out_[0], in_[0], rows_.kernel, columns_.kernel}, sharding({"x", "y", "-1", "-1"}));
    const auto biases = ShardedArray::split(bias, {out_[0]}, sharding({"x"}));
    ShardedArray outputs(sharding({"x", "z", "-1"}), out_);
    for (Index y = 0; y < at_.Y; ++y)
      for (Index z = 0; z < at_.Z; ++z)
        for (Index x = 0; x < at_.X; ++x)
          outputs.update_store(at_.output(x, z),
                               product(inputs, weights.load(at_.weight(x, y)), outputs.block_shape(), y, z));
    for (Index x = 0; x < at_.X; ++x)
      for (Index z = 0; z < at_.Z; ++z) {
        const Shape& block = outputs.block_shape();
        std::vector<double> offset;
        for (Index f = 0; f < block[0]; ++f)
          offset.insert(offset.end(), static_cast<std::size_t>(block[1] * block[2]),
                        biases.load(ConvolutionIndexers::bias(x))[static_cast<std::size_t>(f)]);
        outputs.update_store(at_.output(x, z), offset);
      }
    return outputs.joined();
  }

 private:
  std::vector<double> product(const ShardedArray& inputs, std::span<const double> weights, const Shape& block, Index y,
                              Index z) const {
    const Shape& read = inputs.block_shape();
    std::vector<double> sum(static_cast<std::size_t>(element_count(block)));
    const PositionRange made{z * block[1], std::min(out_[1], (z + 1) * block[1])};
    const Halo halo{rows_.stride, rows_.pad_begin, (rows_.kernel - 1) * rows_.dilation - rows_.pad_begin};
    const PositionRange rows = ShardingRule::read_by(made, halo, in_[1]);
    for (Index f = 0; f < block[0]; ++f)
      for (Index row = made.begin; row < made.end; ++row)
        for (Index column = 0; column < block[2]; ++column)
          for (Index c = 0; c < read[0]; ++c)
            for (Index k = 0; k < rows_.kernel; ++k)
              for (Index l = 0; l < columns_.kernel; ++l) {
                const Index r = row * rows_.stride - rows_.pad_begin + k * rows_.dilation;
                const Index s = column * columns_.stride - columns_.pad_begin + l * columns_.dilation;
                if (r < 0 || r >= in_[1] || s < 0 || s >= in_[2]) continue;
                EXPECT_TRUE(r >= rows.begin && r < rows.end);
                const std::span<const double> from = inputs.load(at_.input(y, r / read[1]));
                sum[static_cast<std::size_t>((f * block[1] + row - made.begin) * block[2] + column)] +=
                    weights[static_cast<std::size_t>(((f * read[0] + c) * rows_.kernel + k) * columns_.kernel + l)] *
                    from[static_cast<std::size_t>((c * read[1] + r % read[1]) * read[2] + s)];
              }
    return sum;
  }

  Shape in_, out_;
  WindowAxis rows_, columns_;
  ConvolutionIndexers at_;
  Mesh mesh_;
};

Index places(Index extent, const WindowAxis& axis) {
  return (extent + axis.pad_begin + axis.pad_end - (axis.kernel - 1) * axis.dilation - 1) / axis.stride + 1;
}

TEST(ShardedArray, ShardedConvolutionsEqualUnshardedOnes) {
  std::mt19937 random(7);
  const WindowAxis same{3, 1, 1, 1, 1}, strided{7, 2, 1, 3, 3}, dilated{2, 1, 3, 0, 2}, point{};
  struct Case {
    Shape in;
    Index channels;
    WindowAxis rows, columns;
    ConvolutionIndexers mesh;
  };
  for (const Case& c : std::vector<Case>{{{3, 16, 10}, 8, strided, strided, {4, 3, 2}},
                                         {{4, 6, 5}, 4, same, same, {2, 2, 2}},
                                         {{5, 9, 6}, 3, dilated, same, {2, 3, 3}},
                                         {{64, 3, 2}, 16, point, point, {2, 8, 1}},
                                         {{2, 11, 4}, 2, same, strided, {1, 1, 4}}}) {
    const Shape out{c.channels, places(c.in[1], c.rows), places(c.in[2], c.columns)};
    const std::vector<double> input = random_values(element_count(c.in), random);
    const std::vector<double> weight = random_values(c.channels * c.in[0] * c.rows.kernel * c.columns.kernel, random);
    const std::vector<double> bias = random_values(c.channels, random);
    const Convolution whole({1, c.in[0], c.in[1], c.in[2]}, {1, out[0], out[1], out[2]}, {c.rows, c.columns}, 1,
                            weight);
    std::vector<double> expected(static_cast<std::size_t>(element_count(out)));
    whole.apply(input, expected, 1);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] += bias[i / static_cast<std::size_t>(out[1] * out[2])];
    EXPECT_EQ(ShardedConvolution(c.in, out, c.rows, c.columns, c.mesh).run(input, weight, bias), expected);
  }
}

TEST(ShardedArray, TheTwoByTwoConvolutionSumsItsColumns) {
  // | input[0] weight[0][0] | input[1] weight[1][0] | -> reduce-add -> output: two devices a row.
  const Mesh mesh({{"x", 1}, {"y", 2}, {"z", 2}});
  EXPECT_EQ(mesh.total(), "Total 4 ciphertexts");
  const ConvolutionIndexers at{1, 2, 2};
  const std::vector<double> input{1, 2, 3, 4, 10, 20, 30, 40};  // [2, 2, 2]
  const ShardedArray inputs =
      ShardedArray::split(input, {2, 2, 2}, ArraySharding(mesh, std::vector<std::string>{"y", "z", "-1"}));
  EXPECT_EQ(inputs.blocks(), 4);
  EXPECT_THAT(inputs.load(at.input(1, 0)), testing::ElementsAre(10, 20));
  EXPECT_THAT(inputs.load(at.input(0, 1)), testing::ElementsAre(3, 4));
  EXPECT_EQ(ShardedConvolution({2, 2, 2}, {1, 2, 2}, {}, {}, at).run(input, {2, 3}, {0.5}),
            (std::vector<double>{32.5, 64.5, 96.5, 128.5}));
}

TEST(ShardedArray, LoadsWhatWasStored) {
  ShardedArray array(ArraySharding::parse("mesh=[y=2] spec={y, -1}"), {3, 2});
  array.store(1, std::vector<double>{5, 6, 7, 8});
  array.update_store(1, std::vector<double>{1, 1, 1, 1});
  EXPECT_THAT(array.load(1), testing::ElementsAre(6, 7, 8, 9));
  EXPECT_THAT(array.joined(), testing::ElementsAre(0, 0, 0, 0, 6, 7));  // the fourth row is padding
  EXPECT_THAT(refusal([&] { array.store(2, std::vector<double>(4)); }),
              HasSubstr("has 2 blocks, and none of number 2"));
  EXPECT_THAT(refusal([&] { array.store(0, std::vector<double>(3)); }), HasSubstr("3 numbers for a block of 4"));
  EXPECT_THAT(refusal([&] { static_cast<void>(array.load(-1)); }), HasSubstr("none of number -1"));
  EXPECT_THAT(refusal([] {
                ShardedArray::split(std::vector<double>(5), {3, 2}, ArraySharding::parse("mesh=[y=2] spec={y, -1}"));
              }),
              HasSubstr("5 numbers for an array of 6"));
}

TEST(ShardingMap, KnowsOperatorsAndFormals) {
  const Mesh mesh({{"x", 4}, {"y", 3}, {"z", 2}});
  OpSharding conv(mesh);
  conv.set_input(0, ArraySharding(mesh, std::vector<std::string>{"y", "z", "-1"}));
  conv.set_input(2, ArraySharding(mesh, std::vector<std::string>{"x"}));
  conv.set_output(0, ArraySharding(mesh, std::vector<std::string>{"x", "z", "-1"}));
  ShardingMap map;
  EXPECT_FALSE(map.is_sharded("conv1"));
  map.set("conv1", conv);
  EXPECT_TRUE(map.is_sharded("conv1"));
  EXPECT_EQ(map.get("conv1"), conv);
  EXPECT_EQ(map.get("conv1").output(0).array_text({64, 112, 112}), "D[8][16x56x112]");
  map.set_formal("image", {{3, 224, 224}, conv.input(0)});
  EXPECT_EQ(map.formals().at("image").shape, (Shape{3, 224, 224}));
  EXPECT_EQ(map.formals().at("image").sharded_shape(), (Shape{6, 1, 112, 224}));
  EXPECT_EQ(map.to_string(),
            "image: [3,224,224] -> [6][1,112,224] by {y, z, -1}\n"
            "conv1: mesh=[x=4, y=3, z=2] inputs={0: {y, z, -1}, 2: {x}} outputs={0: {x, z, -1}}\n");
  EXPECT_THAT(refusal([&] { static_cast<void>(map.get("conv2")); }), HasSubstr("'conv2' is not sharded"));
  EXPECT_THAT(refusal([&] { static_cast<void>(conv.input(1)); }),
              HasSubstr("nothing is known of input 1; known are [0, 2]"));
  EXPECT_THAT(refusal([&] { conv.set_output(0, ArraySharding::parse("mesh=[x=4] spec={x}")); }),
              HasSubstr("output 0 lies on mesh [x=4]"));
  EXPECT_THAT(refusal([&] {
                map.set_formal("image", {{3, 224}, conv.input(0)});
              }),
              HasSubstr("3 entries for an array of 2"));
}

TEST(ShardedArray, BlocksOfTwoSplitDimensionsAddUp) {
  const ArraySharding split = ArraySharding::parse("mesh=[x=3, y=2] spec={y, x}");
  const Shape shape{3, 7};
  std::vector<double> values(21);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  ShardedArray array = ShardedArray::split(values, shape, split);
  EXPECT_EQ(array.blocks(), 6);
  EXPECT_EQ(array.block_shape(), (Shape{2, 3}));
  // Of rows 2 and 3, columns 6 to 8: one element lies in the array. Block 5: the last of x, then the last of y.
  EXPECT_THAT(array.load(5), testing::ElementsAre(20, 0, 0, 0, 0, 0));
  EXPECT_THAT(array.load(2), testing::ElementsAre(3, 4, 5, 10, 11, 12));
  array.update_store(2, std::vector<double>{1, 2, 3, 4, 5, 6});
  EXPECT_THAT(array.load(2), testing::ElementsAre(4, 6, 8, 14, 16, 18));
  EXPECT_EQ(refusal([&] { static_cast<void>(array.load(6)); }), "sharded array: it has 6 blocks, and none of number 6");
  EXPECT_EQ(refusal([&] { array.store(0, std::vector<double>(7)); }), "sharded array: 7 numbers for a block of 6");
}

TEST(ShardingMap, SaysHowManyOperatorsAreSharded) {
  ShardingMap map;
  EXPECT_EQ(refusal([&] { static_cast<void>(map.get("a")); }), "sharding map: 'a' is not sharded; 0 operators are");
  map.set("b", OpSharding(Mesh({{"x", 2}})));
  EXPECT_EQ(refusal([&] { static_cast<void>(map.get("a")); }), "sharding map: 'a' is not sharded; 1 operators are");
}

}  // namespace
}  // namespace tacit::layout
