#include "check/network_messages.h"

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

}  // namespace
}  // namespace tacit::check
