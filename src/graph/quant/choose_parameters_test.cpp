#include "graph/quant/choose_parameters.h"

#include <gtest/gtest.h>

#include "graph/quant/compiled_for_test.h"
#include "program/integers/bootstraps.h"

namespace tacit::graph::quant {
namespace {

using passes::Sketch;
using Whole = std::vector<std::int64_t>;

/// Rounding takes more bootstraps where wider tables would cost more, and fewer where they cost less.
TEST(ChooseOnIntegers, ExactRoundingIsAsFineAsItsTables) {
  const Graph graph = two_inputs_with_a_branch_around();
  CompileOptions options;
  options.rounding = Rounding::exact;
  options.bits = 8;
  expect_near(graph, 0.16, options);
  options.calibration = samples(graph, 300, 1);
  for (const int bits : {2, 4, 8}) {
    options.bits = bits;
    const CompiledIntegers model = compile(graph, options);
    EXPECT_TRUE(integers::is_exact(model.program)) << bits;
    EXPECT_GE(model.program.bits, bits);
    EXPECT_GT(integers::bootstraps(model.program), integers::lookups(model.program)) << bits;
    // A third bit costs a tenth more a bootstrap, and saves one of each argument's.
    EXPECT_EQ(model.program.bits > bits, bits == 2) << bits;
  }
  options.rounding = Rounding::approximate;
  EXPECT_FALSE(integers::is_exact(compile(graph, options).program));
}

/// What nobody looks up keeps its bits, as far as noise leaves them.
TEST(ChooseOnIntegers, ExactResultsOfSumsAreFine) {
  Sketch s;
  const TensorId x = s.input({1, 3});
  s.output(s.node("MatMul", {x, s.constant({3, 2}, {0.5, -1, 2, 0.25, -0.75, 1})}, {1, 2}));
  CompileOptions options;
  options.rounding = Rounding::exact;
  expect_near(s.graph, 0.02, options);
  options.calibration = samples(s.graph, 300, 1);
  const CompiledIntegers model = compile(s.graph, options);
  EXPECT_TRUE(integers::is_exact(model.program));
  EXPECT_EQ(integers::bootstraps(model.program), 0u);
}

/// Three targets without a common sum ask three tables of every argument, which tables of two bits have room for.
TEST(ChooseOnIntegers, TablesOfOneArgumentShareABootstrapWhereItPays) {
  auto attributes = two_trees();
  attributes["target_treeids"] = Whole{0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  attributes["target_nodeids"] = Whole{2, 2, 3, 3, 4, 4, 1, 1, 2, 2};
  attributes["target_ids"] = Whole{0, 1, 1, 2, 0, 2, 0, 1, 1, 2};
  attributes["target_weights"] = std::vector<double>{1, 2, -3.5, 0.5, 0.25, 4, 1, -1, 2, 0.75};
  attributes["n_targets"] = std::int64_t{3};
  const Graph graph = regressor(attributes, 3, 3);
  CompileOptions options;
  options.calibration = samples(graph, 100, 1);
  for (const auto& [bits, shares] : {std::pair{2, true}, {6, false}}) {
    options.bits = bits;
    const CompiledIntegers model = compile(graph, options);
    EXPECT_EQ(model.program.log_tables > 0, shares) << bits;
    EXPECT_EQ(model.parameters.log_tables, model.program.log_tables);
    EXPECT_EQ(integers::bootstraps(model.program) < integers::lookups(model.program), shares) << bits;
    CompiledIntegers alone = model;
    alone.program.log_tables = 0;
    for (const auto& sample : samples(graph, 50, 2))
      for (std::size_t t = 0; t < 3; ++t)
        ASSERT_EQ(answer(model, sample)[0].data[t], answer(alone, sample)[0].data[t]) << bits;
  }
}

/// A sum that two regions read.
TEST(ChooseOnIntegers, RegionsOfOneSumShareBootstraps) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 4}, {0.5, -1, 1, 0.25, 1, 0.7, -0.2, 0.9})}, {1, 4});
  const TensorId r = s.node("Relu", {p}, {1, 4}), t = s.node("Tanh", {p}, {1, 4});
  s.output(s.node("MatMul", {r, s.constant({4, 1}, {1, -1, 0.5, 0.25})}, {1, 1}));
  s.output(s.node("MatMul", {t, s.constant({4, 1}, {0.5, 1, 1, -1})}, {1, 1}));
  CompileOptions options;
  options.calibration = samples(s.graph, 300, 1);
  options.bits = 3;
  const CompiledIntegers model = compile(s.graph, options);
  EXPECT_EQ(integers::lookups(model.program), 8u);
  EXPECT_EQ(integers::bootstraps(model.program), 4u);
  EXPECT_EQ(model.program.log_tables, 1);
  integers::Program alone = model.program;
  alone.log_tables = 0;
  const std::int64_t highest = model.program.instructions[0].highest;
  for (std::int64_t i = 0; i <= 10; ++i) {
    const integers::Integers input{highest * i / 10, highest * (3 * i % 10) / 10};
    EXPECT_EQ(integers::ClearProgram(model.program).run({&input, 1}), integers::ClearProgram(alone).run({&input, 1}));
  }
}

/// With exact rounding every bit of a sum beyond those of a table costs a bootstrap. Sums add up results of tables,
/// which have no more bits than tables therefore, and six at most.
TEST(ChooseOnIntegers, ResultsOfTablesHaveNoMoreBitsThanTables) {
  const Graph graph = two_inputs_with_a_branch_around();
  CompileOptions options;
  options.rounding = Rounding::exact;
  options.calibration = samples(graph, 300, 1);
  for (const auto& [bits, most] : {std::pair{2, 4}, {3, 8}, {4, 16}, {8, 64}}) {
    options.bits = bits;
    const CompiledIntegers model = compile(graph, options);
    std::int64_t largest = 0;
    for (const integers::Instruction& made : model.program.instructions)
      if (std::holds_alternative<integers::Lookup>(made.operation))
        largest = std::max({largest, made.highest, -made.lowest});
    EXPECT_LE(largest, most) << bits;
    EXPECT_GE(largest, most / 2) << bits;
  }
}

/// Where the scores of every leaf add up to the same, the last one is what the others leave, and no table is asked.
TEST(ChooseOnIntegers, TheLastOfTwoSharesIsNotLookedUp) {
  const auto tables = [](double last) {
    auto attributes = two_trees();
    attributes["target_treeids"] = Whole{0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    attributes["target_nodeids"] = Whole{2, 2, 3, 3, 4, 4, 1, 1, 2, 2};
    attributes["target_ids"] = Whole{0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    attributes["target_weights"] = std::vector<double>{0.25, 0.75, 0.5, 0.5, 1, 0, 0.875, 0.125, 0.375, last};
    attributes["n_targets"] = std::int64_t{2};
    const Graph graph = regressor(attributes, 3, 2);
    CompileOptions options;
    options.calibration = samples(graph, 100, 1);
    return integers::lookups(compile(graph, options).program);
  };
  EXPECT_LT(tables(0.625), tables(0.5));
}

}  // namespace
}  // namespace tacit::graph::quant
