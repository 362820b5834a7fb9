#include "layout/sharding/sharding_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"

namespace tacit::layout {
namespace {

using base::refusal;
using testing::HasSubstr;

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

TEST(ShardingMap, SaysHowManyOperatorsAreSharded) {
  ShardingMap map;
  EXPECT_EQ(refusal([&] { static_cast<void>(map.get("a")); }), "sharding map: 'a' is not sharded; 0 operators are");
  map.set("b", OpSharding(Mesh({{"x", 2}})));
  EXPECT_EQ(refusal([&] { static_cast<void>(map.get("a")); }), "sharding map: 'a' is not sharded; 1 operators are");
}

}  // namespace
}  // namespace tacit::layout
