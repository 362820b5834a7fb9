#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Indexing, MovesElements) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(only("Transpose", {x}).data, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(only("Concat", {x, reals({2, 1}, {8, 9})}, {{"axis", std::int64_t{1}}}).data,
              ElementsAre(1, 2, 3, 8, 4, 5, 6, 9));
  const auto parts = all_of("Split", {x, integers({1, 2})}, {{"axis", std::int64_t{1}}}, 2);
  EXPECT_THAT(parts.at(0).data, ElementsAre(1, 4));
  EXPECT_THAT(parts.at(1).data, ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(only("Gather", {x, integers({-1, 0})}, {{"axis", std::int64_t{1}}}).data, ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(refusal("Gather", {x, integers({2})}), HasSubstr("index 2 is outside"));
  EXPECT_THAT(only("GatherElements", {x, {{1, 2}, {1, 0}, true}}).data, ElementsAre(4, 2));
  EXPECT_THAT(only("Expand", {reals({2, 1}, {1, 2}), integers({2})}).data, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(only("Tile", {reals({1, 2}, {1, 2}), integers({2, 2})}).data, ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
  EXPECT_THAT(only("NonZero", {reals({2, 2}, {0, 3, 4, 0})}).data, ElementsAre(0, 1, 1, 0));
}

TEST(Indexing, SlicesForwardsAndBackwards) {
  const Tensor x = reals({5}, {0, 1, 2, 3, 4});
  const auto slice = [&](double start, double end, double step) {
    return only("Slice", {x, integers({start}), integers({end}), integers({0}), integers({step})}).data;
  };
  EXPECT_THAT(slice(1, 0x1p53, 2), ElementsAre(1, 3));
  EXPECT_THAT(slice(-2, 0x1p53, 1), ElementsAre(3, 4));
  EXPECT_THAT(slice(-1, -0x1p53, -2), ElementsAre(4, 2, 0));
  EXPECT_THAT(slice(3, 1, 1), ElementsAre());
  EXPECT_THAT(refusal("Slice", {x, integers({0}), integers({1}), integers({1})}), HasSubstr("axis 1 is outside"));
}

TEST(Indexing, PadsInThreeModesAndCrops) {
  const Tensor x = reals({3}, {1, 2, 3});
  EXPECT_THAT(only("Pad", {x, integers({1, 2}), reals({}, {9})}).data, ElementsAre(9, 1, 2, 3, 9, 9));
  EXPECT_THAT(only("Pad", {x, integers({2, 1})}, {{"mode", std::string("reflect")}}).data,
              ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THAT(only("Pad", {x, integers({1, 1})}, {{"mode", std::string("edge")}}).data, ElementsAre(1, 1, 2, 3, 3));
  EXPECT_THAT(only("Pad", {x, integers({-1, 0})}).data, ElementsAre(2, 3));
}

TEST(Indexing, DepthAndSpace) {
  const Tensor depth = reals({1, 4, 1, 1}, {1, 2, 3, 4});
  const Tensor space = only("DepthToSpace", {depth}, {{"blocksize", std::int64_t{2}}});
  EXPECT_THAT(space.shape, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(space.data, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(only("SpaceToDepth", {space}, {{"blocksize", std::int64_t{2}}}).data, ElementsAre(1, 2, 3, 4));
}

TEST(Indexing, PadsAndWraps) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  const Attributes wrap{{"mode", std::string("wrap")}};
  EXPECT_THAT(only("Pad", {x, integers({0, 1, 0, 4}), reals({}, {9})}, wrap).data,
              ElementsAre(3, 1, 2, 3, 1, 2, 3, 1, 6, 4, 5, 6, 4, 5, 6, 4));
  EXPECT_THAT(only("Pad", {x, integers({0, 0, 1, 0}), reals({}, {9})}).data, ElementsAre(1, 2, 3, 4, 5, 6, 9, 9, 9));
  // What is cut off is not copied.
  EXPECT_THAT(only("Pad", {reals({3}, {1, 2, 3}), integers({-1, 2})}, wrap).data, ElementsAre(2, 3, 2, 3));
  EXPECT_THAT(refusal("Pad", {x, integers({1, 1})}), HasSubstr("pads must hold 4 values, not 2"));
  EXPECT_THAT(refusal("Pad", {x, integers({0x1p40, 0, 0, 0})}), HasSubstr("outside [-2^31"));
  EXPECT_THAT(refusal("Pad", {x, integers({0x1p30, 0, 0, 0})}), HasSubstr("more than"));
  EXPECT_THAT(refusal("Pad", {x, integers({-3, 0, 0, 0})}), HasSubstr("removes more"));
  EXPECT_THAT(refusal("Pad", {reals({0}, {}), integers({1, 0})}, wrap), HasSubstr("no element to copy"));
  EXPECT_THAT(refusal("Pad", {x, integers({0, 0, 0, 0})}, {{"mode", std::string("mirror")}}),
              HasSubstr("attribute 'mode': 'mirror' is none of constant, reflect, edge, wrap"));
}

TEST(Indexing, BlocksInBothOrders) {
  const Tensor space = reals({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  Attributes attributes{{"blocksize", std::int64_t{2}}};
  EXPECT_THAT(only("SpaceToDepth", {space}, attributes).data, ElementsAre(1, 5, 2, 6, 3, 7, 4, 8));
  attributes["mode"] = std::string("CRD");
  const Tensor depth = only("SpaceToDepth", {space}, attributes);
  EXPECT_THAT(depth.data, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(only("DepthToSpace", {depth}, attributes).data, space.data);
  attributes["mode"] = std::string("RDC");
  EXPECT_THAT(refusal("SpaceToDepth", {space}, attributes), HasSubstr("none of DCR, CRD"));
}

TEST(Indexing, SplitsUnevenly) {
  const Tensor x = reals({5}, {1, 2, 3, 4, 5});
  const auto parts = all_of("Split", {x, integers({3, 2})}, {}, 2);
  EXPECT_THAT(parts.at(0).data, ElementsAre(1, 2, 3));
  EXPECT_THAT(parts.at(1).data, ElementsAre(4, 5));
  EXPECT_THAT(refusal("Split", {x}), "nothing was refused");
  EXPECT_THROW(all_of("Split", {x}, {}, 2), base::InputError) << "5 has no half";
}

TEST(Indexing, TrianglesOfMatrices) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(only("Trilu", {x}).data, ElementsAre(1, 2, 3, 0, 5, 6));
  EXPECT_THAT(only("Trilu", {x, integers({}, {1})}).data, ElementsAre(0, 2, 3, 0, 0, 6));
  EXPECT_THAT(only("Trilu", {x, integers({}, {-1})}, {{"upper", std::int64_t{0}}}).data, ElementsAre(0, 0, 0, 4, 0, 0));
  EXPECT_THAT(refusal("Trilu", {reals({2}, {1, 2})}), HasSubstr("holds no matrix"));
}

TEST(Gathering, SlicesByTuples) {
  const Tensor x = reals({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Tensor slices = only("GatherND", {x, integers({2, 1}, {1, 0})});
  EXPECT_THAT(slices.shape, ElementsAre(2, 2, 2));
  EXPECT_THAT(slices.data, ElementsAre(4, 5, 6, 7, 0, 1, 2, 3));
  EXPECT_THAT(only("GatherND", {x, integers({2, 2}, {0, 1, -1, 0})}).data, ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(only("GatherND", {x, integers({2, 1}, {1, 0})}, {{"batch_dims", std::int64_t{1}}}).data,
              ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(refusal("GatherND", {x, integers({1, 1}, {2})}), HasSubstr("index 2 is outside"));
  EXPECT_THAT(refusal("GatherND", {x, integers({1, 4}, {0, 0, 0, 0})}), HasSubstr("do not fit"));
  EXPECT_THAT(refusal("GatherND", {x, integers({1, 1}, {0})}, {{"batch_dims", std::int64_t{2}}}),
              HasSubstr("batch_dims 2 is outside [0, 2)"));
  const Tensor condition = integers({0, 1});
  EXPECT_THAT(only("Compress", {x, condition}, {{"axis", std::int64_t{2}}}).data, ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(only("Compress", {x, condition}).data, ElementsAre(1));
  EXPECT_THAT(refusal("Compress", {x, integers({1, 1, 1})}, {{"axis", std::int64_t{0}}}),
              HasSubstr("does not fit an axis"));
}

TEST(Scattering, ElementsAndSlices) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor indices = integers({1, 2}, {-1, 0}), updates = reals({1, 2}, {10, 20});
  EXPECT_THAT(only("ScatterElements", {x, indices, updates}).data, ElementsAre(1, 20, 3, 10, 5, 6));
  Attributes along{{"axis", std::int64_t{1}}, {"reduction", std::string("add")}};
  EXPECT_THAT(only("ScatterElements", {x, indices, updates}, along).data, ElementsAre(21, 2, 13, 4, 5, 6));
  along["reduction"] = std::string("min");
  EXPECT_THAT(only("ScatterElements", {x, indices, updates}, along).data, ElementsAre(1, 2, 3, 4, 5, 6));
  along["reduction"] = std::string("sub");
  EXPECT_THAT(refusal("ScatterElements", {x, indices, updates}, along), HasSubstr("none of none, add, mul, max, min"));
  EXPECT_THAT(refusal("ScatterElements", {x, integers({1, 1}, {2}), reals({1, 1}, {0})}), HasSubstr("index 2 is out"));
  EXPECT_THAT(refusal("ScatterElements", {x, indices, reals({2}, {0, 0})}), HasSubstr("do not fit"));
  const Tensor row = integers({1, 1}, {1}), values = reals({1, 3}, {7, 8, 9});
  EXPECT_THAT(only("ScatterND", {x, row, values}).data, ElementsAre(1, 2, 3, 7, 8, 9));
  EXPECT_THAT(only("ScatterND", {x, row, values}, {{"reduction", std::string("mul")}}).data,
              ElementsAre(1, 2, 3, 28, 40, 54));
  EXPECT_THAT(only("ScatterND", {x, integers({2}, {0, 2}), reals({}, {7})}).data, ElementsAre(1, 2, 7, 4, 5, 6));
  EXPECT_THAT(refusal("ScatterND", {x, row, reals({3}, {7, 8, 9})}), HasSubstr("[1, 3] is needed"));
}

TEST(Scattering, OneHot) {
  const Tensor indices = integers({0, -1, 3}), depth = integers({}, {3}), values = reals({2}, {5, 1});
  EXPECT_THAT(only("OneHot", {indices, depth, values}).data, ElementsAre(1, 5, 5, 5, 5, 1, 5, 5, 5));
  const Tensor first = only("OneHot", {indices, depth, values}, {{"axis", std::int64_t{0}}});
  EXPECT_THAT(first.data, ElementsAre(1, 5, 5, 5, 5, 5, 5, 1, 5));
  EXPECT_THAT(refusal("OneHot", {indices, integers({}, {-1}), values}), HasSubstr("depth -1 is outside [0, 2^28]"));
  EXPECT_THAT(refusal("OneHot", {indices, integers({}, {0x1p28}), values}), HasSubstr("more than"));
}

TEST(Sorting, TopKWithTies) {
  const Tensor x = reals({2, 3}, {1, 5, 5, 2, 2, 0});
  const auto best = all_of("TopK", {x, integers({2})}, {}, 2);
  EXPECT_THAT(best.at(0).data, ElementsAre(5, 5, 2, 2));
  EXPECT_THAT(best.at(1).data, ElementsAre(1, 2, 0, 1));
  EXPECT_TRUE(best.at(1).integral);
  const auto least = all_of("TopK", {x, integers({1})}, {{"axis", std::int64_t{0}}, {"largest", std::int64_t{0}}}, 2);
  EXPECT_THAT(least.at(0).data, ElementsAre(1, 2, 0));
  EXPECT_THAT(least.at(1).data, ElementsAre(0, 1, 1));
  const auto missing = all_of("TopK", {reals({3}, {NAN, 1, NAN}), integers({2})}, {}, 2);
  EXPECT_THAT(missing.at(1).data, ElementsAre(1, 0)) << "what is no number comes last";
  EXPECT_THAT(refusal("TopK", {x, integers({4})}), HasSubstr("K is 4, outside [0, 3]"));
}

TEST(Indexing, PadsMayLeaveNothingAndFillWhatIsEmpty) {
  const Tensor x = reals({3}, {1, 2, 3}), none = reals({0}, {}), nine = reals({}, {9});
  EXPECT_THAT(only("Pad", {x, integers({-1, -2}), nine}).shape, ElementsAre(0));
  EXPECT_THAT(only("Pad", {x, integers({-3, 2}), nine}).data, ElementsAre(9, 9));
  EXPECT_THAT(only("Pad", {none, integers({1, 1}), nine}).data, ElementsAre(9, 9));
  EXPECT_THAT(only("Pad", {none, integers({0, 0})}, {{"mode", std::string("edge")}}).shape, ElementsAre(0));
  EXPECT_THAT(refusal("Pad", {x, integers({-2, -2}), nine}), HasSubstr("removes more than there is"));
}

TEST(Gathering, FeaturesOfAVectorAreARow) {
  const Tensor row = only("ai.onnx.ml.ArrayFeatureExtractor", {reals({3}, {5, 6, 7}), integers({2, 0})});
  EXPECT_THAT(row.shape, ElementsAre(1, 2));
  EXPECT_THAT(row.data, ElementsAre(7, 5));
  const Tensor rows = only("ai.onnx.ml.ArrayFeatureExtractor", {reals({2, 2}, {5, 6, 7, 8}), integers({1})});
  EXPECT_THAT(rows.shape, ElementsAre(2, 1));
  EXPECT_THAT(rows.data, ElementsAre(6, 8));
  EXPECT_THAT(refusal("ai.onnx.ml.ArrayFeatureExtractor", {reals({}, {1}), integers({0})}),
              HasSubstr("the input must have at least one axis"));
}

}  // namespace
}  // namespace tacit::graph::reference
