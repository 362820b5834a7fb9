#include "program/integers/sharing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "program/integers/noise.h"
#include "program/integers/small_program_for_test.h"

namespace tacit::integers {
namespace {

TEST(SharedNumbers, AreThoseOfProgramsWithoutANoisyChoice) {
  for (const Program& exact : {small_program(), sharing_program(1), rounding_program()}) {
    EXPECT_TRUE(is_exact(exact));
    EXPECT_FALSE(why_not_shared(exact)) << exact.name;
  }
  Program rounds = small_program();
  rounds.instructions[1].step -= 1;  // two integers in every box
  ASSERT_FALSE(is_exact(rounds));
  EXPECT_EQ(why_not_shared(rounds).value().sentence(),
            "node 'squares': noise decides which of two neighbouring boxes a lookup reads, and the numbers of results "
            "show it: compile with --rounding exact");
  Program drops = small_program();
  drops.instructions[4].step += 3;
  ASSERT_FALSE(is_exact(drops));
  EXPECT_EQ(why_not_shared(drops).value().sentence(),
            "output 'y': the 3 lowest bits of its sums hold noise, and numbers near the middle of two results show it: "
            "compile with --rounding exact, or with fewer bits (--bits)");
}

TEST(SharedNumbers, ChangeAsOftenAsARunFails) {
  const Program program = small_program();
  const params::TfheParameters parameters = params::TfheParameters::check(params::named_tfhe_literal("T4"));
  const double changed = log2_changed_result(program, parameters);
  EXPECT_GE(changed, log2_failure_of_run(program, parameters));
  EXPECT_GE(changed, log2_failure_of_public_run(program, parameters));
  EXPECT_LT(changed, -100);
}

TEST(SharedNumbers, KeepAPromiseOfManyResultsAndBits) {
  EXPECT_EQ(most_log2_changed({.bits = 0, .statistical_bits = 30, .decryptions = 1024}), -40);
  EXPECT_EQ(most_log2_changed({.bits = 9, .statistical_bits = 30, .decryptions = 1}), -30) << "whatever the bits";
  EXPECT_EQ(most_log2_changed({.bits = 0, .statistical_bits = 80, .decryptions = std::ldexp(1.0, 40)}), -120);
}

}  // namespace
}  // namespace tacit::integers
