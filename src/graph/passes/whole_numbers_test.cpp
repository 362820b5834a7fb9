#include "graph/passes/whole_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/operators_for_test.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kFloat = 1, kInt64 = 7, kBoolean = 9;

TensorId cast(Sketch& s, TensorId x, std::int64_t to) {
  const TensorId made = s.node("Cast", {x}, s.graph.tensors[x].shape, {{"to", to}});
  s.graph.tensors[made].integral = to != kFloat;
  return made;
}

TEST(WholeNumbers, AreKnownFromTheOperators) {
  Sketch s;
  const TensorId x = s.input({1, 2}), up = s.node("Ceil", {x}, {1, 2}), y = s.input({1, 2}, "ids");
  s.graph.tensors[y].integral = true;
  const TensorId z = cast(s, y, kFloat);
  const TensorId sum = s.node("Add", {up, z}, {1, 2});
  const TensorId product = s.node("MatMul", {sum, s.constant({2, 1}, {2, -3})}, {1, 1});
  const TensorId half = s.node("MatMul", {sum, s.constant({2, 1}, {0.5, 1})}, {1, 1});
  const TensorId mean = s.node("ReduceMean", {sum}, {1, 1});
  const TensorId mixed = s.node("Mul", {sum, x}, {1, 2});
  const std::vector<char> whole = whole_tensors(s.graph);
  for (const TensorId id : {up, y, z, sum, product}) EXPECT_TRUE(whole[id]) << s.graph.tensors[id].name;
  for (const TensorId id : {x, half, mean, mixed}) EXPECT_FALSE(whole[id]) << s.graph.tensors[id].name;
}

TEST(WholeNumbers, ACastOfThemRoundsFirst) {
  const auto operators = [](const std::string& before, std::int64_t to) {
    Sketch s;
    s.output(cast(s, s.node(before, {s.input({1, 2})}, {1, 2}), to));
    return operators_of(round_whole_casts(s.graph));
  };
  EXPECT_THAT(operators("Floor", kInt64), ElementsAre("Floor", "Round", "Cast"));
  EXPECT_THAT(operators("Sigmoid", kInt64), ElementsAre("Sigmoid", "Cast")) << "truncates";
  EXPECT_THAT(operators("Floor", kFloat), ElementsAre("Floor", "Cast"));
  EXPECT_THAT(operators("Floor", kBoolean), ElementsAre("Floor", "Cast"));
}

}  // namespace
}  // namespace tacit::graph::passes
