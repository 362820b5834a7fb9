#include "session/owner/output_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/passes/sketch.h"

namespace tacit::session {
namespace {

using graph::Tensor;
using testing::HasSubstr;
using V = std::vector<double>;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

Tensor row_of(const V& numbers) { return {{1, static_cast<std::int64_t>(numbers.size())}, numbers, false}; }

/// The account of one output of a kind over rows of (answer, exact).
OutputErrors rows(OutputKind kind, const std::vector<std::pair<V, V>>& pairs, bool of_one = false) {
  OutputErrors errors({{"y", kind, pairs.at(0).second.size(), of_one}});
  for (const auto& [answer, exact] : pairs)
    errors.add(std::vector<Tensor>{row_of(answer)}, std::vector<Tensor>{row_of(exact)});
  return errors;
}

TEST(OutputErrors, AnErrorIsAShareOfTheRangeOfItsOwnTarget) {
  // Ranges 1000 and 2. The second target is off by 1 in one row, which is nothing beside the first one's range.
  const OutputErrors errors = rows(OutputKind::numbers, {{{10, 3}, {0, 2}}, {{1000, 4}, {1000, 4}}});
  const OutputError account = errors.account().at(0);
  EXPECT_EQ(account.measure, ErrorMeasure::range);
  ASSERT_EQ(account.targets.size(), 2u);
  EXPECT_DOUBLE_EQ(account.targets[0].largest, 0.01);
  EXPECT_DOUBLE_EQ(account.targets[0].mean, 0.005);
  EXPECT_DOUBLE_EQ(account.targets[1].largest, 0.5);
  EXPECT_DOUBLE_EQ(account.targets[1].mean, 0.25);
  EXPECT_DOUBLE_EQ(account.largest, 0.5);
  EXPECT_DOUBLE_EQ(account.mean, 0.25);
  EXPECT_EQ(account.targets[1].lowest, 2);
  EXPECT_EQ(account.targets[1].highest, 4);
  EXPECT_FALSE(errors.agrees(0));
  EXPECT_TRUE(errors.agrees(1));
  EXPECT_EQ(account.agreeing, 1);
}

TEST(OutputErrors, NumbersAgreeWithinOnePercentOfTheirOwnRange) {
  const OutputErrors errors = rows(OutputKind::numbers, {{{9.9, 1.9}, {0, 2}}, {{1000, 4.03}, {1000, 4}}});
  EXPECT_FALSE(errors.agrees(0)) << "0.1 of 2";
  EXPECT_FALSE(errors.agrees(1)) << "0.03 of 2";
  const OutputErrors near = rows(OutputKind::numbers, {{{9.9, 2.01}, {0, 2}}, {{1000, 3.99}, {1000, 4}}});
  EXPECT_TRUE(near.agrees(0));
  EXPECT_TRUE(near.agrees(1));
}

TEST(OutputErrors, ScoresAgreeByTheLargestAndStillStateTheirErrors) {
  for (const OutputKind kind : {OutputKind::scores, OutputKind::open}) {
    const OutputErrors errors = rows(kind, {{{3, 1}, {4, 0}}, {{2, 1}, {0, 2}}});
    EXPECT_TRUE(errors.agrees(0));
    EXPECT_FALSE(errors.agrees(1));
    EXPECT_DOUBLE_EQ(errors.account()[0].largest, 0.5) << "2 of 4, and 1 of 2";
  }
}

TEST(OutputErrors, ProbabilitiesAreASharesOfOne) {
  // By their values: from 0 on, with sum 1.
  const OutputError account =
      rows(OutputKind::scores, {{{0.5, 0.5}, {0.51, 0.49}}, {{0.5, 0.5}, {0.52, 0.48}}}).account()[0];
  EXPECT_EQ(account.measure, ErrorMeasure::one);
  EXPECT_NEAR(account.largest, 0.02, 1e-12);
  EXPECT_NEAR(account.mean, 0.015, 1e-12);
  EXPECT_EQ(rows(OutputKind::scores, {{{0.5, 0.5}, {0.6, 0.5}}}).account()[0].measure, ErrorMeasure::range);
  // By the operator behind them.
  const OutputErrors one = rows(OutputKind::probability, {{{0.75}, {0.5}}, {{0.625}, {0.75}}}, true);
  EXPECT_EQ(one.account()[0].measure, ErrorMeasure::one);
  EXPECT_EQ(one.account()[0].largest, 0.25);
  EXPECT_FALSE(one.agrees(0)) << "0.5 is not above one half";
  EXPECT_TRUE(one.agrees(1));
}

TEST(OutputErrors, WithoutARangeTheMagnitudeCounts) {
  const OutputError constant = rows(OutputKind::numbers, {{{101}, {100}}, {{100}, {100}}}).account()[0];
  EXPECT_EQ(constant.measure, ErrorMeasure::magnitude);
  EXPECT_DOUBLE_EQ(constant.largest, 0.01);
  // Float32 rounding is no range.
  EXPECT_EQ(rows(OutputKind::numbers, {{{101}, {100}}, {{100}, {100.00001}}}).account()[0].measure,
            ErrorMeasure::magnitude);
  // One row of scores: they are compared with each other. Of numbers, each stands for itself.
  EXPECT_DOUBLE_EQ(rows(OutputKind::open, {{{0.125, 4}, {0, 4}}}).account()[0].largest, 0.03125);
  EXPECT_DOUBLE_EQ(rows(OutputKind::numbers, {{{0.5, 4}, {0.25, 4}}}).account()[0].largest, 1);
  const OutputErrors zero = rows(OutputKind::numbers, {{{0}, {0}}, {{1e-9}, {0}}});
  EXPECT_TRUE(zero.agrees(0));
  EXPECT_FALSE(zero.agrees(1));
}

TEST(OutputErrors, AnOutputOfManyElementsIsOneTarget) {
  V exact(100, 0.0), answer(100, 0.0);
  exact[3] = 10;
  answer[3] = 10;
  answer[7] = 1;
  const OutputError account = rows(OutputKind::open, {{answer, exact}}).account()[0];
  EXPECT_TRUE(account.targets.empty());
  EXPECT_DOUBLE_EQ(account.largest, 0.1);
  EXPECT_DOUBLE_EQ(account.mean, 0.001);
}

TEST(OutputErrors, NanIsNoAnswerWhereTheModelHasOne) {
  OutputErrors errors({{"a", OutputKind::numbers, 1}, {"b", OutputKind::open, 3}});
  const std::vector<Tensor> exact{row_of({1}), row_of({1, kNan, 3})};
  EXPECT_FALSE(errors.nan_in(std::vector<Tensor>{row_of({1}), row_of({1, kNan, 3})}, exact));
  const auto reason = errors.nan_in(std::vector<Tensor>{row_of({1}), row_of({kNan, kNan, kNan})}, exact);
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, HasSubstr("output 'b', element 0: the answer is NaN"));
  EXPECT_EQ(errors.account()[0].nan, 0);
  EXPECT_EQ(errors.account()[1].nan, 2);
  EXPECT_EQ(errors.rows(), 0u);
}

TEST(OutputErrors, NanAndInfinitiesAgreeWithTheirLikeAlone) {
  const OutputErrors errors = rows(OutputKind::open, {{{1, kNan, -kInfinite}, {1, kNan, -kInfinite}},
                                                      {{1, 0, -kInfinite}, {1, kNan, -kInfinite}},
                                                      {{1, kNan, 5}, {1, kNan, -kInfinite}}});
  EXPECT_TRUE(errors.agrees(0));
  EXPECT_FALSE(errors.agrees(1));
  EXPECT_FALSE(errors.agrees(2));
  EXPECT_EQ(errors.account()[0].mismatches, 2);
  EXPECT_EQ(errors.account()[0].largest, kInfinite);
}

TEST(OutputErrors, WholeNumbersAndTextsAreEqualOrDifferent) {
  OutputErrors errors({{"count", OutputKind::whole_numbers, 2}, {"label", OutputKind::texts, 1}});
  const auto row = [](const V& counts, const std::string& label) {
    return std::vector<Tensor>{{{1, 2}, counts, true}, graph::text_tensor({1}, {label})};
  };
  errors.add(row({3, 4}, "cat"), row({3, 4}, "cat"));
  errors.add(row({3, 5}, "cat"), row({3, 4}, "cat"));
  errors.add(row({3, 4}, "dog"), row({3, 4}, "cat"));
  EXPECT_TRUE(errors.agrees(0));
  EXPECT_FALSE(errors.agrees(1));
  EXPECT_FALSE(errors.agrees(2)) << "every output must agree";
  const std::vector<OutputError> account = errors.account();
  EXPECT_EQ(account[0].measure, ErrorMeasure::elements);
  EXPECT_EQ(account[0].mismatches, 1);
  EXPECT_DOUBLE_EQ(account[0].largest, 1.0 / 6);
  EXPECT_EQ(account[0].agreeing, 2);
  EXPECT_EQ(account[1].mismatches, 1);
  EXPECT_DOUBLE_EQ(account[1].mean, 1.0 / 3);
}

/// The kind of the only output of a graph that ends in these operators.
OutputKind kind_behind(const std::vector<std::string>& ops, std::int64_t elements) {
  graph::passes::Sketch s;
  graph::TensorId x = s.input({1, elements});
  for (const std::string& op : ops)
    x = op == "Mul" ? s.node(op, {s.constant({1}, {2}), x}, {1, elements}) : s.node(op, {x}, {1, elements});
  s.output(x);
  return output_forms(s.graph).at(0).kind;
}

TEST(OutputErrors, TheOperatorsBehindAnOutputSayWhatItIs) {
  EXPECT_EQ(kind_behind({"Gemm"}, 3), OutputKind::open);
  EXPECT_EQ(kind_behind({"Gemm"}, 1), OutputKind::numbers);
  EXPECT_EQ(kind_behind({"Gemm", "Softmax"}, 3), OutputKind::scores);
  EXPECT_EQ(kind_behind({"Softmax", "Cast", "Flatten"}, 3), OutputKind::scores);
  EXPECT_EQ(kind_behind({"Sigmoid"}, 1), OutputKind::probability);
  EXPECT_EQ(kind_behind({"ai.onnx.ml.TreeEnsembleClassifier"}, 3), OutputKind::scores);
  for (const char* op : {"TreeEnsembleRegressor", "LinearRegressor", "SVMRegressor"}) {
    EXPECT_EQ(kind_behind({std::string("ai.onnx.ml.") + op}, 3), OutputKind::numbers) << op;
    EXPECT_EQ(kind_behind({std::string("ai.onnx.ml.") + op, "Mul", "Cast"}, 3), OutputKind::numbers) << op;
  }
  graph::passes::Sketch s;  // scores beside a label
  const graph::TensorId x = s.input({1, 3});
  s.output(s.node("ArgMax", {x}, {1}));
  s.graph.tensors[s.graph.outputs[0]].integral = true;
  s.output(s.node("Gemm", {x}, {1, 3}));
  const std::vector<OutputForm> forms = output_forms(s.graph);
  EXPECT_EQ(forms[0].kind, OutputKind::whole_numbers);
  EXPECT_EQ(forms[1].kind, OutputKind::scores);
  EXPECT_EQ(forms[1].elements, 3u);
}

}  // namespace
}  // namespace tacit::session
