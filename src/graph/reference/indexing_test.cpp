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
  EXPECT_THAT(refusal("Split", {x}), base::kNotRefused);
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

TEST(Indexing, TransposesInAnyOrder) {
  const Tensor turned = only("Transpose", {reals({2, 1, 3}, {1, 2, 3, 4, 5, 6})}, {{"perm", Integers{2, 0, 1}}});
  EXPECT_THAT(turned.shape, ElementsAre(3, 2, 1));
  EXPECT_THAT(turned.data, ElementsAre(1, 4, 2, 5, 3, 6));
  for (const Integers& perm : {Integers{0, 0}, Integers{1, 2}, Integers{0}})
    EXPECT_THAT(refusal("Transpose", {reals({2, 1}, {1, 2})}, {{"perm", perm}}), HasSubstr("is no permutation of 2"));
}

TEST(Indexing, ConcatenatesAnyNumberAlongAnyAxis) {
  const Tensor a = reals({2, 1, 2}, {1, 2, 3, 4}), b = reals({2, 2, 2}, {5, 6, 7, 8, 9, 10, 11, 12});
  const Tensor joined = only("Concat", {a, b, a}, {{"axis", std::int64_t{-2}}});
  EXPECT_THAT(joined.shape, ElementsAre(2, 4, 2));
  EXPECT_THAT(joined.data, ElementsAre(1, 2, 5, 6, 7, 8, 1, 2, 3, 4, 9, 10, 11, 12, 3, 4));
  const Attributes first{{"axis", std::int64_t{0}}};
  const Tensor whole = integers({1}), real = reals({1}, {0.5});
  EXPECT_TRUE(only("Concat", {whole, whole}, first).integral);
  EXPECT_FALSE(only("Concat", {whole, real}, first).integral);
  EXPECT_FALSE(only("Concat", {real, whole}, first).integral);
  EXPECT_THAT(refusal("Concat", {a, b}, first), HasSubstr("shapes [2, 1, 2] and [2, 2, 2] differ beside axis 0"));
  EXPECT_THAT(refusal("Concat", {a, whole}, first), HasSubstr("shapes [2, 1, 2] and [1] differ beside axis 0"));
}

TEST(Indexing, PartsOfASplitAddUp) {
  const Tensor x = integers({2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Attributes middle{{"axis", std::int64_t{1}}};
  const auto halves = all_of("Split", {x}, middle, 2);
  EXPECT_THAT(halves.at(0).shape, ElementsAre(2, 2, 1));
  EXPECT_THAT(halves.at(0).data, ElementsAre(1, 2, 5, 6));
  EXPECT_THAT(halves.at(1).data, ElementsAre(3, 4, 7, 8));
  EXPECT_TRUE(halves.at(1).integral);
  const auto refused = [&](const Tensor& lengths, std::size_t parts) {
    return base::refusal([&] { all_of("Split", {x, lengths}, middle, parts); });
  };
  EXPECT_THAT(all_of("Split", {x, integers({0, 4})}, middle, 2).at(1).data, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(refused(integers({5, 0}), 2), HasSubstr("a part of extent 5 does not fit"));
  EXPECT_THAT(refused(integers({-1, 4}), 2), HasSubstr("a part of extent -1 does not fit"));
  EXPECT_THAT(refused(integers({2, 1}), 2), HasSubstr("2 parts [2, 1] do not add up to extent 4"));
  EXPECT_THAT(refused(integers({2, 2}), 3), HasSubstr("3 parts [2, 2] do not add up to extent 4"));
}

TEST(Indexing, SlicesStayWithinTheAxis) {
  const Tensor x = reals({5}, {0, 1, 2, 3, 4});
  const auto slice = [&](double start, double end, double step) {
    return only("Slice", {x, integers({start}), integers({end}), integers({0}), integers({step})}).data;
  };
  EXPECT_THAT(slice(-9, 2, 1), ElementsAre(0, 1));
  EXPECT_THAT(slice(-5, 9, 3), ElementsAre(0, 3));
  EXPECT_THAT(slice(0, -1, 1), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(slice(9, 1, -1), ElementsAre(4, 3, 2));
  EXPECT_THAT(slice(5, 9, 1), ElementsAre());
  EXPECT_THAT(slice(4, -1, -1), ElementsAre());
  EXPECT_THAT(slice(1, -5, -1), ElementsAre(1));
  EXPECT_THAT(slice(1, -6, -1), ElementsAre(1, 0));
  EXPECT_THAT(only("Slice", {reals({0}, {}), integers({0}), integers({-9}), integers({0}), integers({-1})}).shape,
              ElementsAre(0));
}

TEST(Indexing, SlicesBackwardHaveNoEndThatRuntimesReadDifferently) {
  const Tensor x = reals({3}, {1, 2, 3});
  const auto backward = [&](double end) {
    return refusal("Slice", {x, integers({2}), integers({end}), integers({0}), integers({-1})});
  };
  EXPECT_THAT(backward(2147483647), HasSubstr("a slice backward that ends at 2147483647 is empty for some runtimes"));
  EXPECT_THAT(backward(2147483646), base::kNotRefused);
  EXPECT_THAT(backward(0x1p53), base::kNotRefused);
  EXPECT_THAT(backward(0x1p62), HasSubstr("a slice backward that ends at 4611686018427387904 is empty"));
  EXPECT_THAT(only("Slice", {x, integers({1}), integers({2147483647})}).data, ElementsAre(2, 3));
  EXPECT_THAT(only("Slice", {x, integers({1}), integers({0x1p62})}).data, ElementsAre(2, 3));
}

TEST(Indexing, SlicesOfSeveralAxes) {
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(only("Slice", {x, integers({1, 0}), integers({2, 2})}).data, ElementsAre(4, 5)) << "the first axes";
  EXPECT_THAT(only("Slice", {x, integers({1}), integers({3}), integers({-1})}).data, ElementsAre(2, 3, 5, 6));
  const Tensor one = integers({0}), two = integers({0, 1}), ends = integers({1});
  const char* kNumbers = "starts, ends, axes and steps must hold the same number of values";
  EXPECT_THAT(refusal("Slice", {x, one, integers({1, 1})}), HasSubstr(kNumbers));
  EXPECT_THAT(refusal("Slice", {x, one, ends, two}), HasSubstr(kNumbers));
  EXPECT_THAT(refusal("Slice", {x, one, ends, one, integers({1, 1})}), HasSubstr(kNumbers));
  EXPECT_THAT(refusal("Slice", {x, one, ends, one, integers({0})}), HasSubstr("needs a step other than zero"));
}

TEST(Indexing, ExpandsAndTiles) {
  const Tensor x = integers({1, 2}, {1, 2});
  const Tensor wide = only("Expand", {x, integers({2, 2, 1})});
  EXPECT_THAT(wide.shape, ElementsAre(2, 2, 2));
  EXPECT_THAT(wide.data, ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
  EXPECT_TRUE(wide.integral);
  EXPECT_THAT(refusal("Expand", {x, integers({3})}), HasSubstr("a tensor of shape [1, 2] does not expand to [3]"));
  EXPECT_THAT(only("Tile", {reals({2, 2}, {1, 2, 3, 4}), integers({1, 3})}).data,
              ElementsAre(1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4));
  EXPECT_THAT(only("Tile", {x, integers({3, 0})}).shape, ElementsAre(3, 0));
  EXPECT_THAT(refusal("Tile", {x, integers({2})}), HasSubstr("1 repeats do not fit a tensor of shape [1, 2]"));
  EXPECT_THAT(refusal("Tile", {x, integers({1, -1})}), HasSubstr("-1 repeats are outside [0, 2^31]"));
  EXPECT_THAT(refusal("Tile", {x, integers({0x1p31 + 1, 1})}), HasSubstr("2147483649 repeats are outside [0, 2^31]"));
  EXPECT_THAT(refusal("Tile", {x, integers({0x1p31, 1})}), HasSubstr("more than"));
}

TEST(Indexing, TrianglesOfStackedMatrices) {
  const Tensor x = integers({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor upper = only("Trilu", {x});
  EXPECT_THAT(upper.data, ElementsAre(1, 2, 0, 4, 5, 6, 0, 8));
  EXPECT_TRUE(upper.integral);
  EXPECT_THAT(only("Trilu", {x}, {{"upper", std::int64_t{0}}}).data, ElementsAre(1, 0, 3, 4, 5, 0, 7, 8));
  EXPECT_THAT(only("Trilu", {reals({3, 2}, {1, 2, 3, 4, 5, 6}), integers({}, {-1})}).data,
              ElementsAre(1, 2, 3, 4, 0, 6));
}

TEST(Indexing, PositionsOfWhatIsNotZero) {
  const Tensor found = only("NonZero", {reals({2, 2, 3}, {0, 0, -1, 0, 0, 0, 0.5, 0, 0, 0, 0, 7})});
  EXPECT_THAT(found.shape, ElementsAre(3, 3));
  EXPECT_THAT(found.data, ElementsAre(0, 1, 1, 0, 0, 1, 2, 0, 2));
  EXPECT_TRUE(found.integral);
  EXPECT_THAT(only("NonZero", {reals({2}, {0, 0})}).shape, ElementsAre(1, 0));
}

TEST(Indexing, BlocksOfManyChannels) {
  const Attributes two{{"blocksize", std::int64_t{2}}};
  EXPECT_THAT(only("DepthToSpace", {reals({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7})}, two).data,
              ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  Tensor deep = reals({2, 18, 2, 3}, Reals(216));
  for (std::size_t i = 0; i < deep.data.size(); ++i) deep.data[i] = static_cast<double>(i);
  for (const char* mode : {"DCR", "CRD"}) {
    const Attributes three{{"blocksize", std::int64_t{3}}, {"mode", std::string(mode)}};
    const Tensor space = only("DepthToSpace", {deep}, three);
    EXPECT_THAT(space.shape, ElementsAre(2, 2, 6, 9)) << mode;
    EXPECT_NE(space.data, deep.data) << mode;
    const Attributes back = std::string(mode) == "DCR" ? Attributes{{"blocksize", std::int64_t{3}}} : three;
    const Tensor depth = only("SpaceToDepth", {space}, back);
    EXPECT_THAT(depth.shape, ElementsAre(2, 18, 2, 3)) << mode;
    EXPECT_EQ(depth.data, deep.data) << mode;
  }
}

TEST(Indexing, RefusesBlocksThatDoNotFit) {
  const auto refused = [](const char* op, Shape shape, std::int64_t block) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return refusal(op, {reals(std::move(shape), Reals(static_cast<std::size_t>(count)))}, {{"blocksize", block}});
  };
  EXPECT_THAT(refused("DepthToSpace", {1, 4, 1}, 2), HasSubstr("the input must have four axes, not [1, 4, 1]"));
  EXPECT_THAT(refused("SpaceToDepth", {1, 1, 2, 2, 1}, 2), HasSubstr("four axes, not [1, 1, 2, 2, 1]"));
  EXPECT_THAT(refused("DepthToSpace", {1, 6, 1, 1}, 2), HasSubstr("6 channels do not split into blocks of 2 x 2"));
  EXPECT_THAT(refused("DepthToSpace", {1, 4, 1, 1}, 32768), HasSubstr("4 channels do not split into blocks of 32768"));
  for (const std::int64_t block : {0, 32769})
    EXPECT_THAT(refused("DepthToSpace", {1, 4, 1, 1}, block), HasSubstr("outside [1, 32768]")) << block;
  EXPECT_THAT(refused("SpaceToDepth", {1, 1, 3, 2}, 2),
              HasSubstr("a map [1, 1, 3, 2] does not split into blocks of 2"));
  EXPECT_THAT(refused("SpaceToDepth", {1, 1, 2, 3}, 2),
              HasSubstr("a map [1, 1, 2, 3] does not split into blocks of 2"));
}

TEST(Indexing, PadsReachAsFarAsTheirModeAllows) {
  const Tensor x = reals({3}, {1, 2, 3});
  const auto mode = [](const char* name) { return Attributes{{"mode", std::string(name)}}; };
  EXPECT_THAT(only("Pad", {x, integers({2, 2})}, mode("reflect")).data, ElementsAre(3, 2, 1, 2, 3, 2, 1));
  EXPECT_THAT(only("Pad", {x, integers({2, 3})}, mode("edge")).data, ElementsAre(1, 1, 1, 2, 3, 3, 3, 3));
  EXPECT_THAT(only("Pad", {x, integers({1, 1})}).data, ElementsAre(0, 1, 2, 3, 0));
  const char* kReflected = "a reflected pad must be smaller than the extent 3";
  EXPECT_THAT(refusal("Pad", {x, integers({3, 0})}, mode("reflect")), HasSubstr(kReflected));
  EXPECT_THAT(refusal("Pad", {x, integers({0, 3})}, mode("reflect")), HasSubstr(kReflected));
  EXPECT_THAT(refusal("Pad", {reals({1}, {1}), integers({1, 0})}, mode("reflect")), HasSubstr("than the extent 1"));
  EXPECT_THAT(only("Pad", {reals({1}, {5}), integers({0, 0})}, mode("reflect")).data, ElementsAre(5));
  EXPECT_THAT(only("Pad", {reals({0}, {}), integers({0, 0})}, mode("reflect")).shape, ElementsAre(0));
  EXPECT_THAT(only("Pad", {reals({1}, {5}), integers({2, 1})}, mode("wrap")).data, ElementsAre(5, 5, 5, 5));
  EXPECT_THAT(refusal("Pad", {reals({1, 0}, {}), integers({0, 0, 0, 1})}, mode("edge")),
              HasSubstr("mode 'edge' cannot fill axis 1, which has no element to copy"));
  EXPECT_THAT(only("Pad", {integers({}, {4}), integers({0}, {})}).data, ElementsAre(4));
  EXPECT_TRUE(only("Pad", {integers({4}), integers({-1, 0})}).integral);
  EXPECT_THAT(refusal("Pad", {x, integers({0x1p31 + 1, 0})}), HasSubstr("are outside [-2^31, 2^31]"));
  EXPECT_THAT(refusal("Pad", {x, integers({0, -0x1p31 - 1})}),
              HasSubstr("pads [0, -2147483649] are outside [-2^31, 2^31]"));
  EXPECT_THAT(refusal("Pad", {x, integers({0x1p31, 0})}), HasSubstr("more than"));
  EXPECT_THAT(refusal("Pad", {x, integers({-0x1p31, 0})}), HasSubstr("removes more than there is"));
}

}  // namespace
}  // namespace tacit::graph::reference
