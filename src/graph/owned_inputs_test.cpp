#include "graph/owned_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"

namespace tacit::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A client with inputs 'left', 'right' and 'idle'. It encrypts 'left' doubled, and 'right' as it is; with `mixed` also
/// their sum.
ClientParts two_owners(bool mixed = false) {
  passes::Sketch s;
  const TensorId left = s.input({1, 2}), right = s.input({1, 2}), idle = s.input({1, 3});
  s.graph.tensors[left].name = "left";
  s.graph.tensors[right].name = "right";
  s.graph.tensors[idle].name = "idle";
  const TensorId doubled = s.node("Mul", {left, s.constant({}, {2})}, {1, 2});
  s.output(doubled);
  s.output(right);
  if (mixed) s.output(s.node("Add", {doubled, right}, {1, 2}));
  ClientParts parts;
  parts.before = s.graph;
  for (const Node& node : s.graph.nodes) parts.nodes.push_back({.name = node.name, .op = node.op, .before = true});
  return parts;
}

std::string refused(const ClientParts& parts, const std::vector<std::string>& names) {
  return base::refusal([&] { owned_inputs(parts, names); });
}

TEST(OwnedInputs, TakeTheNamedInputsAlone) {
  const OwnedInputs left = owned_inputs(two_owners(), std::vector<std::string>{"left"});
  EXPECT_THAT(left.encrypted, ElementsAre(0));
  ASSERT_EQ(left.parts.before.inputs.size(), 1U);
  EXPECT_EQ(run_before(left.parts, std::vector<Tensor>{{{1, 2}, {3, 4}}}).at(0).data, (std::vector<double>{6, 8}));
  EXPECT_EQ(left.parts.nodes.size(), 1U);

  const OwnedInputs right = owned_inputs(two_owners(), std::vector<std::string>{"right"});
  EXPECT_THAT(right.encrypted, ElementsAre(1));
  EXPECT_EQ(run_before(right.parts, std::vector<Tensor>{{{1, 2}, {3, 4}}}).at(0).data, (std::vector<double>{3, 4}));
  EXPECT_TRUE(right.parts.nodes.empty());
}

TEST(OwnedInputs, AreInTheOrderOfTheirNames) {
  const OwnedInputs both = owned_inputs(two_owners(true), std::vector<std::string>{"right", "left"});
  EXPECT_THAT(both.encrypted, ElementsAre(0, 1, 2));
  const std::vector<Tensor> made = run_before(both.parts, std::vector<Tensor>{{{1, 2}, {10, 20}}, {{1, 2}, {3, 4}}});
  EXPECT_EQ(made.at(0).data, (std::vector<double>{6, 8}));
  EXPECT_EQ(made.at(1).data, (std::vector<double>{10, 20}));
  EXPECT_EQ(made.at(2).data, (std::vector<double>{16, 28}));
}

TEST(OwnedInputs, NameTheOriginsOfEveryEncryptedTensor) {
  EXPECT_THAT(origins_of_encrypted(two_owners(true)),
              ElementsAre(ElementsAre("left"), ElementsAre("right"), ElementsAre("left", "right")));
}

TEST(OwnedInputs, RefuseInputsThatNoOwnerCanHaveAlone) {
  EXPECT_THAT(refused(two_owners(), {"middle"}),
              HasSubstr("has no input 'middle'; name one of its inputs 'left', 'right'"));
  EXPECT_THAT(refused(two_owners(), {"left", "left"}), HasSubstr("'left' is named twice"));
  EXPECT_THAT(refused(two_owners(), {"idle"}), HasSubstr("nothing that is encrypted depends on input 'idle'"));
  EXPECT_THAT(refused(two_owners(true), {"left"}), HasSubstr("from the inputs 'left', 'right' before it encrypts"));
  ClientParts kept = two_owners();
  kept.kept = 1;
  passes::Sketch after;
  const TensorId y = after.input({1, 2}), unchanged = after.input({1, 2});
  after.graph.tensors[unchanged].name = "echo";
  after.output(y);
  after.output(unchanged);
  kept.after = after.graph;
  EXPECT_THAT(refused(kept, {"left"}), HasSubstr("returns inputs unchanged ('echo')"));
}

}  // namespace
}  // namespace tacit::graph
