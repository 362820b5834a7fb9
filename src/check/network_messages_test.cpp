#include "check/network_messages.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"

namespace tacit::check {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The sum of two constants, and it times an input, plus that input; elements are `width` numbers.
class NetworkMessagesTest : public testing::Test {
 protected:
  explicit NetworkMessagesTest(std::int64_t width = 1) {
    const graph::Shape shape{1, width};
    const std::vector<double> twos(static_cast<std::size_t>(width), 2), threes(twos.size(), 3);
    const graph::TensorId x = sketch_.input(shape);
    const graph::TensorId sum =
        sketch_.node("Add", {sketch_.constant(shape, twos), sketch_.constant(shape, threes)}, shape);
    const graph::TensorId product = sketch_.node("Mul", {x, sum}, shape);
    const graph::TensorId result = sketch_.node("Add", {product, x}, shape);
    sketch_.output(result);
    for (const graph::TensorId id : {x, sum, product, result}) names_.push_back(sketch_.graph.tensors[id].name);
  }
  std::vector<double> message(std::size_t of, std::vector<std::pair<std::size_t, std::vector<double>>> known) const {
    std::vector<KnownTensor> tensors;
    for (const auto& [name, elements] : known) tensors.push_back({names_[name], &elements});
    return NetworkMessages(sketch_.graph)(names_[of], tensors);
  }

  graph::passes::Sketch sketch_;
  std::vector<std::string> names_;
};

class NetworkMessagesOfPairs : public NetworkMessagesTest {
 protected:
  NetworkMessagesOfPairs() : NetworkMessagesTest(2) {}
};

TEST_F(NetworkMessagesTest, AreWhatTheModelMakesOfEverySample) {
  EXPECT_THAT(message(3, {{0, {1}}}), ElementsAre(6));
  EXPECT_THAT(message(3, {{0, {1, 2, -1}}}), ElementsAre(6, 12, -6)) << "three samples of one number each";
  EXPECT_THAT(message(2, {{0, {1, 2}}}), ElementsAre(5, 10));
  EXPECT_THAT(message(3, {{0, {1, 2}}, {2, {7, 8}}}), ElementsAre(8, 10))
      << "a product that is known is not made again";
  EXPECT_THAT(message(0, {{0, {4, 5}}}), ElementsAre(4, 5));
  EXPECT_THAT(message(1, {}), ElementsAre(5)) << "of constants, once";
}

TEST_F(NetworkMessagesOfPairs, KeepSamplesApart) {
  EXPECT_THAT(message(3, {{0, {1, 2}}}), ElementsAre(6, 12));
  EXPECT_THAT(message(3, {{0, {1, 2, 3, 4}}}), ElementsAre(6, 12, 18, 24));
  EXPECT_THAT(message(3, {{0, {1, 2, 3, 4}}, {2, {0, 0, 1, 1}}}), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(message(1, {}), ElementsAre(5, 5));
}

TEST_F(NetworkMessagesOfPairs, RefuseWhatDoesNotMakeTheTensor) {
  const NetworkMessages messages(sketch_.graph);
  EXPECT_THAT(base::refusal([&] { messages("elsewhere", {}); }),
              HasSubstr("no tensor 'elsewhere' to validate against"));
  EXPECT_THAT(base::refusal([&] { message(3, {}); }), HasSubstr("depends on '" + names_[0] + "'"));
  EXPECT_THAT(base::refusal([&] {
                message(3, {{0, {1, 2, 3}}});
              }),
              HasSubstr("3 elements were decrypted for 1 samples"));
  EXPECT_THAT(base::refusal([&] {
                message(3, {{0, {1, 2}}, {2, {1, 2, 3, 4}}});
              }),
              HasSubstr("4 elements were decrypted for 1 samples"));
}

TEST_F(NetworkMessagesTest, NameTheOperatorsBetween) {
  const NetworkMessages messages(sketch_.graph);
  const auto between = [&](std::size_t of, const std::vector<std::string>& known) {
    return messages.operators(names_[of], known);
  };
  const auto& nodes = sketch_.graph.nodes;
  const std::string sum = "Add '" + nodes[0].name + "'", product = "Mul '" + nodes[1].name + "'",
                    result = "Add '" + nodes[2].name + "'";
  EXPECT_EQ(between(3, {names_[0]}), sum + " + " + product + " + " + result);
  EXPECT_EQ(between(3, {names_[0], names_[2]}), result);
  EXPECT_EQ(between(2, {names_[0], names_[1]}), product);
  EXPECT_EQ(between(2, {names_[2]}), "");
}

/// Operators without some of their operands and outputs, in a network of one number.
class NetworkMessagesOfOptions : public testing::Test {
 protected:
  NetworkMessagesOfOptions() {
    x_ = sketch_.input({1, 1});
    quotient_ = sketch_.node("Div", {x_, sketch_.constant({1, 1}, {2})}, {1, 1});
    clipped_ = sketch_.node("Clip", {quotient_, graph::kNoTensor, sketch_.constant({}, {3})}, {1, 1});
    sketch_.output(clipped_);
  }
  std::string name(graph::TensorId id) const { return sketch_.graph.tensors[id].name; }
  std::vector<double> of(graph::TensorId id, const std::vector<double>& x) const {
    const std::vector<KnownTensor> known{{name(x_), &x}};
    return NetworkMessages(sketch_.graph)(name(id), known);
  }

  graph::passes::Sketch sketch_;
  graph::TensorId x_{}, quotient_{}, clipped_{};
};

TEST(NetworkMessagesOfQuotients, TakeKnownNumbersAsReal) {
  graph::passes::Sketch sketch;
  const graph::TensorId x = sketch.input({1, 1}, "x"), y = sketch.input({1, 1}, "y");
  const graph::TensorId quotient = sketch.node("Div", {x, y}, {1, 1});
  sketch.output(quotient);
  const std::vector<double> dividends{7, -3, 0}, divisors{2, 2, 5};
  const std::vector<KnownTensor> known{{"x", &dividends}, {"y", &divisors}};
  EXPECT_THAT(NetworkMessages(sketch.graph)(sketch.graph.tensors[quotient].name, known), ElementsAre(3.5, -1.5, 0));
}

/// Of two states side by side one is read again.
TEST(NetworkMessagesOfParts, DoNotNeedWhatIsLeftOut) {
  graph::passes::Sketch sketch;
  const graph::TensorId x = sketch.input({1, 1}, "x"), y = sketch.input({1, 1}, "y");
  const graph::TensorId first = sketch.node("Neg", {x}, {1, 1}), last = sketch.node("Neg", {y}, {1, 1});
  const graph::TensorId both = sketch.node("Concat", {first, last}, {1, 2}, {{"axis", std::int64_t{1}}});
  const graph::TensorId at = graph::passes::GraphEditor(sketch.graph).constant("at", graph::passes::integers({1}));
  const graph::TensorId taken = sketch.node("Gather", {both, at}, {1, 1}, {{"axis", std::int64_t{1}}});
  const graph::TensorId sum = sketch.node("ReduceSum", {both}, {1, 1});
  sketch.output(taken);
  sketch.output(sum);
  const std::vector<double> states{7, -3};
  const std::string name = sketch.graph.tensors[last].name;
  const std::vector<KnownTensor> known{{name, &states}};
  const NetworkMessages messages(sketch.graph);
  EXPECT_THAT(messages(sketch.graph.tensors[taken].name, known), ElementsAre(7, -3));
  EXPECT_EQ(messages.operators(sketch.graph.tensors[taken].name, std::vector{name}),
            "Concat 'Concat2' + Gather 'Gather3'");
  EXPECT_THAT(base::refusal([&] { messages(sketch.graph.tensors[sum].name, known); }),
              ::testing::HasSubstr("which its operands do not make"));
}

TEST_F(NetworkMessagesOfOptions, LeaveOutOperandsThatAreNotThere) {
  EXPECT_THAT(of(clipped_, {7}), ElementsAre(3));
  EXPECT_THAT(of(clipped_, {7, -9, 4}), ElementsAre(3, -4.5, 2));
}

TEST_F(NetworkMessagesOfOptions, RefuseElementsThatAreNoWholeSamples) {
  const std::vector<double> two{1, 2}, three{1, 2, 3};
  const std::vector<KnownTensor> known{{name(x_), &two}, {name(quotient_), &three}};
  const NetworkMessages messages(sketch_.graph);
  EXPECT_EQ(base::refusal([&] { messages(name(clipped_), known); }),
            fmt::format("tensor '{}' has shape {} and 3 elements were decrypted for 2 samples", name(quotient_),
                        graph::to_text(graph::Shape{1, 1})));
  EXPECT_EQ(base::refusal([&] { messages(name(clipped_), {}); }),
            fmt::format("tensor '{}' depends on '{}', which its operands do not make", name(clipped_), name(x_)));
  EXPECT_EQ(base::refusal([&] { messages("elsewhere", known); }),
            "the model has no tensor 'elsewhere' to validate against");
}

}  // namespace
}  // namespace tacit::check
