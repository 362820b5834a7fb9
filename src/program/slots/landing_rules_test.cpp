#include "program/slots/landing_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/refusal_for_test.h"
#include "program/slots/runnable.h"
#include "program/slots/small_parameters_for_test.h"

namespace tacit::slots {
namespace {

using layout::Layout;
using layout::RepeatedReals;
using ::testing::HasSubstr;

/// Two inputs at level 2, at these scales, and an instruction, which is %2.
Program behind_inputs(Operation operation, int level, double scale = kScale, double second = kScale) {
  const Layout full = Layout::row_major({512}, 512);
  Program program{.name = "made", .slots = 512, .instructions = {}};
  program.instructions.push_back({Input{"x"}, full, "x", "made.onnx: x", 1, 2, kScale});
  program.instructions.push_back({Input{"y"}, full, "y", "made.onnx: y", 1, 2, second});
  program.instructions.push_back({std::move(operation), full, "node", "made.onnx: node", 1, level, scale});
  return program;
}

std::string level_problem_of(Operation operation, int level) {
  return level_problem(behind_inputs(std::move(operation), level), 2, small_parameters());
}

std::string scale_problem_of(Operation operation, int level, double scale, double second = kScale) {
  return scale_problem(behind_inputs(std::move(operation), level, scale, second), 2, small_parameters());
}

Operation refresh(int from, int to) {
  Bootstrap bootstrap{{0, 1}, {}};
  bootstrap.schedule.input_level = from;
  bootstrap.schedule.output_level = to;
  return bootstrap;
}

TEST(LandingRules, LevelsGoDownFromTheOperands) {
  for (const Operation& keeps : {Operation(Rotate{0, 1}), Operation(Add{0, 1}), Operation(Output{0, "z"})}) {
    for (const int level : {0, 2}) EXPECT_EQ(level_problem_of(keeps, level), "");
    EXPECT_EQ(level_problem_of(keeps, 3), "it reads %0 at level 2 and needs level 3");
    EXPECT_EQ(level_problem_of(keeps, -1), "it runs from level -1 to -1, and the parameters have 3");
  }
  for (const Operation& takes :
       {Operation(Multiply{0, 1}), Operation(Drop{0}), Operation(MultiplyPlain{0, RepeatedReals(1)})}) {
    for (const int level : {0, 1}) EXPECT_EQ(level_problem_of(takes, level), "");
    EXPECT_EQ(level_problem_of(takes, 2), "it reads %0 at level 2 and needs level 3");
    EXPECT_EQ(level_problem_of(takes, 3), "it runs from level 4 to 3, and the parameters have 3");
    EXPECT_EQ(level_problem_of(takes, -1), "it runs from level 0 to -1, and the parameters have 3");
  }
  EXPECT_EQ(level_problem_of(Input{"z"}, 3), "");
  EXPECT_EQ(level_problem_of(Input{"z"}, 4), "it runs from level 4 to 4, and the parameters have 3");
  // Every operand is looked at.
  Program program = behind_inputs(Add{0, 1}, 2);
  program.instructions[1].level = 1;
  EXPECT_EQ(level_problem(program, 2, small_parameters()), "it reads %1 at level 1 and needs level 2");
}

TEST(LandingRules, BootstrapsEndAtTheirLevelOrBelow) {
  for (const int level : {0, 3}) EXPECT_EQ(level_problem_of(refresh(1, 3), level), "");
  EXPECT_EQ(level_problem_of(refresh(1, 2), 3), "a bootstrap ends at level 2 and the program says 3");
  EXPECT_EQ(level_problem_of(refresh(2, 3), 3), "");
  EXPECT_EQ(level_problem_of(refresh(3, 3), 3), "it reads %0 at level 2 and needs level 3");
  EXPECT_EQ(scale_problem_of(refresh(1, 3), 3, kScale), "");
  EXPECT_EQ(scale_problem_of(refresh(1, 3), 3, 2 * kScale), "it makes scale 2^40.000 and the program says 2^41.000");
  EXPECT_EQ(scale_problem_of(refresh(1, 3), 3, kScale, 2 * kScale), "it reads %1 at another scale, 2^41.000");
}

TEST(LandingRules, ScalesAreThoseThatInstructionsMake) {
  for (const double scale : {0.5, 0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_EQ(scale_problem_of(Input{"z"}, 2, scale), "its scale is no number of at least 1") << scale;
  for (const double scale : {1.0, 3 * kScale}) EXPECT_EQ(scale_problem_of(Input{"z"}, 2, scale), "");
  const std::string doubled = "it makes scale 2^40.000 and the program says 2^41.000";
  for (const Operation& keeps :
       {Operation(Rotate{0, 1}), Operation(RotateSum{0, {1}}), Operation(Sum{0, 1}), Operation(Output{0, "z"}),
        Operation(AddPlain{0, RepeatedReals(1)}), Operation(Add{0, 1}), Operation(Subtract{0, 1})}) {
    EXPECT_EQ(scale_problem_of(keeps, 2, kScale), "") << mnemonic(keeps);
    EXPECT_EQ(scale_problem_of(keeps, 2, 2 * kScale), doubled) << mnemonic(keeps);
  }
  for (const Operation& lands : {Operation(Drop{0}), Operation(MultiplyPlain{0, RepeatedReals(1)}), Operation(Linear{}),
                                 Operation(Polynomial{0, {0, 1}, params::PolynomialSchedule::choose(1)})})
    for (const double scale : {kScale, 8 * kScale}) EXPECT_EQ(scale_problem_of(lands, 1, scale), "") << mnemonic(lands);
  for (const Operation& both : {Operation(Add{0, 1}), Operation(Subtract{0, 1})})
    EXPECT_EQ(scale_problem_of(both, 2, kScale, 2 * kScale), "it reads %1 at another scale, 2^41.000");
  for (const double second : {kScale, 4 * kScale}) {
    const double made = kScale * second / static_cast<double>(small_parameters().prime(2));
    EXPECT_EQ(scale_problem_of(Multiply{0, 1}, 1, made, second), "");
    EXPECT_THAT(scale_problem_of(Multiply{0, 1}, 1, 16 * kScale, second), HasSubstr("and the program says 2^44.000"));
  }
}

TEST(LandingRules, ScalesAgreeToThirtyBits) {
  EXPECT_TRUE(same_scale(kScale, kScale));
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_TRUE(same_scale(kScale * (1 + sign * 0x1p-31), kScale));
    EXPECT_FALSE(same_scale(kScale * (1 + sign * 0x1p-29), kScale));
  }
}

TEST(LandingRules, WhatCannotRunSaysWhereItIsFrom) {
  EXPECT_NO_THROW(require_runnable(behind_inputs(Rotate{0, 1}, 2), small_parameters()));
  const auto refused = [](const Program& program) {
    return base::refusal([&] { require_runnable(program, small_parameters()); });
  };
  EXPECT_EQ(refused(behind_inputs(Rotate{0, 1}, 3)),
            "program 'made': made.onnx: node: it reads %0 at level 2 and needs level 3");
  EXPECT_EQ(refused(behind_inputs(Rotate{0, 1}, 2, 2 * kScale)),
            "program 'made': made.onnx: node: it makes scale 2^40.000 and the program says 2^41.000");
  Program first = behind_inputs(Rotate{0, 1}, 2);
  first.instructions[0].scale = 0;
  EXPECT_EQ(refused(first), "program 'made': made.onnx: x: its scale is no number of at least 1");
  Program wide = behind_inputs(Rotate{0, 1}, 2);
  wide.slots = 1024;
  EXPECT_EQ(refused(wide), "program 'made': it is laid out for 1024 slots and the parameter set test has 512");
  Validate check{0, Detail::vector, 3, -3};
  EXPECT_NO_THROW(require_runnable(behind_inputs(check, 99, 0), small_parameters())) << "it looks, and makes nothing";
}

TEST(LandingRules, ScalesThatDifferByTheirThirtiethBitAgreeAndByMoreDoNot) {
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_TRUE(same_scale(kScale * (1 + sign * 0x1p-30), kScale));
    EXPECT_FALSE(same_scale(kScale * (1 + sign * (0x1p-30 + 0x1p-50)), kScale));
  }
}

TEST(LandingRules, TheSmallestScaleIsKeptLikeOthers) {
  Program program = behind_inputs(Rotate{0, 1}, 2, 8);
  program.instructions[0].scale = 1;
  EXPECT_EQ(scale_problem(program, 2, small_parameters()), "it makes scale 2^0.000 and the program says 2^3.000");
  program.instructions[2].scale = 1;
  EXPECT_EQ(scale_problem(program, 2, small_parameters()), "");
}

}  // namespace
}  // namespace tacit::slots
