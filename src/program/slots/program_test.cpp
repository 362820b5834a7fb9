#include "program/slots/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "layout/sparse_rows.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"
#include "program/slots/key_manifest.h"
#include "program/slots/levels.h"
#include "program/slots/linear_plan.h"
#include "program/slots/operation_prices.h"
#include "program/slots/serialize.h"

namespace tacit::slots {
namespace {

using layout::Index;
using layout::Layout;

constexpr Index kSlots = 1024;

params::CkksLiteral deep_literal() { return {"test", 11, {45, 40, 40, 40, 40, 40, 40}, {50, 50}, 40, true}; }

layout::LinearOperatorPtr dense(Index rows, Index columns, std::mt19937& random) {
  std::uniform_real_distribution<double> weight(-1, 1);
  std::vector<Index> begin{0}, column;
  std::vector<double> weights;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      column.push_back(c);
      weights.push_back(weight(random));
    }
    begin.push_back(static_cast<Index>(column.size()));
  }
  return std::make_shared<layout::SparseRows>(layout::Shape{columns}, layout::Shape{rows}, begin, column, weights);
}

/// y = W2 (p(W1 x + b))^2 + x's first elements, p = T_0 + 2 T_3.
struct Example {
  Program program;
  layout::LinearOperatorPtr first, second;
};
Example example() {
  std::mt19937 random(7);
  Example made;
  made.first = dense(20, 50, random);
  made.second = dense(4, 20, random);
  const Layout in = Layout::row_major({50}, kSlots), middle = Layout::row_major({20}, kSlots),
               padded = middle.filled(layout::Fill::unknown), out = Layout::row_major({4}, kSlots);
  const LinearPrices prices = OperationPrices(deep_literal(), params::CostTable{}).linear(3);
  const auto plan = [&](const layout::LinearMap& map) { return plan_linear(layout::diagonal_set(map), prices, 1, 1); };
  const layout::LinearMap one{in, middle, made.first}, two{padded, out, made.second};
  Program& program = made.program;
  program.name = "example";
  program.slots = kSlots;
  const auto put = [&](Operation operation, const Layout& layout, const char* node) {
    program.instructions.push_back({std::move(operation), layout, node, node, 0, -1, 0});
  };
  put(Input{"x"}, in, "x");
  put(Linear{{{0, one, plan(one)}}, layout::RepeatedReals(0.25)}, middle, "fc1");
  put(Polynomial{1, {1, 0, 0, 2}, params::PolynomialSchedule::choose(3)}, padded, "act");
  put(Multiply{2, 2}, padded, "square");
  put(Linear{{{3, two, plan(two)}}, {}}, out, "fc2");
  put(Output{4, "y"}, out, "y");
  return made;
}

TEST(Program, LevelsAreAsLowAsTheUsesAllowAndScalesExact) {
  Program program = example().program;
  verify(program);
  EXPECT_EQ(total_depth(program), 5);
  const auto parameters = params::CkksParameters::check(deep_literal());
  assign_levels(program, parameters);
  const std::vector<int> levels{5, 4, 2, 1, 0, 0};
  for (std::size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(program.instructions[i].level, levels[i]) << i;
  const double scale = parameters.scale();
  EXPECT_EQ(program.instructions[2].scale, scale);
  EXPECT_DOUBLE_EQ(program.instructions[3].scale, scale * scale / static_cast<double>(parameters.q()[2]));
  EXPECT_EQ(program.instructions[4].scale, scale);
  // Three bits more for what linear maps alone read, whose rotations lose some to rounding.
  EXPECT_EQ(program.instructions[0].scale, 8 * scale);
  program.instructions.push_back({Output{0, "same"}, program.instructions[0].layout, "same", "same", 0, -1, 0});
  assign_levels(program, parameters);
  EXPECT_EQ(program.instructions[0].scale, scale) << "an output reads it, too";
}

TEST(Program, RefusesAProgramDeeperThanItsParameters) {
  Program program = example().program;
  const auto shallow = params::CkksParameters::check({"test", 11, {45, 40, 40}, {50}, 40, true});
  EXPECT_THROW(assign_levels(program, shallow), base::InputError);
}

TEST(Program, TheSplitThatIsTakenCostsWhatItsScheduleTakes) {
  std::mt19937 random(3);
  const layout::LinearMap map{Layout::row_major({50}, kSlots), Layout::row_major({20}, kSlots), dense(20, 50, random)};
  const layout::DiagonalSet set = layout::diagonal_set(map);
  const LinearSplits splits(set, 1, 1);
  LinearPrices prices{.decompose = 4, .baby = 1, .giant = 3, .product = 0.25, .fold = 2, .finish = 5};
  std::vector<std::int64_t> giants;
  for (const double giant : {0.1, 3.0, 100.0}) {
    prices.giant = giant;
    const params::LinearSchedule schedule = splits.cheapest(prices);
    const LinearCounts counts = count(schedule, set.count, 1, 1);
    EXPECT_EQ(schedule.steps.size(), set.diagonals.size());
    EXPECT_DOUBLE_EQ(splits.seconds(prices), params::total(counts, prices));
    giants.push_back(counts.giants);
  }
  EXPECT_GT(giants[0], giants[1]);
  EXPECT_GT(giants[1], giants[2]);
}

TEST(Program, ClearReadingEqualsTheFormula) {
  const Example made = example();
  std::mt19937 random(9);
  std::uniform_real_distribution<double> value(-0.05, 0.05);
  std::vector<double> x(50);
  for (double& v : x) v = value(random);
  const ClearProgram evaluator(made.program);
  const auto y = evaluator.run({x});
  std::vector<double> expected(4, 0.0);
  std::vector<double> hidden(20, 0.25);
  for (Index r = 0; r < 20; ++r)
    made.first->row(
        r, [&](Index c, double w) { hidden[static_cast<std::size_t>(r)] += w * x[static_cast<std::size_t>(c)]; });
  for (double& h : hidden) {
    const double p = 1 + 2 * (4 * h * h * h - 3 * h);
    h = p * p;
  }
  for (Index r = 0; r < 4; ++r)
    made.second->row(r, [&](Index c, double w) {
      expected[static_cast<std::size_t>(r)] += w * hidden[static_cast<std::size_t>(c)];
    });
  ASSERT_EQ(y.size(), 1u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[0][i], expected[i], 1e-12);
}

TEST(Program, PricesOfAnInstructionDoNotDependOnItsPlace) {
  Program program{.name = "p", .slots = 64, .instructions = {}};
  const Layout layout = Layout::row_major({64}, 64);
  program.instructions.push_back({Input{"x"}, layout, "x", "x", 1, 2, 0x1p40});
  for (ValueId id = 0; id < 200; ++id)
    program.instructions.push_back({AddPlain{id, layout::RepeatedReals(0.5)}, layout, "add", "add", 1, 2, 0x1p40});
  params::CostTable table;
  table.cache_mib = 0.01;
  const ProgramCost cost = price(program, deep_literal(), table);
  EXPECT_GT(cost.instructions[1].seconds, 0);
  EXPECT_EQ(cost.instructions[1].seconds, cost.instructions[200].seconds);
}

TEST(Program, NoiseOfTheSimulationHasTheModelledDeviation) {
  const Example made = example();
  const ClearProgram clear(made.program);
  NoiseModel model(made.program.instructions.size(), 0.0);
  model[1] = 1e-3;
  const std::vector<double> x(50, 0.01);
  const auto clean = clear.run({x});
  double sum = 0;
  std::vector<double> first_linear;
  for (int i = 0; i < 200; ++i)
    clear.run(
        {x},
        [&](ValueId id, const SlotArray& value, auto) {
          if (id == 1) first_linear.push_back(value[0][0]);
        },
        ClearProgram::Noise{model, static_cast<std::uint64_t>(i)});
  const double mean = std::accumulate(first_linear.begin(), first_linear.end(), 0.0) / 200;
  for (const double v : first_linear) sum += (v - mean) * (v - mean);
  EXPECT_NEAR(std::sqrt(sum / 199), 1e-3, 2e-4);
}

TEST(Program, SurvivesTheTripThroughBytesAndRefusesEveryTruncation) {
  Program program = example().program;
  assign_levels(program, params::CkksParameters::check(deep_literal()));
  const auto bytes = to_bytes(program);
  const Program back = program_from_bytes(bytes);
  EXPECT_EQ(to_text(back), to_text(program));
  EXPECT_EQ(to_bytes(back), bytes);
  for (std::size_t length = 0; length < bytes.size(); length += 97)
    EXPECT_THROW(program_from_bytes(std::span(bytes).first(length)), base::InputError) << length;
}

TEST(Program, NeedsAKeyForEveryRotationOfItsSchedules) {
  Program program = example().program;
  assign_levels(program, params::CkksParameters::check(deep_literal()));
  const params::KeyManifest needs = key_manifest(program);
  EXPECT_EQ(needs.relinearise_level, 4);
  for (const Instruction& instruction : program.instructions)
    if (const auto* linear = std::get_if<Linear>(&instruction.operation))
      for (const auto& step : linear->terms[0].schedule.steps) {
        EXPECT_TRUE(step.baby == 0 || needs.rotations.at(step.baby) >= instruction.level + 1);
        EXPECT_TRUE(step.giant == 0 || needs.rotations.at(step.giant) >= instruction.level + 1);
      }
}

/// Every kind of instruction on tensors spread over several ciphertexts, with and without replicas.
TEST(Program, ClearReadingOfEveryInstruction) {
  const Layout layout({6}, {{0, 2, 4, ""}}, {{layout::kReplica, 2, 1, ""}, {0, 4, 1, ""}}, {});
  ASSERT_EQ(layout.ciphertexts(), 2);
  Program program{"every", 8, {}};
  const auto put = [&](Operation operation) {
    program.instructions.push_back({std::move(operation), layout, "n", "n", 0, -1, 0});
    return static_cast<ValueId>(program.instructions.size() - 1);
  };
  const ValueId x = put(Input{"x"}), y = put(Input{"y"});
  const ValueId sum = put(Add{x, y}), difference = put(Subtract{sum, y});
  const ValueId shifted = put(AddPlain{difference, layout::RepeatedReals({1, 2, 3, 4, 5, 6}, 1)});
  const ValueId scaled = put(MultiplyPlain{shifted, layout::RepeatedReals({1, -1, 2, -2, 3, -3}, 1)});
  const ValueId product = put(Multiply{scaled, y});
  const ValueId turned = put(Rotate{product, 1});
  put(Output{product, "product"});
  put(Output{turned, "turned"});
  verify(program);
  const ClearProgram evaluator(program);
  const auto outputs = evaluator.run({{1, 2, 3, 4, 5, 6}, {1, 1, 1, 1, 2, 2}});
  EXPECT_EQ(outputs.at(0), (std::vector<double>{2, -4, 12, -16, 60, -72}));
  // The second ciphertext holds 4, 5 and two zeros; rotating repeats with the copies.
  EXPECT_EQ(outputs.at(1), (std::vector<double>{-4, 12, -16, 2, -72, 0}));
}

TEST(Program, NoFunctionReadsWhatALinearMapLeavesBesideElements) {
  Program program = example().program;
  verify(program);
  const auto refusal = [&] {
    try {
      verify(program);
    } catch (const base::InternalError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Layout unknown = program.value(1).layout.filled(layout::Fill::unknown);
  auto& first = std::get<Linear>(program.instructions[1].operation);
  first.terms[0].map.out = program.instructions[1].layout = unknown;
  EXPECT_THAT(refusal(), testing::HasSubstr("%2 (act): slots of %1 that hold no element may hold numbers of any size"));
  // A mask before it is all that it takes.
  Program cleaned = program;
  cleaned.instructions.insert(
      cleaned.instructions.begin() + 2,
      {MultiplyPlain{1, layout::RepeatedReals(1)}, unknown.filled(layout::Fill::zero), "mask", "mask", 0, -1, 0});
  for (ValueId id = 3; id < cleaned.instructions.size(); ++id)
    rename_operands(cleaned.instructions[id].operation, [](ValueId read) { return read >= 1 ? read + 1 : read; });
  verify(cleaned);
  // A map that takes zeros beside elements does not read a function's value there.
  program = example().program;
  auto& second = std::get<Linear>(program.instructions[4].operation);
  second.terms[0].map.in = second.terms[0].map.in.filled(layout::Fill::zero);
  for (const ValueId id : {2u, 3u})
    program.instructions[id].layout = program.instructions[id].layout.filled(layout::Fill::zero);
  EXPECT_THAT(refusal(), testing::HasSubstr("%4 (fc2): takes zeros from slots of %3"));
}

TEST(Program, VerifyNamesWhatDoesNotFit) {
  Program program = example().program;
  std::get<Linear>(program.instructions[1].operation).terms.clear();
  EXPECT_THROW(verify(program), base::InternalError);
  program = example().program;
  std::get<Multiply>(program.instructions[3].operation).right = 1;
  verify(program);
  std::get<Multiply>(program.instructions[3].operation).right = 4;
  EXPECT_THROW(verify(program), base::InternalError);
  program = example().program;
  std::get<Linear>(program.instructions[1].operation).terms[0].map.op =
      std::get<Linear>(program.instructions[4].operation).terms[0].map.op;
  EXPECT_THROW(verify(program), base::InternalError);
}

TEST(Program, EveryOperationHasItsName) {
  EXPECT_STREQ(mnemonic(Input{}), "input");
  EXPECT_STREQ(mnemonic(Linear{}), "linear");
  EXPECT_STREQ(mnemonic(Polynomial{}), "polynomial");
  EXPECT_STREQ(mnemonic(Multiply{}), "multiply");
  EXPECT_STREQ(mnemonic(Add{}), "add");
  EXPECT_STREQ(mnemonic(Subtract{}), "subtract");
  EXPECT_STREQ(mnemonic(AddPlain{0, layout::RepeatedReals()}), "add_plain");
  EXPECT_STREQ(mnemonic(MultiplyPlain{0, layout::RepeatedReals()}), "multiply_plain");
  EXPECT_STREQ(mnemonic(Rotate{}), "rotate");
  EXPECT_STREQ(mnemonic(Output{}), "output");
  EXPECT_STREQ(mnemonic(Validate{}), "validate");
  EXPECT_STREQ(mnemonic(Bootstrap{}), "bootstrap");
  EXPECT_STREQ(mnemonic(Sum{}), "sum");
  EXPECT_STREQ(mnemonic(RotateSum{}), "rotate_sum");
  EXPECT_STREQ(mnemonic(Drop{}), "drop");
  EXPECT_STREQ(mnemonic(Gather{}), "gather");
}

TEST(Program, SummandsOfDifferentScalesAreRefused) {
  Program program = example().program;
  std::get<Linear>(program.instructions[4].operation).terms[0].input = 5;
  program.instructions.insert(program.instructions.begin() + 4,
                              {Add{3, 1}, program.instructions[3].layout, "sum", "sum", 0, -1, 0});
  std::get<Linear>(program.instructions[5].operation).terms[0].input = 4;
  std::get<Output>(program.instructions[6].operation).input = 5;
  verify(program);
  EXPECT_THROW(assign_levels(program, params::CkksParameters::check(deep_literal())), base::InternalError);
}

TEST(Cost, CountsWhatTheSchedulesDo) {
  Program program = example().program;
  assign_levels(program, params::CkksParameters::check(deep_literal()));
  const ProgramCost cost = price(program, deep_literal(), params::CostTable{});
  EXPECT_EQ(cost.ciphertexts, 2);
  EXPECT_EQ(cost.multiplications, 3);
  EXPECT_EQ(cost.diagonals, 32 + 4);
  EXPECT_EQ(cost.rotations, cost.instructions[1].rotations + cost.instructions[4].rotations);
  EXPECT_GT(cost.seconds, 0);
}

TEST(Cost, TimeIsLinearInThePrices) {
  Program program = example().program;
  assign_levels(program, params::CkksParameters::check(deep_literal()));
  const auto all_seconds = [&](const params::CostTable& costs) {
    const ProgramCost cost = price(program, deep_literal(), costs);
    EXPECT_GT(cost.key_seconds, 0);
    EXPECT_GT(cost.encode_seconds, 0);
    return cost.seconds + cost.key_seconds + cost.encode_seconds;
  };
  const params::CostTable standard;
  const double seconds = all_seconds(standard);
  params::CostTable slow = standard;
  double sum = 0;
  for (const params::CostField& field : params::cost_fields()) {
    if (field.unit != "ns") continue;
    slow.*field.value *= 3;
    params::CostTable twice = standard;
    twice.*field.value *= 2;
    // What one price accounts for, which all of them but the one of long sums have a share in.
    const double share = all_seconds(twice) - seconds;
    EXPECT_EQ(share > 0, field.name != "far_ns") << field.name;
    sum += share;
  }
  EXPECT_NEAR(sum / seconds, 1, 1e-9);
  EXPECT_NEAR(all_seconds(slow) / seconds, 3, 1e-9);
}

TEST(Program, ARotationMayFillZerosThatItsLayoutDeclares) {
  const Layout three = Layout::row_major({3}, kSlots);
  std::mt19937 random(5);
  Program program{.name = "turned", .slots = kSlots, .instructions = {}};
  program.instructions.push_back({Input{"x"}, three, "x", "x", 0, -1, 0});
  program.instructions.push_back({Rotate{0, 1}, three, "turn", "turn", 0, -1, 0});
  program.instructions.push_back(
      {Linear{{{1, {three, three, dense(3, 3, random)}, {{{0, 0, 0}}, {}}}}, {}}, three, "map", "map", 0, -1, 0});
  EXPECT_NO_THROW(verify(program));
  // What a series makes beside elements is small, and no zero.
  program.instructions[1].operation = Polynomial{0, {1, 1}, params::PolynomialSchedule::choose(1)};
  EXPECT_THROW(verify(program), base::InternalError);
  program.instructions[1].operation = Polynomial{0, {0, 1}, params::PolynomialSchedule::choose(1)};
  EXPECT_NO_THROW(verify(program));
}

TEST(Program, ValuesHaveDefaultsUntilTheyAreDecided) {
  const Instruction made{Input{"x"}, Layout::row_major({3}, kSlots), "", ""};
  EXPECT_EQ(made.bound, 0);
  EXPECT_EQ(made.level, -1);
  EXPECT_EQ(made.scale, 0);
  EXPECT_EQ(Multiply{}.terms, 1);
  EXPECT_EQ((MultiplyPlain{0, layout::RepeatedReals(1)}).terms, 1);
  EXPECT_EQ(Sum{}.terms, 1);
  EXPECT_EQ(Rotate{}.steps, 0);
  EXPECT_EQ(GatherPart{}.offset, 0);
  EXPECT_EQ(program::Meaning{}.factors, (std::vector<double>{1}));
  EXPECT_EQ(program::Meaning{}.offset, 0);
  EXPECT_EQ(Validate{}.detail, Detail::instruction);
}

}  // namespace
}  // namespace tacit::slots
