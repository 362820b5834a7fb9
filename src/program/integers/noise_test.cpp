#include "program/integers/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "program/integers/neighbour_rates.h"
#include "program/integers/small_program_for_test.h"

namespace tacit::integers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

params::TfheParameters named(const char* name) {
  return params::TfheParameters::check(params::named_tfhe_literal(name));
}

/// What require_holds says.
std::string objection(const Program& program, const params::TfheParameters& parameters) {
  return base::refusal([&] { require_holds(program, parameters); });
}

TEST(IntegerNoise, WhatParametersDoNotHoldIsSaidWithItsNumbers) {
  EXPECT_EQ(objection(sharing_program(2), named("T4")),
            "2^2 tables share a bootstrap, and parameter set 'T4' is made for 2^0; compile the model again");
  EXPECT_EQ(objection(small_program(), named("T5")),
            "tables have 4 bits, and parameter set 'T5' is made for 5; compile with 5 bits (--bits), or leave "
            "--parameters out");
  EXPECT_EQ(objection(small_program(), params::TfheParameters::check(params::sums_literal(-64))),
            "layer 'squares': parameter set 'sums' is for sums alone, and tables are looked up here; compile the model "
            "again, or leave --parameters out");
  EXPECT_THAT(objection(small_program(), named("T1")),
              AllOf(StartsWith("layer 'squares': parameter set 'T1' fails with probability 2^-"),
                    HasSubstr(" on 4 bits behind weights of 2-norm 1, above the 2^-128 that it states; compile the "
                              "model again")));
  Program unnamed = small_program();
  unnamed.instructions[2].node = "";
  EXPECT_THAT(objection(unnamed, named("T1")), StartsWith("lookup: parameter set 'T1'"));
  EXPECT_EQ(objection(small_program(), named("T4")), base::kNotRefused);
}

TEST(IntegerNoise, ARunWithoutLookupsAndOutputsDoesNotFail) {
  Program program = small_program();
  program.instructions.resize(2);
  EXPECT_EQ(log2_failure_of_run(program, named("T4")), -std::numeric_limits<double>::infinity());
}

// Two lookups, and one output.
TEST(IntegerNoise, ARunFailsWhereAnyElementDoes) {
  const Program program = small_program();
  const params::TfheParameters parameters = named("T1");
  const auto asked = requirements(program, -128);
  ASSERT_EQ(asked.size(), 2U);
  const double lookup = params::log2_failure(parameters.shape(), asked[0]),
               output = params::log2_failure(parameters.shape(), asked[1]);
  EXPECT_NEAR(log2_failure_of_run(program, parameters), std::log2(2 * std::exp2(lookup) + std::exp2(output)), 1e-9);
}

// The box of a lookup that does not round is a single integer: four bits of six are told apart.
TEST(IntegerNoise, TablesTellTheBitsOfTheirArgumentsApart) {
  const auto bits = [](int step, int bits_of_tables) {
    Program program = small_program();
    program.bits = bits_of_tables;
    program.instructions[0].step = program.instructions[1].step = step;
    return requirements(program, -64)[0].bits;
  };
  EXPECT_EQ(bits(kMessageBits - 4, 4), 4);
  EXPECT_EQ(bits(kMessageBits - 3, 4), 3);
  // An argument that is rounded may land in the next box.
  EXPECT_EQ(bits(kMessageBits - 5, 4), 3);
  EXPECT_EQ(bits(kMessageBits - 5, 2), 1);
  EXPECT_EQ(bits(kMessageBits - 5, 1), 1);
}

TEST(IntegerNoise, NoMoreThanAllLookupsTakeANeighbour) {
  Program program = small_program();
  program.bits = 10;
  program.instructions[0].step = program.instructions[1].step = 50;
  // Boxes of a 2048th of the torus are narrower than the noise of a set for one bit.
  const params::TfheParameters parameters = named("T1");
  ASSERT_GT(noise_deviations(program, parameters)[2] * 2048, 1.3);
  EXPECT_EQ(neighbour_rates(program, parameters, {})[2], 1);
  // Where nothing is rounded nothing is taken for its neighbour.
  for (const double rate : neighbour_rates(small_program(), parameters, {})) EXPECT_EQ(rate, 0);
}

}  // namespace
}  // namespace tacit::integers
