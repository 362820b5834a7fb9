#include "graph/quant/tree_program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal_for_test.h"
#include "program/integers/clear_program.h"

namespace tacit::graph::quant {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kBits = 3;
constexpr int kWhole = integers::kMessageBits - kBits;  ///< the step of integers that boxes hold one by one

/// One question about a feature, and the weights of its leaves for every target.
Tree question(Comparison comparison, double threshold, std::vector<double> yes, std::vector<double> no,
              std::int64_t feature = 0) {
  Tree tree(3);
  tree[0].leaf = false;
  tree[0].comparison = comparison;
  tree[0].threshold = threshold;
  tree[0].feature = feature;
  tree[0].yes = 1;
  tree[0].no = 2;
  for (std::size_t target = 0; target < yes.size(); ++target) {
    tree[1].weights.emplace_back(target, yes[target]);
    tree[2].weights.emplace_back(target, no[target]);
  }
  return tree;
}

TreeEnsemble ensemble_of(std::vector<Tree> trees, std::vector<double> base = {0}, double factor = 1) {
  return {std::move(trees), std::move(base), factor, 1};
}

/// A program on one feature whose boxes represent the numbers from 0 to 7, or the given ones.
struct Built {
  integers::Program program;
  Made scores;
  std::vector<std::string> warnings;

  explicit Built(const TreeEnsemble& ensemble, const ScoreReaders& readers = {},
                 const std::vector<double>& points = {0, 1, 2, 3, 4, 5, 6, 7}) {
    program.bits = kBits;
    program.instructions.push_back({integers::Input{"x"}, {1, 1}, kWhole, 0, 7, true, "x", "x"});
    scores = add_trees(program, ensemble, {0, points}, {}, readers, "t", warnings);
  }
  const integers::Lookup& lookup(std::size_t instruction) const {
    return std::get<integers::Lookup>(program.instructions.at(instruction).operation);
  }
  /// The boxes in which the only question holds.
  std::vector<std::int64_t> answers() const { return lookup(1).tables.at(0); }
  /// Returns the result of the program for a feature in this box, as real numbers.
  std::vector<double> of(std::int64_t box) const {
    integers::Program whole = program;
    integers::Instruction output = whole.value(scores.id);
    output.operation = integers::Output{scores.id, "y"};
    whole.instructions.push_back(output);
    const std::vector<integers::Integers> inputs{{box}};
    const std::vector<integers::Integers> results = integers::ClearProgram(whole).run(inputs);
    std::vector<double> made;
    for (std::size_t target = 0; target < results.at(0).size(); ++target) {
      const auto at = static_cast<layout::Index>(target);
      made.push_back(scores.scale[at] * static_cast<double>(results[0][target]) + scores.offset[at]);
    }
    return made;
  }
};

/// Leaves of 0.5 and -2: the lower one joins the base, and the other is one unit of 2.5 above it.
TEST(TreeProgram, IsATableOfAnswersOneOfLeavesAndTheirSums) {
  const Built built(ensemble_of({question(Comparison::at_most, 3.5, {0.5}, {-2})}, {10}));
  const std::vector<integers::Instruction>& made = built.program.instructions;
  ASSERT_EQ(made.size(), 5u);
  EXPECT_THAT(built.answers(), ElementsAre(1, 1, 1, 1, 0, 0, 0, 0));
  EXPECT_THAT(built.lookup(1).argument_of, ElementsAre(0));
  EXPECT_THAT(built.lookup(3).tables, ElementsAre(ElementsAre(0, 1, 0, 0, 0, 0, 0, 0)));
  struct Expected {
    int step;
    std::int64_t lowest, highest;
    const char* source;
  };
  const std::vector<Expected> all{{kWhole, 0, 1, "comparisons of 't'"},
                                  {kWhole, 0, 1, "ways of 't'"},
                                  {61, 0, 1, "leaves of 't'"},
                                  {61, 0, 1, "scores of 't'"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].source);
    EXPECT_EQ(made[i + 1].step, all[i].step);
    EXPECT_EQ(made[i + 1].lowest, all[i].lowest);
    EXPECT_EQ(made[i + 1].highest, all[i].highest);
    EXPECT_TRUE(made[i + 1].exact);
    EXPECT_EQ(made[i + 1].shape, (Shape{1, 1}));
    EXPECT_EQ(made[i + 1].node, "t");
    EXPECT_EQ(made[i + 1].source, all[i].source);
  }
  EXPECT_EQ(built.scores.id, 4u);
  EXPECT_EQ(built.scores.step, 61);
  EXPECT_DOUBLE_EQ(built.scores.scale[0], 2.5);
  EXPECT_DOUBLE_EQ(built.scores.offset[0], 8);
  EXPECT_THAT(built.warnings, IsEmpty());
}

/// One tree of two leaves is an integer of 0 or 1, and two trees are one up to 2. Tables of three bits read six boxes
/// of 2^60.
TEST(TreeProgram, ScoresFillTheTorusOrTheBoxesOfTheirReaders) {
  const Tree tree = question(Comparison::below, 3, {-2}, {2});
  const TreeEnsemble one = ensemble_of({tree}), two = ensemble_of({tree, tree});
  EXPECT_EQ(Built(one).scores.step, 63 - 2);
  EXPECT_EQ(Built(two).scores.step, 63 - 3);
  EXPECT_EQ(Built(one, {.tables = true}).scores.step, 61);
  const TreeEnsemble five = ensemble_of({tree, tree, tree, tree, tree});
  EXPECT_EQ(Built(five).scores.step, 63 - 4);
  EXPECT_EQ(Built(five, {.tables = true}).scores.step, 59) << "6 * 2^60 / 5 is more than 2^60";
  // 1.5 * 2^40 steps for a unit of 4.
  EXPECT_EQ(Built(one, {.tables = false, .torus = 1.5 * 0x1p40 / 4}).scores.step, 40);
  EXPECT_EQ(Built(one, {.tables = false, .torus = 1.5 * 0x1p70 / 4}).scores.step, 61) << "no more than fits";
  EXPECT_EQ(Built(one, {.tables = false, .torus = 0x1p-20}).scores.step, 0);
}

TEST(TreeProgram, ThresholdsOnAPointOfTheGridEqualIt) {
  const auto answers = [](Comparison comparison, double threshold, std::vector<double> points) {
    return Built(ensemble_of({question(comparison, threshold, {1}, {2})}), {}, points).answers();
  };
  const std::vector<double> whole{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(answers(Comparison::at_most, 3, whole), ElementsAre(1, 1, 1, 1, 0, 0, 0, 0));
  EXPECT_THAT(answers(Comparison::below, 3, whole), ElementsAre(1, 1, 1, 0, 0, 0, 0, 0));
  EXPECT_THAT(answers(Comparison::at_least, 3, whole), ElementsAre(0, 0, 0, 1, 1, 1, 1, 1));
  EXPECT_THAT(answers(Comparison::above, 3, whole), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  // The point may be rounded by at most a millionth of a box.
  std::vector<double> rounded = whole, other = whole;
  rounded[3] = 3 + 5e-7;
  other[3] = 3 + 5e-6;
  EXPECT_THAT(answers(Comparison::at_most, 3, rounded), ElementsAre(1, 1, 1, 1, 0, 0, 0, 0));
  EXPECT_THAT(answers(Comparison::at_most, 3, other), ElementsAre(1, 1, 1, 0, 0, 0, 0, 0));
  // An equality holds in the box of its threshold, and up to half a box outside the grid.
  EXPECT_THAT(answers(Comparison::equal, 3.25, whole), ElementsAre(0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(answers(Comparison::not_equal, 2.75, whole), ElementsAre(1, 1, 1, 0, 1, 1, 1, 1));
  EXPECT_THAT(answers(Comparison::equal, 7.5, whole), ElementsAre(0, 0, 0, 0, 0, 0, 0, 1));
  EXPECT_THAT(answers(Comparison::equal, 7.75, whole), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(answers(Comparison::equal, -0.5, whole), ElementsAre(1, 0, 0, 0, 0, 0, 0, 0));
}

TEST(TreeProgram, SaysWhichThresholdsTheGridDoesNotTellApart) {
  const auto warnings = [](const std::vector<std::pair<Comparison, double>>& questions) {
    std::vector<Tree> trees;
    for (const auto& [comparison, threshold] : questions) trees.push_back(question(comparison, threshold, {1}, {2}));
    trees.push_back(question(Comparison::at_most, 5.5, {1}, {2}));
    return Built(ensemble_of(trees)).warnings;
  };
  const std::string beyond =
      "give calibration data in which more than a hundredth of the rows lie beyond them, or an --input-range that "
      "covers them";
  const auto alike = [](const char* thresholds, const char* tell, const std::string& advice) {
    return fmt::format(
        "node 't': {} {} no two of the 8 values of its grid (0 to 7) apart, so that all inputs get one answer; {}",
        thresholds, tell, advice);
  };
  EXPECT_THAT(warnings({{Comparison::at_most, 3.5}, {Comparison::at_most, 4.5}}), IsEmpty());
  EXPECT_THAT(warnings({{Comparison::at_most, -5}}),
              ElementsAre(alike("a threshold of feature 0 (-5 to -5)", "tells", beyond)));
  EXPECT_THAT(warnings({{Comparison::at_most, 9}, {Comparison::above, 12.5}}),
              ElementsAre(alike("2 thresholds of feature 0 (9 to 12.5)", "tell", beyond)));
  // At the ends of the grid.
  EXPECT_THAT(warnings({{Comparison::below, 0}, {Comparison::at_most, 7}}),
              ElementsAre(alike("2 thresholds of feature 0 (0 to 7)", "tell", "take more bits (--bits)")));
  const auto joined = [](int some, int all) {
    return fmt::format(
        "node 't': {} of {} thresholds lie between the same two values of their feature's grid as another, so that "
        "they are one to the program; more bits (--bits) tell more of them apart",
        some, all);
  };
  EXPECT_THAT(warnings({{Comparison::at_most, 3.2}, {Comparison::at_most, 3.7}}), ElementsAre(joined(2, 3)));
  EXPECT_THAT(warnings({{Comparison::at_most, 3.2}, {Comparison::above, 3.7}}), ElementsAre(joined(2, 3)))
      << "what one answers the other answers the other way round";
  EXPECT_THAT(warnings({{Comparison::at_most, 5.2}, {Comparison::above, 5.7}}), ElementsAre(joined(3, 3)));
  EXPECT_THAT(warnings({{Comparison::at_most, 5.5}, {Comparison::at_most, 5.5}}), IsEmpty()) << "one threshold";
}

/// Leaves that share 3 among two targets in one tree, and 1 in the other. There is one table, and the second target is
/// the rest.
TEST(TreeProgram, TheLastTargetGetsWhatIsLeftOfCommonSums) {
  const std::vector<Tree> shared{question(Comparison::at_most, 3.5, {2.5, 0.5}, {1, 2}),
                                 question(Comparison::above, 1.5, {0, 1}, {0.25, 0.75})};
  for (const double factor : {1.0, 0.5}) {
    const TreeEnsemble ensemble = ensemble_of(shared, {10, 20}, factor);
    const Built built(ensemble);
    EXPECT_EQ(built.program.instructions.at(3).shape, (Shape{1, 2})) << "a leaf a tree";
    EXPECT_EQ(built.program.instructions.at(4).shape, (Shape{1, 2})) << "a score a target";
    EXPECT_DOUBLE_EQ(built.scores.offset[0], 10 + 1.75 * factor);
    EXPECT_DOUBLE_EQ(built.scores.offset[1], 20 + 4 * factor - 1.75 * factor);
    for (std::int64_t box = 0; box < 8; ++box) {
      const std::vector<double> row{static_cast<double>(box)}, expected = ensemble.scores(row);
      const std::vector<double> got = built.of(box);
      for (std::size_t target = 0; target < 2; ++target)
        EXPECT_NEAR(got.at(target), expected[target], 2 * 2.5 * factor / 255) << box << " " << target;
    }
  }
  // A sum that differs, if only in the second tree.
  std::vector<Tree> different = shared;
  different[1][2].weights[1].second = 0.7;
  const Built built(ensemble_of(different, {10, 20}));
  EXPECT_EQ(built.program.instructions.at(3).shape, (Shape{1, 4})) << "two leaves a tree";
}

TEST(TreeProgram, SingleLeavesAreRefused) {
  Tree leaf(1);
  leaf[0].weights = {{0, 1}};
  EXPECT_EQ(base::refusal([&] { Built(ensemble_of({leaf})); }),
            "node 't': all its trees are single leaves, so that it is a constant and there is nothing to compute on "
            "encrypted values; replace it by that constant");
}

TEST(TreeProgram, GridsMayBeginAnywhere) {
  const std::vector<double> from_ten{10, 11, 12, 13, 14, 15, 16, 17};
  const auto answers = [&](Comparison comparison, double threshold) {
    return Built(ensemble_of({question(comparison, threshold, {1}, {2})}), {}, from_ten).answers();
  };
  EXPECT_THAT(answers(Comparison::equal, 13.25), ElementsAre(0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(answers(Comparison::equal, 17.75), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0)) << "farther than half a box";
  EXPECT_THAT(answers(Comparison::below, 13.0001), ElementsAre(1, 1, 1, 1, 0, 0, 0, 0));
}

TEST(TreeProgram, EveryFeatureHasAGridOfItsOwn) {
  std::vector<double> points;
  for (int box = 0; box < 8; ++box) points.push_back(box);
  for (int box = 0; box < 8; ++box) points.push_back(100 + 10 * box);
  const Tree second = question(Comparison::at_most, 125, {1}, {2}, 1);
  const Built built(ensemble_of({second}), {}, points);
  EXPECT_THAT(built.answers(), ElementsAre(1, 1, 1, 0, 0, 0, 0, 0));
  EXPECT_THAT(built.lookup(1).argument_of, ElementsAre(1));
  EXPECT_THAT(built.warnings, IsEmpty());
  const Built beyond(ensemble_of({second, question(Comparison::at_most, 200, {1}, {2}, 1)}), {}, points);
  ASSERT_EQ(beyond.warnings.size(), 1u);
  EXPECT_THAT(beyond.warnings[0],
              ::testing::StartsWith("node 't': a threshold of feature 1 (200 to 200) tells no two of the 8 values of "
                                    "its grid (100 to 170) apart"));
}

/// Four questions in a row make four parts: a leaf after one, two and three conditions each, and the last question
/// after three.
TEST(TreeProgram, PartsOfATreeAddUpToItsLeaf) {
  Tree chain(1);
  for (int depth = 0; depth < 4; ++depth) {
    const std::size_t at = chain.size() - 1;
    chain[at].leaf = false;
    chain[at].comparison = depth == 2 ? Comparison::above : Comparison::at_most;
    chain[at].threshold = depth == 2 ? 4.5 : depth + 0.5;
    chain[at].yes = at + 1;
    chain[at].no = at + 2;
    chain.resize(chain.size() + 2);
    chain[at + 1].weights = {{0, depth + 1}};
    chain[at + 2].weights = {{0, 5}};
  }
  const TreeEnsemble ensemble = ensemble_of({chain}, {-1});
  const Built built(ensemble);
  const std::vector<integers::Instruction>& made = built.program.instructions;
  EXPECT_EQ(made.at(1).shape, (Shape{1, 4})) << "questions";
  EXPECT_EQ(made.at(2).shape, (Shape{1, 4})) << "parts";
  EXPECT_EQ(made.at(2).lowest, 0);
  EXPECT_EQ(made.at(2).highest, 7);
  EXPECT_EQ(made.at(4).lowest, -2);  // of 1 each, around 3
  EXPECT_EQ(made.at(4).highest, 2);
  for (std::int64_t box = 0; box < 8; ++box) {
    const std::vector<double> row{static_cast<double>(box)};
    EXPECT_NEAR(built.of(box).at(0), ensemble.scores(row)[0], 1e-9) << box;
  }
}

TEST(TreeProgram, EveryTargetIsTheSumOfItsOwnLeaves) {
  const TreeEnsemble ensemble = ensemble_of({question(Comparison::at_most, 3.5, {1, 2, -3}, {3, 0, 5}),
                                             question(Comparison::above, 1.5, {2, -1, 4}, {0, 1, -2})},
                                            {7, 8, 9});
  const Built built(ensemble);
  EXPECT_EQ(built.program.instructions.at(3).shape, (Shape{1, 6}));
  EXPECT_THAT(built.lookup(3).argument_of, ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_DOUBLE_EQ(built.scores.scale[0], 2) << "of its leaves, which differ by 2";
  for (std::int64_t box = 0; box < 8; ++box) {
    const std::vector<double> row{static_cast<double>(box)}, expected = ensemble.scores(row), got = built.of(box);
    ASSERT_EQ(got.size(), 3u);
    for (std::size_t target = 0; target < 3; ++target) EXPECT_NEAR(got[target], expected[target], 1e-9) << box;
  }
}

/// In units of 0.05 the first target gets -15 to 16 from one tree and -2 to 2 from the other. The second target is the
/// rest, with the opposite sign.
TEST(TreeProgram, ScoresThatAreTheRestHaveTheIntervalOfWhatIsTakenOff) {
  const Built built(ensemble_of(
      {question(Comparison::at_most, 3.5, {2.55, 0.45}, {1, 2}), question(Comparison::above, 1.5, {0, 1}, {0.2, 0.8})},
      {0, 0}));
  const integers::Instruction& scores = built.program.instructions.back();
  EXPECT_EQ(scores.lowest, -18);
  EXPECT_EQ(scores.highest, 18);
  EXPECT_EQ(scores.step, 63 - 6);
}

/// Differences of 2 have it as their unit; those of 2, 1 and 3 have 1.
TEST(TreeProgram, WhatIsTheRestSharesTheUnit) {
  const Built two(ensemble_of({question(Comparison::at_most, 3.5, {1, 4}, {3, 2})}, {0, 0}));
  EXPECT_DOUBLE_EQ(two.scores.scale[0], 2);
  const Built three(ensemble_of({question(Comparison::at_most, 3.5, {1, 1, 3}, {3, 2, 0})}, {0, 0, 0}));
  EXPECT_DOUBLE_EQ(three.scores.scale[0], 1);
  EXPECT_EQ(three.program.instructions.at(3).shape, (Shape{1, 2})) << "of three targets one is the rest";
  EXPECT_EQ(three.program.instructions.at(4).shape, (Shape{1, 3}));
}

TEST(TreeProgram, SumsOfLeavesAreCommonUpToAHundredThousandth) {
  const auto looked_up = [](std::vector<double> yes, std::vector<double> no) {
    const Built built(ensemble_of({question(Comparison::at_most, 3.5, std::move(yes), std::move(no))}, {0, 0}));
    return built.program.instructions.at(3).shape.at(1);
  };
  EXPECT_EQ(looked_up({2.5, 0.5}, {1, 2.00002}), 1) << "of 3";
  EXPECT_EQ(looked_up({2.5, 0.5}, {1, 2.00004}), 2);
  EXPECT_EQ(looked_up({-2.5, -0.5}, {-1, -2.00002}), 1);
  EXPECT_EQ(looked_up({0.25, 0.05}, {0.1, 0.200005}), 1) << "of 1, where sums are smaller";
  EXPECT_EQ(looked_up({0.25, 0.05}, {0.1, 0.20002}), 2);
}

/// 255 units and one: -127 to 129 around a middle leaf. Leaves that add nothing take a bit.
TEST(TreeProgram, ScoresHaveABitMoreFromAPowerOfTwoOn) {
  const Tree large = question(Comparison::below, 3, {2}, {0}), small = question(Comparison::below, 4, {2.0 / 255}, {0});
  const Built both(ensemble_of({large, small}));
  EXPECT_EQ(both.program.instructions.back().highest, 129);
  EXPECT_EQ(both.scores.step, 63 - 9);
  const TreeEnsemble nothing = ensemble_of({question(Comparison::below, 3, {0}, {0})});
  EXPECT_EQ(Built(nothing).scores.step, 62);
  EXPECT_EQ(Built(nothing, {.tables = true}).scores.step, 62);
}

}  // namespace
}  // namespace tacit::graph::quant
