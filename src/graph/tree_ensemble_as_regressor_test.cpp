#include "graph/tree_ensemble_as_regressor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/refusal_for_test.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

Tensor list(std::vector<double> numbers, bool integral = false) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  return {{count}, std::move(numbers), integral};
}

/// x0 <= 1 ? (x1 > 2 ? 10 : 20) : 30 for target 0, and x1 in {1, 3} ? 5 : 7 for target 1.
Node two_trees() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return {"ai.onnx.ml.TreeEnsemble",
          "t",
          {0},
          {1},
          {{"n_targets", std::int64_t{2}},
           {"tree_roots", Integers{0, 2}},
           {"nodes_featureids", Integers{0, 1, 1}},
           {"nodes_modes", list({0, 3, 6}, true)},
           {"nodes_splits", list({1, 2, 0})},
           {"nodes_truenodeids", Integers{1, 0, 3}},
           {"nodes_trueleafs", Integers{0, 1, 1}},
           {"nodes_falsenodeids", Integers{2, 1, 4}},
           {"nodes_falseleafs", Integers{1, 1, 1}},
           {"leaf_targetids", Integers{0, 0, 0, 1, 1}},
           {"leaf_weights", list({10, 20, 30, 5, 7})},
           {"membership_values", list({1, 3, kNan})}}};
}

std::vector<double> scores(const Node& node, std::vector<double> row) {
  return tree_ensemble(as_tree_regressor(node)).scores(row);
}

TEST(TreeEnsembleOfVersionFive, IsARegressor) {
  const Node node = two_trees();
  EXPECT_THAT(scores(node, {1, 2.5}), ElementsAre(10, 7));
  EXPECT_THAT(scores(node, {1, 1}), ElementsAre(20, 5));
  EXPECT_THAT(scores(node, {1.5, 3}), ElementsAre(30, 5));
  Node average = node;
  average.attributes["aggregate_function"] = std::int64_t{0};
  EXPECT_THAT(scores(average, {1, 3}), ElementsAre(5, 2.5));
}

TEST(TreeEnsembleOfVersionFive, MissingValuesFollowTheirTracks) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Node node = two_trees();
  EXPECT_THAT(scores(node, {kNan, kNan}), ElementsAre(30, 7));
  node.attributes["nodes_missing_value_tracks_true"] = Integers{1, 0, 1};
  EXPECT_THAT(scores(node, {kNan, kNan}), ElementsAre(20, 5));
}

TEST(TreeEnsembleOfVersionFive, RefusesWhatIsNoTree) {
  const auto refused = [](const auto& change) {
    Node node = two_trees();
    change(node.attributes);
    return base::refusal([&] { as_tree_regressor(node); });
  };
  EXPECT_THAT(refused([](auto& a) { a["aggregate_function"] = std::int64_t{2}; }),
              HasSubstr("it aggregates trees by MIN; SUM and AVERAGE are supported"));
  EXPECT_THAT(refused([](auto& a) { a["nodes_trueleafs"] = Integers{0, 0, 1}; }), HasSubstr("form no tree"));
  EXPECT_THAT(refused([](auto& a) { a["nodes_truenodeids"] = Integers{1, 9, 3}; }), HasSubstr("leads to no leaf"));
  EXPECT_THAT(refused([](auto& a) { a["nodes_splits"] = list({1, 2}); }), HasSubstr("lists of nodes"));
  EXPECT_THAT(refused([](auto& a) { a["membership_values"] = list({}); }), HasSubstr("a set that is not there"));
  EXPECT_THAT(refused([](auto& a) { a["nodes_modes"] = list({0, 3, 7}, true); }), HasSubstr("the mode 7"));
}

}  // namespace
}  // namespace tacit::graph
