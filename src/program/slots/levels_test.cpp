#include "program/slots/levels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::slots {
namespace {

using layout::Layout;

/// Of so many ciphertext primes.
params::CkksParameters with_primes(std::size_t count) {
  std::vector<int> q_bits(count, 40);
  q_bits[0] = 50;
  return params::CkksParameters::check(
      {.name = "test", .log_n = 10, .q_bits = q_bits, .p_bits = {50}, .log_scale = 40, .insecure = true});
}

/// An input, and every operation behind it, which reads the value before it.
Program chain(std::vector<Operation> operations) {
  Program program{.name = "made", .slots = 512, .instructions = {}};
  const auto add = [&](Operation operation) {
    const std::size_t id = program.instructions.size();
    program.instructions.push_back({std::move(operation), Layout::row_major({4}, 512),
                                    std::string("node").append(std::to_string(id)), "", 1, -1, 0});
  };
  add(Input{"x"});
  for (Operation& operation : operations) {
    const auto last = static_cast<ValueId>(program.instructions.size() - 1);
    rename_operands(operation, [&](ValueId) { return last; });
    add(std::move(operation));
  }
  return program;
}

std::vector<int> levels_of(const Program& program) {
  std::vector<int> levels;
  for (const Instruction& instruction : program.instructions) levels.push_back(instruction.level);
  return levels;
}

Polynomial series(int degree) {
  return {0, std::vector<double>(static_cast<std::size_t>(degree) + 1, 1.0),
          params::PolynomialSchedule::choose(degree)};
}
const Operation kTwice = MultiplyPlain{0, layout::RepeatedReals(2)};
const Operation kSquare = Multiply{0, 0};
const Operation kOut = Output{0, "y"};

std::string objection(Program program, const params::CkksParameters& parameters) {
  return base::refusal([&] { assign_levels(program, parameters); });
}

TEST(AssignLevels, OutputsEndWhereTheyAreToldToAndOthersAboveThem) {
  Program program = chain({kTwice, kSquare, series(3), Rotate{0, 1}, kOut});
  assign_levels(program, with_primes(6));
  EXPECT_EQ(levels_of(program), (std::vector<int>{4, 3, 2, 0, 0, 0}));
  assign_levels(program, with_primes(6), 1);
  EXPECT_EQ(levels_of(program), (std::vector<int>{5, 4, 3, 1, 1, 1}));
  // What several read sits where the highest needs it.
  program.instructions.push_back({Output{0, "z"}, program.value(0).layout, "z", "", 1, -1, 0});
  program.instructions.push_back({Output{2, "w"}, program.value(2).layout, "w", "", 1, -1, 0});
  assign_levels(program, with_primes(6));
  EXPECT_EQ(levels_of(program), (std::vector<int>{4, 3, 2, 0, 0, 0, 0, 0}));
}

TEST(AssignLevels, AProgramHasAsManyLevelsAsItsParameters) {
  EXPECT_EQ(objection(chain({kTwice, kTwice, kOut}), with_primes(3)), base::kNotRefused);
  EXPECT_EQ(objection(chain({kTwice, kTwice, kTwice, kOut}), with_primes(3)),
            "'made' needs 3 levels at node0, and parameter set test has 2: choose a deeper set");
  EXPECT_EQ(objection(chain({kSquare, kSquare, kOut}), with_primes(3)), base::kNotRefused);
  EXPECT_EQ(objection(chain({kSquare, kSquare, kSquare, kOut}), with_primes(3)),
            "'made' needs 3 levels at node0, and parameter set test has 2: choose a deeper set");
}

// S8 has messages up to level 11, and inputs up to level 17 for what is linear in them.
TEST(AssignLevels, WhatIsLinearInTheInputsMayLieAboveTheMessages) {
  static const auto s8 = params::CkksParameters::check(params::named_literal("S8"));
  const auto linear_then = [](int maps, const Operation& last) {
    std::vector<Operation> operations(static_cast<std::size_t>(maps), kTwice);
    operations.push_back(last);
    operations.push_back(kOut);
    return chain(std::move(operations));
  };
  EXPECT_EQ(objection(linear_then(17, AddPlain{0, layout::RepeatedReals(1)}), s8), base::kNotRefused);
  EXPECT_EQ(objection(linear_then(18, AddPlain{0, layout::RepeatedReals(1)}), s8),
            "'made' needs 18 levels at node0, and parameter set S8 has 17: choose a deeper set");
  // Products of messages end at level 11.
  const auto squares = [](int count) {
    std::vector<Operation> operations(static_cast<std::size_t>(count), kSquare);
    operations.push_back(kOut);
    return chain(std::move(operations));
  };
  EXPECT_EQ(objection(squares(11), s8), base::kNotRefused);
  EXPECT_EQ(objection(squares(12), s8),
            "'made' needs 12 levels at node1, and parameter set S8 has 11: choose a deeper set");
}

// Every squaring ends at scale^2 / q; backwards from the parameters' scale.
TEST(AssignLevels, WhatASeriesReadsLiesWhereItsSquaringsEndAtTheScale) {
  const params::CkksParameters parameters = with_primes(6);
  const double scale = parameters.scale();
  const auto operand_scale = [&](int degree) {
    Program program = chain({kTwice, series(degree), kOut});
    assign_levels(program, parameters);
    EXPECT_EQ(program.value(2).scale, scale);
    EXPECT_EQ(program.value(0).scale, scale);
    return program.value(1).scale;
  };
  EXPECT_DOUBLE_EQ(operand_scale(1), scale);
  EXPECT_DOUBLE_EQ(operand_scale(2), std::sqrt(scale * parameters.prime(2)));
  EXPECT_DOUBLE_EQ(operand_scale(3), std::sqrt(scale * parameters.prime(2)));
  const double two = std::sqrt(std::sqrt(scale * parameters.prime(2)) * parameters.prime(3));
  EXPECT_DOUBLE_EQ(operand_scale(4), two);
  EXPECT_DOUBLE_EQ(operand_scale(7), two);
  // An input lands on the scale of the parameters whoever reads it, and so does what others read, too.
  Program direct = chain({series(3), kOut});
  assign_levels(direct, parameters);
  EXPECT_EQ(direct.value(0).scale, scale);
  Program shared = chain({kTwice, series(3), kOut});
  shared.instructions.push_back({Output{1, "z"}, shared.value(1).layout, "z", "", 1, -1, 0});
  assign_levels(shared, parameters);
  EXPECT_EQ(shared.value(1).scale, scale);
}

TEST(AssignLevels, ProductsAndWhatKeepsItsScaleFollowTheirOperands) {
  const params::CkksParameters parameters = with_primes(6);
  Program program = chain({kSquare, Rotate{0, 1}, AddPlain{0, layout::RepeatedReals(1)}, Drop{0}, kOut});
  program.instructions.push_back(
      {Validate{1, Detail::instruction, 1, 0, {0, 0}}, program.value(1).layout, "", "", 1, -1, 0});
  assign_levels(program, parameters);
  EXPECT_EQ(levels_of(program), (std::vector<int>{2, 1, 1, 1, 0, 0, 1}));
  const double scale = parameters.scale(), squared = scale * scale / parameters.prime(2);
  for (const ValueId id : {1U, 2U, 3U, 6U}) EXPECT_DOUBLE_EQ(program.value(id).scale, squared) << id;
  for (const ValueId id : {0U, 4U, 5U}) EXPECT_EQ(program.value(id).scale, scale) << id;
}

TEST(AssignLevels, MessagesNeedTheLevelsOfWhatIsNotLinear) {
  const params::CkksParameters parameters = with_primes(6);
  const auto needed = [&](std::vector<Operation> operations) {
    Program program = chain(std::move(operations));
    assign_levels(program, parameters);
    return message_levels_needed(program);
  };
  EXPECT_EQ(needed({kTwice, kTwice, kOut}), 0);
  EXPECT_EQ(needed({kTwice, kTwice, kSquare, kOut}), 1);
  EXPECT_EQ(needed({kTwice, series(3), kTwice, kOut}), 3);
  Bootstrap bootstrap{{0}, {}};
  bootstrap.schedule.chain.output = 7;
  EXPECT_EQ(message_levels_needed(chain({bootstrap, kOut})), 7);
}

/// Refreshed to this level at most.
Operation refresh_of_one(int from, int to) {
  Bootstrap bootstrap{{0}, {}};
  bootstrap.schedule.input_level = from;
  bootstrap.schedule.output_level = to;
  return bootstrap;
}

TEST(AssignLevels, BootstrapsGiveLevelsBackUpToTheirs) {
  const params::CkksParameters parameters = with_primes(6);
  Program program = chain({kTwice, refresh_of_one(1, 3), kTwice, kSquare, kTwice, kOut});
  assign_levels(program, parameters);
  EXPECT_EQ(levels_of(program), (std::vector<int>{2, 1, 3, 2, 1, 0, 0}));
  EXPECT_EQ(program.value(2).scale, parameters.scale());
  EXPECT_EQ(objection(chain({kTwice, refresh_of_one(1, 3), kTwice, kTwice, kTwice, kTwice, kOut}), parameters),
            "'made' needs 4 levels at node2, and parameter set test has 3 after a bootstrap: choose a deeper set");
  // What stands behind a bootstrap is not linear in the inputs.
  EXPECT_EQ(message_levels_needed(chain({refresh_of_one(1, 3), kTwice, kOut})), 0);
  Program behind = chain({refresh_of_one(1, 3), kTwice, kTwice, kOut});
  assign_levels(behind, parameters);
  EXPECT_EQ(message_levels_needed(behind), 2);
}

// What linear maps alone read lands eight times higher, but for what a bootstrap makes.
TEST(AssignLevels, OperandsOfLinearMapsLandHigher) {
  const params::CkksParameters parameters = with_primes(6);
  const double scale = parameters.scale();
  const Operation map = Linear{{{0, {}, {}}}, {}};
  Program program = chain({kTwice, map, refresh_of_one(1, 4), map, map, series(1), kOut});
  assign_levels(program, parameters);
  const std::vector<double> scales{scale, 8 * scale, scale, scale, 8 * scale, scale, scale, scale};
  for (ValueId id = 0; id < scales.size(); ++id) EXPECT_EQ(program.value(id).scale, scales[id]) << id;
  // What a map and a series read keeps the scale of the parameters.
  Program shared = chain({kTwice, map, kOut});
  shared.instructions.push_back({series(3), shared.value(1).layout, "s", "", 1, -1, 0});
  rename_operands(shared.instructions.back().operation, [](ValueId) { return ValueId{1}; });
  assign_levels(shared, parameters);
  EXPECT_EQ(shared.value(1).scale, scale);
}

// A square has the scale of the parameters but for the distance of a prime from a power of two.
TEST(AssignLevels, SummandsHaveOneScale) {
  const auto objection_to_sum = [](ValueId left, ValueId right) {
    Program program = chain({kSquare});
    program.instructions.push_back({Add{left, right}, program.value(0).layout, "sum", "", 1, -1, 0});
    program.instructions.push_back({Output{2, "y"}, program.value(0).layout, "y", "", 1, -1, 0});
    return base::refusal<base::InternalError>([&] { assign_levels(program, with_primes(3)); });
  };
  for (const ValueId id : {0U, 1U}) EXPECT_EQ(objection_to_sum(id, id), base::kNotRefused);
  EXPECT_EQ(objection_to_sum(0, 1), "'made': the operands of add at sum differ in scale");
  EXPECT_EQ(objection_to_sum(1, 0), "'made': the operands of add at sum differ in scale");
}

}  // namespace
}  // namespace tacit::slots
