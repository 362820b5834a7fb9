#include "graph/client_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"
#include "graph/serialize.h"

namespace tacit::graph {
namespace {

using testing::HasSubstr;

/// A client that adds 100 to bytes before encryption and doubles them after decryption.
ClientParts bytes() {
  const auto part = [](const char* op, double operand) {
    passes::Sketch s;
    const auto byte = [&](TensorId id) {
      s.graph.tensors[id].integral = true;
      s.graph.tensors[id].integers = IntegerType::uint8;
      return id;
    };
    const TensorId x = byte(s.input({1, 2})), constant = byte(s.constant({}, {operand}));
    s.graph.constants.back().integral = true;
    s.output(byte(s.node(op, {x, constant}, {1, 2})));
    return s.graph;
  };
  return {part("Add", 100), part("Mul", 2), {}};
}

TEST(ClientParts, ComputeInTheTypesOfTheModelAlsoWhenReadFromAFile) {
  const ClientParts parts = client_parts_from_bytes(to_bytes(bytes()));
  EXPECT_EQ(run_before(parts, std::vector<Tensor>{{{1, 2}, {200, 5}, true}}).at(0).data,
            (std::vector<double>{44, 105}));
  EXPECT_EQ(run_after(parts, std::vector<std::vector<double>>{{200.01, 4.99}}).at(0).data,
            (std::vector<double>{144, 10}));
}

TEST(ClientParts, RefuseFractionsAndIntegersOutsideTheirType) {
  const ClientParts parts = bytes();
  EXPECT_THAT(base::refusal([&] {
                run_before(parts, std::vector<Tensor>{{{1, 2}, {1.5, 5}, true}});
              }),
              HasSubstr("takes integers (uint8), and element 0"));
  EXPECT_THAT(base::refusal([&] {
                run_after(parts, std::vector<std::vector<double>>{{256.1, 0}});
              }),
              HasSubstr("came back outside 0 to 255"));
}

TEST(ClientParts, TellIntegersFromNoiseUpToAQuarter) {
  const ClientParts parts = bytes();
  EXPECT_EQ(run_after(parts, std::vector<std::vector<double>>{{100.25, 4.75}}).at(0).data,
            (std::vector<double>{200, 10}));
  for (const double number : {100.26, 99.74})
    EXPECT_THAT(base::refusal([&] {
                  run_after(parts, std::vector<std::vector<double>>{{number, 5}});
                }),
                HasSubstr("came back 0.26 away from one"));
}

/// A client's part that ends with this operator on two scores.
Graph named_by(const std::string& op, std::map<std::string, Attribute> attributes) {
  passes::Sketch s;
  s.output(s.node(op, {s.input({1, 2})}, {1, 2}, std::move(attributes)));
  return s.graph;
}

using Names = std::vector<std::string>;
const std::map<std::string, Attribute> kPets{{"classlabels_strings", Names{"cat", "dog"}}};

TEST(ClientParts, ColumnsHaveTheNamesOfAZipMap) {
  EXPECT_EQ(column_names(named_by("ai.onnx.ml.ZipMap", kPets), 0), (Names{"cat", "dog"}));
  EXPECT_EQ(column_names(named_by("ai.onnx.ml.ZipMap", {{"classlabels_int64s", std::vector<std::int64_t>{7, -9}}}), 0),
            (Names{"7", "-9"}));
  EXPECT_EQ(column_names(named_by("Softmax", {}), 0), Names{});
  // What follows may be of another type or shape.
  const auto followed = [](const std::vector<std::string>& ops) {
    Graph graph = named_by("ai.onnx.ml.ZipMap", kPets);
    for (const std::string& op : ops)
      graph.outputs = {passes::GraphEditor(graph).step(op, op, {graph.outputs[0]}, {1, 2})};
    return column_names(graph, 0);
  };
  for (const char* op : {"Cast", "Identity", "Reshape"}) EXPECT_EQ(followed({op}), (Names{"cat", "dog"})) << op;
  EXPECT_EQ(followed({"Cast", "Reshape", "Identity"}), (Names{"cat", "dog"}));
  EXPECT_EQ(followed({"Neg"}), Names{}) << "other numbers";
  EXPECT_EQ(followed({"Neg", "Cast"}), Names{});
}

TEST(ClientParts, ColumnsHaveTheLabelsOfAClassifierWithAsMany) {
  for (const char* op : {"tacit.LinearVotes", "tacit.SupportVectorVotes"}) {
    EXPECT_EQ(column_names(named_by(op, kPets), 0), (Names{"cat", "dog"})) << op;
    EXPECT_EQ(column_names(named_by(op, {{"classlabels_ints", std::vector<std::int64_t>{1, 2}}}), 0),
              (Names{"1", "2"}));
    EXPECT_EQ(column_names(named_by(op, {{"classlabels_ints", std::vector<std::int64_t>{1, 2, 3}}}), 0), Names{}) << op;
  }
  EXPECT_EQ(column_names(named_by("Softmax", kPets), 0), Names{}) << "no classifier";
  Graph graph = named_by("tacit.LinearVotes", kPets);
  graph.tensors[graph.outputs[0]].integral = true;
  EXPECT_EQ(column_names(graph, 0), Names{}) << "whole numbers are labels themselves";
  graph.tensors[graph.outputs[0]].integral = false;
  graph.tensors[graph.outputs[0]].text = true;
  EXPECT_EQ(column_names(graph, 0), Names{});
  graph.tensors[graph.outputs[0]].text = false;
  graph.nodes[0].attributes["classlabels_strings"] = Names{"cat"};
  graph.tensors[graph.outputs[0]].shape = {1, 1};
  EXPECT_EQ(column_names(graph, 0), Names{}) << "one number is no row";
}

TEST(ClientParts, KnowWhetherElementsAreOnlyMoved) {
  ClientParts parts;
  EXPECT_TRUE(only_moves(parts));
  parts.before = named_by("Transpose", {});
  EXPECT_TRUE(only_moves(parts));
  parts.before = named_by("Neg", {});
  EXPECT_FALSE(only_moves(parts));
}

}  // namespace
}  // namespace tacit::graph
