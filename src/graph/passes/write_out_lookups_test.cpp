#include "graph/passes/write_out_lookups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/private_value.h"
#include "base/refusal_for_test.h"
#include "graph/operators_for_test.h"
#include "graph/passes/assign_parties.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Rows of a table by private indices, and a layer on them. Row r of the table holds r, r + 0.5, ...
Graph embedding(std::int64_t rows, std::int64_t width, const Shape& indices, std::int64_t axis = 0) {
  Sketch s;
  const TensorId ids = s.input(indices, "ids");
  s.graph.tensors[ids].integral = true;
  std::vector<double> numbers;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < width; ++c) numbers.push_back(static_cast<double>(r) + 0.5 * static_cast<double>(c));
  Shape shape = indices;
  shape.push_back(width);
  const TensorId found = s.node("Gather", {s.constant({rows, width}, numbers), ids}, shape, {{"axis", axis}});
  std::vector<double> ones(static_cast<std::size_t>(width), 1);
  shape.back() = 1;
  s.output(s.node("MatMul", {found, s.constant({width, 1}, ones)}, shape));
  return s.graph;
}

std::vector<double> output_for_indices(const Graph& graph, std::vector<double> indices) {
  const Shape shape = graph.tensors[graph.inputs[0]].shape;
  return reference::run(graph, std::vector<Tensor>{{shape, std::move(indices), true}}).at(0).data;
}

TEST(WriteOutLookups, ALargeTableBecomesAProductWithRowsOfZerosAndOnes) {
  const Graph large = embedding(600, 2, {1, 3});
  const Graph made = write_out_lookups(large, {}, true);
  EXPECT_THAT(operators_of(made), ElementsAre("tacit.IndexRows", "MatMul", "Reshape", "MatMul"));
  EXPECT_THAT(output_for_indices(made, {0, 599, -1}), ElementsAre(0.5, 1198.5, 1198.5))
      << "negative indices count from the end";
  EXPECT_EQ(made.nodes[1].name, large.nodes[0].name) << "refusals name the model's node";
  const Parties parties = assign_parties(large, {});
  EXPECT_THAT(operators_of(parties.client.before), ElementsAre("tacit.IndexRows"));
  EXPECT_THAT(operators_of(parties.encrypted), ElementsAre("MatMul", "Reshape", "MatMul"));
}

TEST(WriteOutLookups, ASmallTableIsLookedUpByTheClientUnlessItIsPrivate) {
  const Graph small = embedding(12, 2, {1, 3});
  EXPECT_THAT(operators_of(write_out_lookups(small, {}, true)), ElementsAre("Gather", "MatMul"));
  const Graph kept = write_out_lookups(small, {"Gather0"}, true);
  EXPECT_THAT(operators_of(kept), ElementsAre("tacit.IndexRows", "MatMul", "Reshape", "MatMul"));
  EXPECT_THAT(output_for_indices(kept, {11, 3, 0}), ElementsAre(22.5, 6.5, 0.5));
  EXPECT_THAT(operators_of(assign_parties(small, {.keep_private = {"Gather0"}}).encrypted),
              ElementsAre("MatMul", "Reshape", "MatMul"));
}

TEST(WriteOutLookups, IndicesOutsideTheTableAreRefused) {
  base::show_private_values(true);
  const Graph made = write_out_lookups(embedding(600, 2, {1, 3}), {}, true);
  const auto refused = [&](double index) { return base::refusal([&] { output_for_indices(made, {0, index, 1}); }); };
  EXPECT_THAT(refused(600),
              HasSubstr("index 1 of the input is 600, and the table has 600 rows: indices from -600 to 599"));
  EXPECT_THAT(refused(-601), HasSubstr("index 1 of the input is -601"));
  EXPECT_EQ(refused(-600), base::kNotRefused);
  base::show_private_values(false);
  EXPECT_THAT(refused(600), testing::Not(HasSubstr("is 600,")));
}

TEST(WriteOutLookups, WhatCannotBeLookedUpIsRefusedByName) {
  const auto refused = [](const Graph& graph, bool before = true) {
    return base::refusal([&] { write_out_lookups(graph, {"Gather0"}, before); });
  };
  EXPECT_THAT(refused(embedding(4097, 1, {1, 1})),
              AllOf(HasSubstr("node 'Gather0' (Gather): its indices are private"), HasSubstr("a row of 4097"),
                    HasSubstr("4096 in a row"), HasSubstr("cut the model behind this node")));
  EXPECT_EQ(refused(embedding(4096, 1, {1, 64})), base::kNotRefused);
  EXPECT_THAT(refused(embedding(4096, 1, {1, 65})), HasSubstr("each of 65 is encrypted as a row of 4096"));
  EXPECT_THAT(refused(embedding(12, 2, {1, 3}), false), HasSubstr("leave --client-before on"));
}

}  // namespace
}  // namespace tacit::graph::passes
