#include "graph/onnx/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/refusal_for_test.h"
#include "graph/limits.h"

namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A node with this many inputs.
Node node(const std::string& op, std::size_t inputs = 1, std::map<std::string, Attribute> attributes = {}) {
  return {op, "n", std::vector<TensorId>(inputs, 0), {1}, std::move(attributes)};
}

std::vector<InferredOutput> result(const Shape& shape) { return {{.element_type = 1, .known = true, .shape = shape}}; }

std::string taken(Budget& budget, const Node& one, const Shape& shape) {
  return base::refusal([&] { budget.take(one, {}, result(shape)); });
}

TEST(Budget, OfOneTensorThatDependsOnAnInput) {
  for (const std::int64_t rows : {1, 2}) {
    Budget budget(0, rows);
    EXPECT_EQ(budget.most_activation(), rows * kMostActivation);
    EXPECT_THAT(base::refusal([&] { budget.take_input("x", {rows * kMostActivation + 1}); }),
                HasSubstr("elements, and " + std::to_string(rows * kMostActivation) + " is the most that an input"));
    EXPECT_THAT(taken(budget, node("Relu"), {rows * kMostActivation + 1}), HasSubstr("depends on an input may have"));
    budget.take_input("x", {rows * kMostActivation});
    budget.take(node("Relu"), {}, result({rows * kMostActivation}));
  }
}

TEST(Budget, OfAllTensorsTogetherGrowsWithTheFile) {
  for (const std::size_t bytes : {0, 1, 10}) {
    Budget budget(bytes, 1);
    budget.take_input("x", {kMostActivation});
    for (int i = 0; i < 3; ++i) budget.take(node("Relu"), {}, result({kMostActivation}));
    const std::int64_t left = static_cast<std::int64_t>(bytes) * kMostActivationsPerByte;
    if (left > 0) budget.take(node("Relu"), {}, result({left}));
    EXPECT_THAT(taken(budget, node("Relu"), {1}),
                AllOf(HasSubstr(std::to_string(kMostActivations + left + 1) + " elements by now"),
                      HasSubstr(std::to_string(kMostActivations + left) + " is the most")));
  }
}

TEST(Budget, AMovementOfSeveralOperandsCountsForEach) {
  Budget joined(0, 1), added(0, 1), summed(0, 1), moved(0, 1);
  joined.take(node("Concat", 4), {}, result({kMostActivation}));
  EXPECT_THAT(taken(joined, node("Relu"), {1}), HasSubstr("16777217 elements by now"));
  for (auto& [budget, op, inputs] : std::vector<std::tuple<Budget*, const char*, std::size_t>>{
           {&added, "Add", 2}, {&summed, "Sum", 4}, {&moved, "Transpose", 1}}) {
    for (int i = 0; i < 4; ++i) budget->take(node(op, inputs), {}, result({kMostActivation}));
    EXPECT_THAT(taken(*budget, node("Relu"), {1}), HasSubstr("16777217 elements by now")) << op;
  }
}

TEST(Budget, OfMultiplications) {
  const Shape left{512, 1024}, right{1024, 1024};
  const std::vector<const Shape*> inputs{&left, &right};
  const auto multiply = [&](Budget& budget) {
    return base::refusal([&] { budget.take(node("MatMul", 2), inputs, result({512, 1024})); });
  };
  Budget budget(0, 1), of_two_rows(0, 2);
  budget.take(node("MatMul", 2), inputs, result({512, 1024}));  // half of the bound
  EXPECT_THAT(multiply(budget), AllOf(HasSubstr("multiplications by now"), HasSubstr("1.07e+09 is the most")));
  for (int i = 0; i < 3; ++i) of_two_rows.take(node("MatMul", 2), inputs, result({512, 1024}));
  EXPECT_THAT(multiply(of_two_rows), HasSubstr("2.15e+09 is the most"));
  // Windows tell their work before their result is known, which then is not taken yet.
  const Shape map{1, 1, 1024, 1024};
  const std::vector<const Shape*> maps{&map};
  const auto pool = [](std::int64_t kernel) {
    return node("MaxPool", 1, {{"kernel_shape", std::vector<std::int64_t>{kernel, kernel}}});
  };
  const Budget fresh(0, 1);
  EXPECT_THAT(base::refusal([&] { fresh.check_work(pool(64), maps); }), HasSubstr("multiplications by now"));
  for (int i = 0; i < 4; ++i) fresh.check_work(pool(24), maps);  // half of the bound each
}

TEST(Budget, OfFoldedConstantsGrowsWithTheWeights) {
  const auto begun = [](Budget& budget, std::int64_t elements) {
    return base::refusal([&] { budget.begin_fold(node("Expand"), {}, result({elements})); });
  };
  Budget budget(0, 1);
  EXPECT_EQ(budget.begin_fold(node("Expand"), {}, result({kMostFoldedElements})), kMostFoldedElements);
  EXPECT_THAT(begun(budget, kMostFoldedElements + 1),
              AllOf(HasSubstr("16777217 elements by now"), HasSubstr("16777216 is the most")));
  budget.add_weights(3);
  EXPECT_EQ(budget.begin_fold(node("Expand"), {}, result({1})), kMostFoldedElements + 3 * kMostFoldedPerWeight);
  budget.end_fold(node("Expand"), {{10}, std::vector<double>(10, 0.0), false});
  EXPECT_EQ(budget.begin_fold(node("Expand"), {}, result({1})), kMostFoldedElements + 3 * kMostFoldedPerWeight - 10);
  EXPECT_THAT(begun(budget, kMostFoldedElements + 3), HasSubstr("16777229 elements by now"));
}

TEST(Budget, TextsCountForTheirBytes) {
  Budget budget(0, 1);
  budget.end_fold(node("Identity"), {{2}, {0, 0}, true, {std::string(800, 'a')}});
  const auto bytes = static_cast<std::int64_t>(sizeof(std::string) + 800);
  EXPECT_EQ(budget.begin_fold(node("Expand"), {}, result({1})), kMostFoldedElements - 2 - bytes / 8);
}

TEST(Budget, OfStepsToFold) {
  const Shape left{256, 512}, right{512, 512};
  const std::vector<const Shape*> inputs{&left, &right};
  Budget budget(0, 1);
  budget.begin_fold(node("MatMul", 2), inputs, result({256, 512}));  // half of the bound
  EXPECT_THAT(base::refusal([&] {
                budget.begin_fold(node("MatMul", 2), inputs, result({256, 512}));
              }),
              AllOf(HasSubstr("steps by now"), HasSubstr("1.34e+08 is the most")));
}

TEST(Budget, OfSeveralRowsIsThatOfEach) {
  for (const std::int64_t rows : {2, 3}) {
    Budget budget(10, rows);
    const std::int64_t most = rows * (kMostActivations + 10 * kMostActivationsPerByte);
    for (std::int64_t left = most; left > 0; left -= kMostActivation)
      budget.take(node("Relu"), {}, result({std::min(left, kMostActivation)}));
    EXPECT_THAT(taken(budget, node("Relu"), {1}), AllOf(HasSubstr(std::to_string(most + 1) + " elements by now"),
                                                        HasSubstr(std::to_string(most) + " is the most")));
  }
}

TEST(Budget, OfMultiplicationsAndOfStepsToFoldGrowsWithTheFile) {
  const Shape left{1024, 1024}, right{1024, 4096};
  const std::vector<const Shape*> inputs{&left, &right};
  const auto multiply = [&](Budget budget) {
    return base::refusal([&] { budget.take(node("MatMul", 2), inputs, result({1024, 4096})); });
  };
  const auto fold = [&](Budget budget) {
    return base::refusal([&] { budget.begin_fold(node("MatMul", 2), inputs, result({1024, 4096})); });
  };
  // 2^32 products: a mebibyte allows 2^30 more of them, or 2^28 more that are folded.
  EXPECT_THAT(multiply(Budget(0, 1)), HasSubstr("1.07e+09 is the most for a file of this size"));
  EXPECT_THAT(multiply(Budget(1 << 20, 1)), HasSubstr("2.15e+09 is the most for a file of this size"));
  EXPECT_EQ(multiply(Budget(1 << 20, 3)), base::kNotRefused) << "three rows of 2^31";
  EXPECT_THAT(fold(Budget(0, 1)), HasSubstr("1.34e+08 is the most for a file of this size"));
  EXPECT_THAT(fold(Budget(1 << 20, 1)), HasSubstr("4.03e+08 is the most for a file of this size"));
  EXPECT_THAT(fold(Budget(1 << 20, 3)), HasSubstr("4.03e+08 is the most for a file of this size"))
      << "constants have no rows";
}

TEST(Budget, ResultsThatAreNotKnownYetCountNothing) {
  const std::vector<InferredOutput> known_and_open{{.element_type = 1, .known = true, .shape = {kMostFoldedElements}},
                                                   {.element_type = 1, .known = false, .shape = {}}};
  Budget budget(0, 1);
  EXPECT_EQ(budget.begin_fold(node("Split"), {}, known_and_open), kMostFoldedElements);
  EXPECT_EQ(budget.begin_fold(node("Split"), {}, known_and_open), kMostFoldedElements) << "until its results are there";
}

TEST(Budget, NoConstantHasMoreElementsThanATensorMay) {
  Budget budget(0, 1);
  budget.add_weights(kMostElements);
  EXPECT_EQ(budget.begin_fold(node("Expand"), {}, result({1})), kMostElements);
}

TEST(Budget, WorkAndStepsToFoldMayReachTheirBounds) {
  const Shape most_work{static_cast<std::int64_t>(kMostWork)},
      most_folding{static_cast<std::int64_t>(kMostFoldingWork)}, one{1};
  const std::vector<const Shape*> all_work{&most_work}, all_folding{&most_folding}, more{&one};
  // What an operator reads counts too.
  Budget budget(0, 1);
  EXPECT_EQ(base::refusal([&] { budget.take(node("Relu"), all_work, {}); }), base::kNotRefused);
  EXPECT_THAT(base::refusal([&] { budget.take(node("Relu"), more, {}); }), HasSubstr("multiplications by now"));
  EXPECT_EQ(base::refusal([&] { budget.begin_fold(node("Relu"), all_folding, {}); }), base::kNotRefused);
  EXPECT_THAT(base::refusal([&] { budget.begin_fold(node("Relu"), more, {}); }), HasSubstr("steps by now"));
}

TEST(Budget, AMovementOfOneOperandCountsOnceWhateverItsOtherInputs) {
  Budget budget(0, 1);
  for (int i = 0; i < 4; ++i) budget.take(node("Reshape", 2), {}, result({kMostActivation}));
  EXPECT_THAT(taken(budget, node("Relu"), {1}), HasSubstr("16777217 elements by now"));
}

TEST(Budget, BytesOfTextsThatFillNoElementCountNothing) {
  Budget budget(0, 1);
  static_assert(sizeof(std::string) % 8 == 0);
  budget.end_fold(node("Identity"), {{1}, {0}, true, {std::string(807, 'a')}});
  const auto elements = static_cast<std::int64_t>(sizeof(std::string) / 8 + 100);
  EXPECT_EQ(budget.begin_fold(node("Expand"), {}, result({1})), kMostFoldedElements - 1 - elements);
}

}  // namespace
}  // namespace tacit::graph::onnx
