#include "program/integers/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
std::string noise_refusal(const Program& program, const params::TfheParameters& parameters) {
  return base::refusal([&] { require_holds(program, parameters); });
}

TEST(IntegerNoise, WhatParametersDoNotHoldIsSaidWithItsNumbers) {
  EXPECT_EQ(noise_refusal(sharing_program(2), named("T4")),
            "2^2 tables share a bootstrap, and parameter set 'T4' is made for 2^0; compile the model again");
  EXPECT_EQ(noise_refusal(small_program(), named("T5")),
            "tables have 4 bits, and parameter set 'T5' is made for 5; compile with 5 bits (--bits), or leave "
            "--parameters out");
  EXPECT_EQ(noise_refusal(small_program(), params::TfheParameters::check(params::sums_literal(-64))),
            "layer 'squares': parameter set 'sums' is for sums alone, and tables are looked up here; compile the model "
            "again, or leave --parameters out");
  EXPECT_THAT(noise_refusal(small_program(), named("T1")),
              AllOf(StartsWith("layer 'squares': parameter set 'T1' fails with probability 2^-"),
                    HasSubstr(" on 4 bits behind weights of 2-norm 1, above the 2^-128 that it states; compile the "
                              "model again")));
  Program unnamed = small_program();
  unnamed.instructions[2].node = "";
  EXPECT_THAT(noise_refusal(unnamed, named("T1")), StartsWith("lookup: parameter set 'T1'"));
  EXPECT_EQ(noise_refusal(small_program(), named("T4")), base::kNotRefused);
}

// Fresh noise vanishes beside that of bootstraps, and fills the lowest bits of wide sums.
TEST(IntegerNoise, InputsUnderAPublicKeyNeedRoomForTheirNoise) {
  const Program looked_up = small_program();
  const params::TfheParameters parameters = named("T4");
  EXPECT_FALSE(why_no_public_key(looked_up, parameters));
  EXPECT_NEAR(log2_failure_of_public_run(looked_up, parameters), log2_failure_of_run(looked_up, parameters), 1e-6);
  const auto sums = params::TfheParameters::check(params::sums_literal(-64));
  const auto of_bits = [](int bits) {
    Program program{.name = "wide", .bits = 1, .instructions = {}};
    const int step = kMessageBits - bits;
    program.instructions.push_back({Input{"x"}, {1}, step, 0, 3, true, "x", ""});
    program.instructions.push_back({Output{0, "y"}, {1}, step, 0, 3, true, "y", ""});
    return program;
  };
  // Noise of 2^17 of 2^64 leaves 42 bits apart, and noise 653 times as large leaves 33.
  EXPECT_FALSE(why_no_public_key(of_bits(33), sums));
  EXPECT_EQ(noise_refusal(of_bits(36), sums), base::kNotRefused);
  const auto refused = why_no_public_key(of_bits(36), sums);
  ASSERT_TRUE(refused);
  EXPECT_THAT(
      refused->what,
      AllOf(StartsWith("layer 'y': with inputs under a public key, 36 bits behind weights of 2-norm 1 on inputs "
                       "fail with probability 2^-"),
            HasSubstr(", above the 2^-64 that the model states; encrypt with the secret key")));
}

TEST(IntegerNoise, ARunWithoutLookupsAndOutputsDoesNotFail) {
  Program program = small_program();
  program.instructions.resize(2);
  EXPECT_EQ(log2_failure_of_run(program, named("T4")), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(log2_failure_of_public_run(program, named("T4")), -std::numeric_limits<double>::infinity());
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

std::shared_ptr<layout::Contraction> matrix_of(std::int64_t columns, std::int64_t rows, std::vector<double> weights) {
  return std::make_shared<layout::Contraction>(layout::Contraction::dense({1, columns}, rows, std::move(weights)));
}

// The last of more rows than one task takes is the worst.
TEST(IntegerNoise, TheWorstOfManyRowsCounts) {
  for (const std::int64_t worst : {0, 255, 256}) {
    Program program = small_program();
    program.instructions.resize(2);
    std::vector<double> weights(257 * 3, 1.0);
    weights[static_cast<std::size_t>(3 * worst)] = -7;
    program.instructions[1].operation = Linear{{{0, matrix_of(3, 257, std::move(weights))}}, {}};
    program.instructions[1].shape = {1, 257};
    EXPECT_DOUBLE_EQ(noise_norms(program)[1].fresh, std::sqrt(49.0 + 1 + 1)) << worst;
  }
}

// Lookups and inputs are independent of each other; sums, rounded or not, may share their parts.
TEST(IntegerNoise, SumsBesideIndependentOperandsAddTheirNorms) {
  Program mixed = small_program();
  Instruction made = mixed.instructions[3];
  made.operation = Linear{{{2, matrix_of(2, 1, {3, 4})}, {3, matrix_of(1, 1, {-2})}}, {}};
  mixed.instructions[4] = made;
  EXPECT_DOUBLE_EQ(noise_norms(mixed)[4].bootstraps, 5 + 2 * std::sqrt(2.0));
  EXPECT_EQ(noise_norms(mixed)[4].fresh, 0);
  Program fresh = small_program();
  made = fresh.instructions[1];
  made.operation = Linear{{{0, matrix_of(3, 1, {3, 4, 0})}, {1, matrix_of(2, 1, {-2, 0})}}, {}};
  made.shape = {1, 1};
  fresh.instructions.resize(2);
  fresh.instructions.push_back(made);
  EXPECT_DOUBLE_EQ(noise_norms(fresh)[2].fresh, 5 + 2 * 3) << "with the norm of the worse sum";
  EXPECT_EQ(noise_norms(fresh)[2].bootstraps, 0);

  Program rounding = rounding_program();
  const double worse = std::hypot(9, 4);
  EXPECT_DOUBLE_EQ(noise_norms(rounding)[2].fresh, worse);
  EXPECT_DOUBLE_EQ(noise_norms(rounding)[2].bootstraps, std::sqrt(2.0));
  made = rounding.instructions[2];
  made.operation = Linear{{{2, matrix_of(2, 1, {3, -4})}}, {}};
  made.shape = {1, 1};
  rounding.instructions[3] = made;
  EXPECT_DOUBLE_EQ(noise_norms(rounding)[3].fresh, 7 * worse);
  EXPECT_DOUBLE_EQ(noise_norms(rounding)[3].bootstraps, 7 * std::sqrt(2.0));
}

TEST(IntegerNoise, DeviationsAreOfArgumentsAndOfResults) {
  const Program program = small_program();
  const params::TfheParameters parameters = named("T4");
  params::LookupShape shape = parameters.shape();
  shape.log_tables = 0;
  const std::vector<double> deviations = noise_deviations(program, parameters);
  ASSERT_EQ(deviations.size(), 5U);
  const auto own = [&](double bootstraps, double fresh) {
    const params::NoiseBudget budget = params::noise_budget(shape, bootstraps, fresh);
    return std::sqrt(budget.bootstraps + budget.fresh);
  };
  EXPECT_DOUBLE_EQ(deviations[0], own(0, 1));
  EXPECT_DOUBLE_EQ(deviations[1], own(0, 3));
  EXPECT_DOUBLE_EQ(deviations[2], std::sqrt(params::noise_budget(shape, 0, 3).total())) << "cut into boxes";
  EXPECT_DOUBLE_EQ(deviations[3], own(std::sqrt(2.0), 0));
  EXPECT_DOUBLE_EQ(deviations[4], own(std::sqrt(2.0), 0));
}

TEST(IntegerNoise, SetsOfMoreBitsHoldWhatLooksNothingUp) {
  Program program = small_program();
  program.instructions.resize(2);
  program.instructions.push_back({Output{1, "y"}, {1, 2}, program.instructions[1].step, 0, 9, true, "y", ""});
  EXPECT_EQ(lookups(program), 0U);
  EXPECT_EQ(noise_refusal(program, named("T6")), base::kNotRefused);
  // Where the set of sums cannot be decrypted it says so, and not that tables are looked up.
  Program heavy = program;
  heavy.instructions[2].step = 0;
  heavy.instructions[1].step = heavy.instructions[0].step = 0;
  EXPECT_THAT(noise_refusal(heavy, params::TfheParameters::check(params::sums_literal(-64))),
              StartsWith("layer 'y': parameter set 'sums' fails with probability 2^"));
}

TEST(IntegerNoise, OneTableAsksForASetOfItsBits) {
  Program program = small_program();
  program.instructions.resize(3);
  program.instructions[1].operation = Linear{{{0, matrix_of(3, 1, {1, 0, 0})}}, {}};
  program.instructions[1].shape = program.instructions[2].shape = {1, 1};
  ASSERT_EQ(lookups(program), 1U);
  EXPECT_EQ(noise_refusal(program, named("T4")), base::kNotRefused);
  EXPECT_THAT(noise_refusal(program, named("T5")),
              StartsWith("tables have 4 bits, and parameter set 'T5' is made for 5"));
}

// The second lookup reads a sum of 2-norm 5 and fails more often than the first and than what the set is made for. A
// millionth of a bit is allowed for the rounding of sums, and no more.
TEST(IntegerNoise, ParametersHoldUpToTheFailureThatTheyState) {
  Program program = small_program();
  program.instructions[2].step = program.instructions[3].step = kMessageBits - 4;
  std::get<Linear>(program.instructions[3].operation).terms[0].op = matrix_of(2, 1, {3, -4});
  program.instructions[4] = program.instructions[2];
  std::get<Lookup>(program.instructions[4].operation).input = 3;
  program.instructions[4].shape = {1, 1};
  program.instructions[4].node = "last";
  const auto asked = requirements(program, -64);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[1].bits, 4);
  EXPECT_DOUBLE_EQ(asked[1].norm2, 5);
  params::TfheLiteral literal = params::named_tfhe_literal("T4");
  literal.norm2 = 1;
  const double failure = params::log2_failure(named("T4").shape(), asked[1]);
  const auto objection_at = [&](double stated) {
    literal.log2_failure = stated;
    return noise_refusal(program, params::TfheParameters::check(literal));
  };
  EXPECT_EQ(objection_at(failure), base::kNotRefused);
  EXPECT_EQ(objection_at(failure - 0.5e-6), base::kNotRefused);
  ASSERT_EQ(failure - 1e-6 + 1e-6, failure);
  EXPECT_EQ(objection_at(failure - 1e-6), base::kNotRefused) << "just what is allowed";
  EXPECT_THAT(objection_at(failure - 2e-6), StartsWith("layer 'last': parameter set 'T4' fails with probability 2^-"));
}

}  // namespace
}  // namespace tacit::integers
