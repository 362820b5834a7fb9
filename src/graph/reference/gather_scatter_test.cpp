#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kMatrix23 = reals({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor kCube = reals({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
Attributes axis(std::int64_t at) { return {{"axis", at}}; }

TEST(Gathering, IndicesReachFromOneEndToTheOther) {
  EXPECT_THAT(only("Gather", {reals({3}, {7, 8, 9}), integers({-3, 0, 2, -1})}).data, ElementsAre(7, 7, 9, 9));
  const Tensor x = reals({3}, {7, 8, 9});
  EXPECT_THAT(refusal("Gather", {x, integers({3})}), HasSubstr("index 3 is outside an axis of extent 3"));
  EXPECT_THAT(refusal("Gather", {x, integers({-4})}), HasSubstr("index -4 is outside an axis of extent 3"));
}

TEST(Gathering, IndicesReplaceTheAxis) {
  const Tensor middle = only("Gather", {kCube, integers({}, {1})}, axis(1));
  EXPECT_THAT(middle.shape, ElementsAre(2, 2));
  EXPECT_THAT(middle.data, ElementsAre(2, 3, 6, 7));
  const Tensor wide = only("Gather", {kMatrix23, integers({2, 2}, {0, 1, 2, 0})}, axis(-1));
  EXPECT_THAT(wide.shape, ElementsAre(2, 2, 2));
  EXPECT_THAT(wide.data, ElementsAre(1, 2, 3, 1, 4, 5, 6, 4));
  EXPECT_FALSE(wide.integral);
  EXPECT_TRUE(only("Gather", {integers({1, 2}), integers({0})}).integral);
  EXPECT_THAT(refusal("Gather", {kMatrix23, integers({0})}, axis(2)), HasSubstr("axis 2 is outside [-2, 2)"));
  const Tensor features = only("ai.onnx.ml.ArrayFeatureExtractor", {kCube, integers({1, 3}, {1, 0, 1})});
  EXPECT_THAT(features.shape, ElementsAre(2, 2, 3));
  EXPECT_THAT(features.data, ElementsAre(1, 0, 1, 3, 2, 3, 5, 4, 5, 7, 6, 7));
}

TEST(Gathering, ElementsBesideTheirOwnPositions) {
  const Tensor middle = only("GatherElements", {kCube, integers({2, 1, 2}, {1, 0, 0, -1})}, axis(1));
  EXPECT_THAT(middle.shape, ElementsAre(2, 1, 2));
  EXPECT_THAT(middle.data, ElementsAre(2, 1, 4, 7));
  EXPECT_THAT(only("GatherElements", {kMatrix23, integers({1, 4}, {0, 1, 2, 0})}, axis(1)).data,
              ElementsAre(1, 2, 3, 1))
      << "longer along the axis, shorter beside it";
  EXPECT_THAT(refusal("GatherElements", {kMatrix23, integers({3, 1}, {0, 0, 0})}, axis(1)),
              HasSubstr("indices of shape [3, 1] do not fit an input of shape [2, 3]"));
  EXPECT_THAT(refusal("GatherElements", {kMatrix23, integers({1, 4}, {0, 0, 0, 0})}, axis(0)),
              HasSubstr("indices of shape [1, 4] do not fit an input of shape [2, 3]"));
  EXPECT_THAT(refusal("GatherElements", {kMatrix23, integers({0})}), HasSubstr("indices of shape [1] do not fit"));
  EXPECT_TRUE(only("GatherElements", {integers({1, 2}), integers({0})}).integral);
}

TEST(Gathering, SlicesBehindSharedAxes) {
  const auto shared = [](std::int64_t axes) { return Attributes{{"batch_dims", axes}}; };
  const Tensor rows = only("GatherND", {kCube, integers({2, 2, 1}, {1, 0, 0, 1})}, shared(1));
  EXPECT_THAT(rows.shape, ElementsAre(2, 2, 2));
  EXPECT_THAT(rows.data, ElementsAre(2, 3, 0, 1, 4, 5, 6, 7));
  const Tensor pairs = only("GatherND", {kCube, integers({2, 2}, {1, 0, 0, 1})}, shared(1));
  EXPECT_THAT(pairs.shape, ElementsAre(2));
  EXPECT_THAT(pairs.data, ElementsAre(2, 5));
  EXPECT_THAT(only("GatherND", {kCube, integers({2, 2, 1}, {0, 1, 1, 0})}, shared(2)).data, ElementsAre(0, 3, 5, 6));
  const Tensor element = only("GatherND", {kCube, integers({3}, {1, 0, 1})});
  EXPECT_TRUE(element.shape.empty());
  EXPECT_THAT(element.data, ElementsAre(5));
  EXPECT_THAT(only("GatherND", {kCube, integers({0, 1}, {})}).shape, ElementsAre(0, 2, 2));
  EXPECT_TRUE(only("GatherND", {integers({1, 2}), integers({1, 1}, {0})}).integral);
}

TEST(Gathering, RefusesTuplesThatDoNotFit) {
  const auto refused = [](const Tensor& indices, std::int64_t shared) {
    return refusal("GatherND", {kCube, indices}, {{"batch_dims", shared}});
  };
  EXPECT_THAT(refused(integers({1, 1}, {0}), -1), HasSubstr("batch_dims -1 is outside [0, 2)"));
  EXPECT_THAT(refused(integers({1, 1, 1, 1}, {0}), 3), HasSubstr("batch_dims 3 is outside [0, 3)"));
  EXPECT_THAT(refused(integers({}, {0}), 0), HasSubstr("batch_dims 0 is outside [0, 0)"));
  EXPECT_THAT(refused(integers({1, 1}, {0}), 1),
              HasSubstr("indices of shape [1, 1] with 1 shared axes do not fit an input of shape [2, 2, 2]"));
  EXPECT_THAT(refused(integers({1, 0}, {}), 0), HasSubstr("indices of shape [1, 0] with 0 shared axes do not fit"));
  EXPECT_THAT(refused(integers({2, 3}, {0, 0, 0, 0, 0, 0}), 1), HasSubstr("[2, 3] with 1 shared axes do not fit"));
}

TEST(Gathering, ConditionsKeepSlicesOrElements) {
  const Tensor rows = only("Compress", {kMatrix23, integers({0, 2})}, axis(-2));
  EXPECT_THAT(rows.shape, ElementsAre(1, 3));
  EXPECT_THAT(rows.data, ElementsAre(4, 5, 6));
  EXPECT_THAT(only("Compress", {kMatrix23, integers({1, 0, 1})}, axis(1)).data, ElementsAre(1, 3, 4, 6));
  EXPECT_THAT(only("Compress", {kMatrix23, integers({0, 1, 0, 0, 1, 1})}).data, ElementsAre(2, 5, 6));
  EXPECT_THAT(refusal("Compress", {kMatrix23, integers({0, 1, 0})}, axis(0)),
              HasSubstr("a condition of shape [3] does not fit an axis of extent 2"));
  EXPECT_THAT(refusal("Compress", {kMatrix23, integers({0, 0, 0, 0, 0, 0, 1})}),
              HasSubstr("a condition of shape [7] does not fit an axis of extent 6"));
  EXPECT_THAT(refusal("Compress", {kMatrix23, integers({1, 2}, {1, 1})}),
              HasSubstr("a condition of shape [1, 2] does not fit an axis of extent 6"));
}

/// The element that an update makes of an old one.
Tensor updated(IntegerType type, const char* reduction, const Tensor& old, const Tensor& update) {
  Graph graph;
  for (const IntegerType of : {type, IntegerType::int64, IntegerType::int64}) {
    graph.tensors.push_back({"t", {1}, true});
    graph.tensors.back().integers = of;
  }
  const Tensor at = integers({0});
  const Tensor* inputs[] = {&old, &at, &update};
  const Node node{"ScatterElements", "n", {0, 1, 2}, {0}, {{"reduction", std::string(reduction)}}};
  return evaluate(graph, node, inputs).at(0);
}

TEST(Scattering, UpdatesMeetWhatIsThere) {
  const auto real = [](const char* reduction, double old, double update) {
    return updated(IntegerType::int64, reduction, reals({1}, {old}), reals({1}, {update})).data.at(0);
  };
  EXPECT_EQ(real("none", 2, 0.5), 0.5);
  EXPECT_EQ(real("add", 2, 0.5), 2.5);
  EXPECT_EQ(real("mul", 3, 0.5), 1.5);
  EXPECT_EQ(real("max", 2, 0.5), 2);
  EXPECT_EQ(real("max", 0.5, 2), 2);
  EXPECT_EQ(real("min", 2, 0.5), 0.5);
  EXPECT_EQ(real("min", 0.5, 2), 0.5);
  const auto narrow = [](const char* reduction, double old, double update) {
    return updated(IntegerType::int8, reduction, integers({old}), integers({update})).data.at(0);
  };
  EXPECT_EQ(narrow("add", 100, 100), -56);
  EXPECT_EQ(narrow("mul", 16, 9), -112);
  EXPECT_EQ(narrow("max", -3, 5), 5);
  EXPECT_EQ(narrow("min", -3, 5), -3);
  EXPECT_EQ(narrow("none", -3, 5), 5);
}

TEST(Scattering, IntegersAreExactUpTo2To53) {
  const auto wide = [](const char* reduction, double old, double update) {
    return updated(IntegerType::int64, reduction, integers({old}), integers({update})).data.at(0);
  };
  const auto refused = [&](const char* reduction, double old, double update) {
    return base::refusal([&] { wide(reduction, old, update); });
  };
  EXPECT_EQ(wide("add", 0x1p53 - 1, 1), 0x1p53);
  EXPECT_EQ(wide("mul", 0x1p26, -0x1p27), -0x1p53);
  EXPECT_THAT(refused("add", 0x1p53, 1), HasSubstr("an integer that it makes is beyond 2^53"));
  EXPECT_THAT(refused("add", -0x1p53, -1), HasSubstr("beyond 2^53"));
  EXPECT_THAT(refused("mul", 0x1p27, 0x1p27), HasSubstr("beyond 2^53"));
}

TEST(Scattering, RefusesElementsThatDoNotFit) {
  EXPECT_THAT(refusal("ScatterElements", {kMatrix23, integers({1, 2}, {0, 0}), reals({2, 1}, {0, 0})}),
              HasSubstr("indices of shape [1, 2] and updates of shape [2, 1] do not fit an input of shape [2, 3]"));
  EXPECT_THAT(refusal("ScatterElements", {kMatrix23, integers({1, 4}, {0, 0, 0, 0}), reals({1, 4}, {0, 0, 0, 0})}),
              HasSubstr("indices of shape [1, 4] and updates of shape [1, 4] do not fit"));
  EXPECT_THAT(refusal("ScatterElements", {kMatrix23, integers({1, 1}, {-3}), reals({1, 1}, {0})}),
              HasSubstr("index -3 is outside an axis of extent 2"));
  const Tensor middle =
      only("ScatterElements", {kCube, integers({2, 1, 2}, {1, 0, 0, -1}), reals({2, 1, 2}, {20, 30, 40, 50})}, axis(1));
  EXPECT_THAT(middle.data, ElementsAre(0, 30, 20, 3, 40, 5, 6, 50));
}

TEST(Scattering, SlicesOfAnyDepth) {
  const Tensor pairs = only("ScatterND", {kCube, integers({2, 2}, {0, 1, -1, 0}), reals({2, 2}, {20, 30, 40, 50})});
  EXPECT_THAT(pairs.data, ElementsAre(0, 1, 20, 30, 40, 50, 6, 7));
  const Tensor twice = only("ScatterND", {kMatrix23, integers({2, 1}, {1, 1}), reals({2, 3}, {1, 2, 3, 10, 20, 30})},
                            {{"reduction", std::string("add")}});
  EXPECT_THAT(twice.data, ElementsAre(1, 2, 3, 15, 27, 39));
  EXPECT_THAT(only("ScatterND", {kMatrix23, integers({0, 1}, {}), reals({0, 3}, {})}).data,
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(only("ScatterND", {kMatrix23, integers({2, 2}, {0, 0, 1, 2}), reals({2}, {8, 9})}).data,
              ElementsAre(8, 2, 3, 4, 5, 9));
}

TEST(Scattering, RefusesSlicesThatDoNotFit) {
  const auto refused = [](const Tensor& indices, const Tensor& updates) {
    return refusal("ScatterND", {kMatrix23, indices, updates});
  };
  const Tensor one = reals({1}, {0});
  EXPECT_THAT(refused(integers({}, {0}), one), HasSubstr("indices of shape [] do not fit an input of shape [2, 3]"));
  EXPECT_THAT(refused(integers({1, 0}, {}), one), HasSubstr("indices of shape [1, 0] do not fit"));
  EXPECT_THAT(refused(integers({1, 3}, {0, 0, 0}), one), HasSubstr("indices of shape [1, 3] do not fit"));
  EXPECT_THAT(refused(integers({1, 1}, {0}), reals({1, 2}, {0, 0})),
              HasSubstr("updates of shape [1, 2] do not fit: [1, 3] is needed"));
  EXPECT_THAT(refused(integers({1, 1}, {2}), reals({1, 3}, {0, 0, 0})),
              HasSubstr("index 2 is outside an axis of extent 2"));
  EXPECT_THAT(refused(integers({1, 2}, {0, 3}), one), HasSubstr("index 3 is outside an axis of extent 3"));
}

TEST(Scattering, OneHotOfAnyAxisAndIndex) {
  const Tensor bits = integers({2}, {0, 1});
  const auto hot = [&](const Tensor& indices, double depth, std::int64_t at) {
    return only("OneHot", {indices, reals({}, {depth}), bits}, axis(at));
  };
  const Tensor middle = hot(integers({2, 2}, {0, 1, 2, -1}), 3, 1);
  EXPECT_THAT(middle.shape, ElementsAre(2, 3, 2));
  EXPECT_THAT(middle.data, ElementsAre(1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1));
  EXPECT_TRUE(middle.integral) << "as its values are";
  EXPECT_FALSE(only("OneHot", {integers({0}), integers({}, {2}), reals({2}, {0, 1})}).integral);
  EXPECT_THAT(hot(integers({-2, 1, 2, -3}), 2, -1).data, ElementsAre(1, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(hot(reals({2}, {1.75, -0.5}), 2.75, 1).data, ElementsAre(0, 1, 1, 0)) << "cut to integers";
  EXPECT_THAT(hot(integers({0, 1}), 0, 1).shape, ElementsAre(2, 0));
  EXPECT_THAT(hot(integers({}, {1}), 2, 0).data, ElementsAre(0, 1));
}

TEST(Scattering, OneHotRefusesOtherDepthsValuesAndAxes) {
  const Tensor index = integers({0}), two = integers({}, {2}), bits = integers({0, 1});
  EXPECT_THAT(refusal("OneHot", {index, integers({}, {0x1p28 + 1}), bits}),
              HasSubstr("depth 268435457 is outside [0, 2^28]"));
  EXPECT_THAT(refusal("OneHot", {integers({0, 0}), integers({}, {0x1p28}), bits}), HasSubstr("more than"));
  EXPECT_THAT(refusal("OneHot", {index, two, integers({0, 1, 2})}), HasSubstr("its values must be two: off and on"));
  EXPECT_THAT(refusal("OneHot", {index, two, integers({1})}), HasSubstr("its values must be two: off and on"));
  EXPECT_THAT(refusal("OneHot", {index, two, bits}, axis(2)), HasSubstr("axis 2 is outside [-2, 2)"));
}

}  // namespace
}  // namespace tacit::graph::reference
