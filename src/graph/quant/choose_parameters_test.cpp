#include "graph/quant/choose_parameters.h"

#include <gmock/gmock.h>
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
    // A third bit costs a tenth more per bootstrap, and saves one bootstrap per argument.
    EXPECT_EQ(model.program.bits > bits, bits == 2) << bits;
  }
  options.rounding = Rounding::approximate;
  EXPECT_FALSE(integers::is_exact(compile(graph, options).program));
}

/// A sum that no table reads keeps its bits, as far as noise leaves them.
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

/// Three targets without a common sum need three tables for every argument. Tables of two bits have room for them.
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

/// With exact rounding every bit of a sum beyond those of a table costs a bootstrap. Sums add up results of tables.
/// These have no more bits than tables, and at most six.
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

/// If the scores of every leaf add up to the same number, the last score is the rest, and needs no table.
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

/// A program of one table per element. Its inputs have `bits` bits, as the tables have, or one more bit that is rounded
/// off. The results of tables have 23 bits, and an output keeps eight of them.
Quantised table_of_each(int bits, bool rounded, std::int64_t elements) {
  Quantised made;
  made.program.bits = bits;
  const layout::Shape shape{1, elements};
  const int whole = integers::kMessageBits - bits;
  const std::int64_t highest = (std::int64_t{1} << bits) - 1;
  const auto add = [&](integers::Operation operation, int step, std::int64_t most) {
    made.program.instructions.push_back({std::move(operation), shape, step, 0, most, true, "n", "n"});
    return static_cast<integers::ValueId>(made.program.instructions.size() - 1);
  };
  integers::ValueId argument = add(integers::Input{"x"}, rounded ? whole - 1 : whole, rounded ? 2 * highest : highest);
  if (rounded) argument = add(integers::Round{argument, 1}, whole, highest);
  const integers::ValueId looked_up =
      add(integers::Lookup{argument, {std::vector<std::int64_t>(std::size_t{1} << bits, 1)}, {}, {}}, 40, 1 << 20);
  add(integers::Output{looked_up, "y"}, 55, 32);
  made.client.outputs.push_back({"y", shape, 55, {layout::RepeatedReals(1), layout::RepeatedReals(0), 0, 32}});
  return made;
}

constexpr double kLikely = -40;

/// Wider tables are tried, up to eight bits, as long as any instruction rounds.
TEST(ChooseOnIntegers, TablesAreWidenedWhileTheyRound) {
  const auto tried = [](int bits, int rounded_below) {
    std::vector<int> asked;
    Precision precision;
    precision.bits = bits;
    const Chosen chosen = cheapest(
                              precision,
                              [&](const Precision& wider) {
                                asked.push_back(wider.bits);
                                return table_of_each(wider.bits, wider.bits < rounded_below, 1);
                              },
                              kLikely, std::nullopt)
                              .or_refuse();
    EXPECT_EQ(chosen.parameters.log2_failure, kLikely);
    return asked;
  };
  EXPECT_THAT(tried(2, 2), ::testing::ElementsAre(2));
  EXPECT_THAT(tried(2, 4), ::testing::ElementsAre(2, 3, 4));
  EXPECT_THAT(tried(6, 9), ::testing::ElementsAre(6, 7, 8));
}

/// Among programs with equally many bootstraps, the one with narrower tables is the cheapest. A third bit costs less
/// than twice.
TEST(ChooseOnIntegers, TheCheapestProgramIsThatOfTheLeastTime) {
  const auto chosen_bits = [](std::int64_t of_three_bits) {
    Precision precision;
    precision.bits = 2;
    return cheapest(
               precision,
               [&](const Precision& wider) {
                 return table_of_each(wider.bits, wider.bits == 2, wider.bits == 2 ? 4 : of_three_bits);
               },
               kLikely, std::nullopt)
        .or_refuse()
        .quantised.program.bits;
  };
  EXPECT_EQ(chosen_bits(8), 2) << "four bits that are rounded off, and four tables";
  EXPECT_EQ(chosen_bits(4), 3);
}

/// With parameters for three bits a bootstrap takes the same time in every program. Of two programs with equally many
/// bootstraps the first one stays.
TEST(ChooseOnIntegers, OfProgramsThatTakeTheSameTimeThatOfTheFewestBitsIsTaken) {
  Precision precision;
  precision.bits = 2;
  const auto program = [](const Precision& wider) {
    return table_of_each(wider.bits, wider.bits == 2, wider.bits == 2 ? 4 : 8);
  };
  Precision three;
  three.bits = 3;
  params::TfheLiteral fixed = cheapest(three, program, kLikely, std::nullopt).or_refuse().parameters;
  fixed.bits = 2;
  EXPECT_EQ(cheapest(precision, program, kLikely, fixed).or_refuse().quantised.program.bits, 2);
}

/// Two sums of inputs, which have little noise: 23 bits are left of both.
TEST(ChooseOnIntegers, EveryOutputKeepsTheBitsThatNoiseLeaves) {
  Quantised made;
  made.program.bits = 4;
  made.program.instructions.push_back({integers::Input{"x"}, {1, 1}, 40, 0, 1 << 20, true, "x", "x"});
  for (const char* name : {"y", "z"}) {
    made.program.instructions.push_back({integers::Output{0, name}, {1, 1}, 55, 0, 32, true, name, name});
    made.client.outputs.push_back({name, {1, 1}, 55, {layout::RepeatedReals(1), layout::RepeatedReals(0), 0, 32}});
  }
  Precision precision;
  precision.bits = 4;
  const Chosen chosen = cheapest(
                            precision, [&](const Precision&) { return made; }, kLikely, std::nullopt)
                            .or_refuse();
  for (const std::size_t output : {0, 1}) {
    EXPECT_EQ(chosen.quantised.program.instructions.at(1 + output).step, 40) << output;
    EXPECT_EQ(chosen.quantised.client.outputs.at(output).quantiser.highest, 1 << 20) << output;
  }
}

/// Parameters that the user fixes may fail more often than allowed. Results keep at least the bits that the program
/// gives them.
TEST(ChooseOnIntegers, ResultsKeepNoFewerBitsThanTheProgramGives) {
  const auto program = [](const Precision& precision) { return table_of_each(precision.bits, false, 1); };
  Precision precision;
  precision.bits = 4;
  const Chosen chosen = cheapest(precision, program, kLikely, std::nullopt).or_refuse();
  const Chosen fixed = cheapest(precision, program, -1e300, chosen.parameters).or_refuse();
  EXPECT_EQ(fixed.parameters, chosen.parameters);
  EXPECT_EQ(fixed.quantised.client.outputs.at(0).step, 55);
  EXPECT_EQ(fixed.quantised.program.instructions.back().step, 55);
}

/// Trees round nothing, and have tables of the given number of bits. A table of three bits would hold the three
/// questions of one tree, which a table of two bits cannot.
TEST(ChooseOnIntegers, TreesHaveTablesOfTheBitsThatAreAskedFor) {
  std::map<std::string, Attribute> attributes{
      {"nodes_treeids", Whole(7, 0)},
      {"nodes_nodeids", Whole{0, 1, 2, 3, 4, 5, 6}},
      {"nodes_featureids", Whole{0, 0, 1, 0, 2, 0, 0}},
      {"nodes_values", std::vector<double>(7, 0.0)},
      {"nodes_modes",
       std::vector<std::string>{"BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"}},
      {"nodes_truenodeids", Whole{1, 0, 3, 0, 5, 0, 0}},
      {"nodes_falsenodeids", Whole{2, 0, 4, 0, 6, 0, 0}},
      {"target_treeids", Whole(4, 0)},
      {"target_nodeids", Whole{1, 3, 5, 6}},
      {"target_ids", Whole(4, 0)},
      {"target_weights", std::vector<double>{1, 2, -3, 0.5}},
      {"n_targets", std::int64_t{1}}};
  const Graph graph = regressor(attributes, 3, 1);
  for (const auto& [bits, tables] : {std::pair{2, 7u}, {3, 4u}})
    for (const Rounding rounding : {Rounding::approximate, Rounding::exact}) {
      CompileOptions options;
      options.bits = bits;
      options.rounding = rounding;
      options.calibration = samples(graph, 50, 1);
      const CompiledIntegers model = compile(graph, options);
      EXPECT_EQ(model.program.bits, bits);
      EXPECT_EQ(integers::lookups(model.program), tables) << bits;
    }
}

}  // namespace
}  // namespace tacit::graph::quant
