#include "graph/tree_ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"

namespace tacit::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;

/// One tree: the second feature up to 0.5 gives 10 to the first target, above it 20 to the second.
Node regressor() {
  return {"ai.onnx.ml.TreeEnsembleRegressor",
          "t",
          {0},
          {1},
          {{"nodes_treeids", Integers{0, 0, 0}},
           {"nodes_nodeids", Integers{0, 1, 2}},
           {"nodes_featureids", Integers{1, 0, 0}},
           {"nodes_modes", Texts{"BRANCH_LEQ", "LEAF", "LEAF"}},
           {"nodes_values", Reals{0.5, 0, 0}},
           {"nodes_truenodeids", Integers{1, 0, 0}},
           {"nodes_falsenodeids", Integers{2, 0, 0}},
           {"target_treeids", Integers{0, 0}},
           {"target_nodeids", Integers{1, 2}},
           {"target_ids", Integers{0, 1}},
           {"target_weights", Reals{10, 20}},
           {"n_targets", std::int64_t{2}}}};
}

/// Leaves of these classes, and so many labels.
Node classifier(const Integers& classes, std::size_t labels) {
  Node node = regressor();
  node.op = "ai.onnx.ml.TreeEnsembleClassifier";
  node.attributes.erase("n_targets");
  for (const char* list : {"treeids", "nodeids", "ids", "weights"}) {
    auto moved = node.attributes.extract(std::string("target_") + list);
    moved.key() = std::string("class_") + list;
    node.attributes.insert(std::move(moved));
  }
  node.attributes["class_ids"] = classes;
  node.attributes["classlabels_int64s"] = Integers(labels, 7);
  return node;
}

std::string ensemble_refusal(Node node, const std::string& attribute, const Attribute& value) {
  node.attributes[attribute] = value;
  return base::refusal([&] { tree_ensemble(node); });
}

TEST(TreeEnsemble, AddsUpTheWeightsOfItsLeaves) {
  Node node = regressor();
  const TreeEnsemble one = tree_ensemble(node);
  EXPECT_EQ(one.targets(), 2u);
  EXPECT_EQ(one.features, 2);
  EXPECT_THAT(one.scores(Reals{9, 0.5}), ElementsAre(10, 0));
  EXPECT_THAT(one.scores(Reals{9, 0.75}), ElementsAre(0, 20));
  EXPECT_EQ(one.trees.at(0).at(1).weight_of(0), 10);
  EXPECT_EQ(one.trees.at(0).at(1).weight_of(1), 0);
  node.attributes["base_values"] = Reals{1, 2};
  EXPECT_THAT(tree_ensemble(node).scores(Reals{9, 0.5}), ElementsAre(11, 2));
  // A second tree, of one leaf with two weights of a target: its mean with the first.
  for (const char* list : {"nodes_nodeids", "nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids"})
    std::get<Integers>(node.attributes[list]).push_back(0);
  std::get<Integers>(node.attributes["nodes_treeids"]).push_back(5);
  std::get<Texts>(node.attributes["nodes_modes"]).emplace_back("LEAF");
  std::get<Reals>(node.attributes["nodes_values"]).push_back(0);
  node.attributes["target_treeids"] = Integers{0, 0, 5, 5};
  node.attributes["target_nodeids"] = Integers{1, 2, 0, 0};
  node.attributes["target_ids"] = Integers{0, 1, 1, 1};
  node.attributes["target_weights"] = Reals{10, 20, 3, 5};
  const TreeEnsemble sum = tree_ensemble(node);
  EXPECT_EQ(sum.trees.size(), 2u);
  EXPECT_EQ(sum.trees.at(1).at(0).weight_of(1), 8);
  EXPECT_THAT(sum.scores(Reals{9, 0.5}), ElementsAre(11, 10));
  node.attributes["aggregate_function"] = std::string("AVERAGE");
  EXPECT_THAT(tree_ensemble(node).scores(Reals{9, 0.5}), ElementsAre(6, 6));
}

TEST(TreeEnsemble, AClassifierScoresEveryLabelOrOneClassOfTwo) {
  const Reals row{9, 0.5};
  EXPECT_THAT(tree_ensemble(classifier({0, 0}, 2)).scores(row), ElementsAre(10));
  EXPECT_THAT(tree_ensemble(classifier({0, 0}, 1)).scores(row), ElementsAre(10));
  EXPECT_THAT(tree_ensemble(classifier({0, 1}, 2)).scores(row), ElementsAre(10, 0));
  EXPECT_THAT(tree_ensemble(classifier({1, 0}, 2)).scores(row), ElementsAre(0, 10));
  EXPECT_THAT(tree_ensemble(classifier({0, 0}, 3)).scores(row), ElementsAre(10, 0, 0));
  EXPECT_THAT(tree_ensemble(classifier({1, 1}, 3)).scores(row), ElementsAre(0, 10, 0));
  EXPECT_THAT(tree_ensemble(classifier({2, 0}, 3)).scores(row), ElementsAre(0, 0, 10));
  const auto said = [](const Integers& classes, std::size_t labels) {
    return base::refusal([&] { tree_ensemble(classifier(classes, labels)); });
  };
  EXPECT_THAT(said({1, 1}, 2), HasSubstr("all its leaves have scores of class 1; write the class 0"));
  EXPECT_THAT(said({0, 2}, 2), HasSubstr("a leaf has target 2 of 2"));
  EXPECT_THAT(said({3, 3}, 3), HasSubstr("a leaf has target 3 of 3"));
}

// skl2onnx writes leaves of several classes for one target. ONNX Runtime reads the first weight of a leaf.
TEST(TreeEnsemble, OneTargetHasTheFirstWeightOfALeaf) {
  Node node = regressor();
  node.attributes["n_targets"] = std::int64_t{1};
  node.attributes["target_treeids"] = Integers{0, 0, 0, 0};
  node.attributes["target_nodeids"] = Integers{1, 1, 2, 1};
  node.attributes["target_ids"] = Integers{0, 0, 0, 0};
  node.attributes["target_weights"] = Reals{10, 30, 20, 40};
  EXPECT_EQ(tree_ensemble(node).scores(Reals{0, 0.25}), Reals{10});
  EXPECT_EQ(tree_ensemble(node).scores(Reals{0, 0.75}), Reals{20});
  node.attributes["n_targets"] = std::int64_t{2};
  EXPECT_EQ(tree_ensemble(node).scores(Reals{0, 0.25}), (Reals{80, 0}));
}

TEST(TreeEnsemble, EveryComparisonIsTheOneOfItsMode) {
  struct Mode {
    const char* name;
    bool below, equal, above;  // whether a feature goes to the first successor
  };
  for (const Mode& mode : {Mode{"BRANCH_LEQ", true, true, false}, Mode{"BRANCH_LT", true, false, false},
                           Mode{"BRANCH_GTE", false, true, true}, Mode{"BRANCH_GT", false, false, true},
                           Mode{"BRANCH_EQ", false, true, false}, Mode{"BRANCH_NEQ", true, false, true}}) {
    Node node = regressor();
    node.attributes["nodes_modes"] = Texts{mode.name, "LEAF", "LEAF"};
    const TreeEnsemble ensemble = tree_ensemble(node);
    const auto taken = [&](double feature) { return ensemble.scores(Reals{0, feature})[0] == 10; };
    EXPECT_EQ(taken(0.25), mode.below) << mode.name;
    EXPECT_EQ(taken(0.5), mode.equal) << mode.name;
    EXPECT_EQ(taken(0.75), mode.above) << mode.name;
  }
  EXPECT_THAT(ensemble_refusal(regressor(), "nodes_modes", Texts{"BRANCH_MEMBER", "LEAF", "LEAF"}),
              HasSubstr("node 't' (ai.onnx.ml.TreeEnsembleRegressor): a node has the mode 'BRANCH_MEMBER', which is "
                        "unknown"));
}

TEST(TreeEnsemble, ListsAreOfOneLength) {
  const std::string nodes = "its lists of nodes are empty or have different lengths",
                    weights = "its lists of leaves' weights are empty or have different lengths";
  for (const char* list :
       {"nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_truenodeids", "nodes_falsenodeids"})
    for (const Integers& other : {Integers{0, 1}, Integers{0, 1, 2, 3}, Integers{}})
      EXPECT_THAT(ensemble_refusal(regressor(), list, other), HasSubstr(nodes)) << list;
  EXPECT_THAT(ensemble_refusal(regressor(), "nodes_values", Reals{0.5, 0}), HasSubstr(nodes));
  EXPECT_THAT(ensemble_refusal(regressor(), "nodes_modes", Texts{"BRANCH_LEQ", "LEAF"}), HasSubstr(nodes));
  Node none = regressor();
  for (auto& [name, value] : none.attributes)
    if (name.starts_with("nodes_"))
      std::visit(
          [](auto& list) {
            if constexpr (requires { list.clear(); }) list.clear();
          },
          value);
  EXPECT_THAT(base::refusal([&] { tree_ensemble(none); }), HasSubstr(nodes));
  for (const char* list : {"target_treeids", "target_nodeids", "target_ids"})
    for (const Integers& other : {Integers{0}, Integers{0, 1, 1}, Integers{}})
      EXPECT_THAT(ensemble_refusal(regressor(), list, other), HasSubstr(weights)) << list;
  EXPECT_THAT(ensemble_refusal(regressor(), "target_weights", Reals{1}), HasSubstr(weights));
}

TEST(TreeEnsemble, NodesFormTrees) {
  EXPECT_THAT(ensemble_refusal(regressor(), "nodes_nodeids", Integers{0, 1, 1}),
              HasSubstr("node 1 of tree 0 comes twice"));
  EXPECT_THAT(ensemble_refusal(regressor(), "nodes_truenodeids", Integers{7, 0, 0}), HasSubstr("tree 0 has no node 7"));
  EXPECT_THAT(ensemble_refusal(regressor(), "nodes_falsenodeids", Integers{-1, 0, 0}),
              HasSubstr("tree 0 has no node -1"));
  EXPECT_THAT(ensemble_refusal(regressor(), "nodes_truenodeids", Integers{0, 0, 0}),
              HasSubstr("the nodes of tree 0 form no tree"));
}

TEST(TreeEnsemble, TargetsAreCounted) {
  constexpr std::int64_t kMost = 1 << 20;
  EXPECT_THAT(ensemble_refusal(regressor(), "target_ids", Integers{0, 2}), HasSubstr("a leaf has target 2 of 2"));
  EXPECT_THAT(ensemble_refusal(regressor(), "target_ids", Integers{0, kMost - 1}),
              HasSubstr("a leaf has target 1048575 of 2"));
  for (const std::int64_t target : {std::int64_t{-1}, kMost})
    EXPECT_THAT(ensemble_refusal(regressor(), "target_ids", Integers{0, target}),
                HasSubstr("a leaf has a target out of range"));
  EXPECT_THAT(ensemble_refusal(regressor(), "n_targets", std::int64_t{0}), HasSubstr("a leaf has target 1 of 1"));
  for (const Reals& values : {Reals{1}, Reals{1, 2, 3}})
    EXPECT_THAT(ensemble_refusal(regressor(), "base_values", values), HasSubstr(" base values do not fit 2 targets"));
}

TEST(TreeEnsemble, VotesKnowTheLabelsAndWhetherScoresAreProbabilities) {
  Node node = classifier({0, 1}, 2);
  node.attributes["post_transform"] = std::string("SOFTMAX");
  auto votes = tree_votes_attributes(node);
  EXPECT_EQ(std::get<std::int64_t>(votes.at("probabilities")), 1);
  EXPECT_EQ(std::get<Integers>(votes.at("classlabels_ints")), (Integers{7, 7}));
  EXPECT_EQ(std::get<std::string>(votes.at("post_transform")), "SOFTMAX");
  EXPECT_FALSE(votes.contains("classlabels_strings"));
  node.attributes["class_weights"] = Reals{0, -1};
  node.attributes.erase("classlabels_int64s");
  node.attributes["classlabels_strings"] = Texts{"a", "b"};
  votes = tree_votes_attributes(node);
  EXPECT_EQ(std::get<std::int64_t>(votes.at("probabilities")), 0);
  EXPECT_EQ(std::get<Texts>(votes.at("classlabels_strings")), (Texts{"a", "b"}));
  node.attributes["class_weights"] = Reals{0, 1};
  EXPECT_EQ(std::get<std::int64_t>(tree_votes_attributes(node).at("probabilities")), 1);
}

}  // namespace
}  // namespace tacit::graph
