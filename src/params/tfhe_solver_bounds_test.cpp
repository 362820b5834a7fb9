#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "params/tfhe_requirement_for_test.h"
#include "params/tfhe_solver.h"

/// Where the search for a set ends, and what a refusal calls the nearest that a set satisfies.
namespace tacit::params {
namespace {

using ::testing::HasSubstr;

template <class... Requirements>
std::string solver_refusal(const Requirements&... wanted) {
  return base::refusal([&] { solve(std::vector<LookupRequirement>{wanted...}); });
}

// By a search over the same noise and costs that was written apart from this one.
TEST(TfheSolverBounds, SetsLieUpToTheEndsOfTheSearch) {
  const std::vector<TfheLiteral> sets = {
      // Fourteen digits of one bit.
      {"", 3, 320, 799, 2, 10, 0, 16, 17, {15, 2}, {1, 14}, 0, -128},
      // Fifteen would be cheaper.
      {"", 4, 1, 879, 1, 11, 0, 14, 17, {23, 1}, {2, 8}, 0, -128},
      // The smallest dimension.
      {"", 1, 1, 561, 4, 8, 0, 22, 43, {10, 1}, {3, 2}, 0, -1},
      // The most polynomials of a table.
      {"", 9, 1, 998, 1, 11, 6, 11, 17, {15, 2}, {2, 10}, 3, -10},
      // Seven small polynomials would be cheaper.
      {"", 4, 17, 640, 4, 9, 0, 20, 17, {23, 1}, {2, 5}, 0, -1},
      // The most tables.
      {"", 1, 1, 640, 1, 11, 3, 20, 17, {23, 1}, {2, 5}, 8, -10},
  };
  for (const TfheLiteral& set : sets) {
    LookupRequirement wanted = requirement(set.bits, set.norm2, set.log2_failure);
    wanted.log_tables = set.log_tables;
    TfheLiteral found = solve(wanted);
    found.name = "";
    EXPECT_EQ(found, set) << to_json(found);
  }
}

TEST(TfheSolverBounds, ATableHasSixtyFourPolynomialsAtTheMost) {
  LookupRequirement wanted = requirement(5, 129000);
  wanted.log_tables = 3;
  EXPECT_NE(solver_refusal(wanted), base::kNotRefused);
}

/// The noise of a fresh ciphertext of k N = 2048 is 2^17 of 2^64, that of one of 4096 is 2^3.
TEST(TfheSolverBounds, HeavyWeightsOfFreshCiphertextsAskForALargeRing) {
  LookupRequirement wanted = requirement(2, 1);
  wanted.fresh_norm2 = 0x1p54;
  TfheLiteral found = solve(wanted);
  EXPECT_EQ(found.name, "2 bits, 2-norm 1, failure 2^-128");
  found.name = "";
  EXPECT_EQ(found, (TfheLiteral{"", 2, 1, 839, 2, 11, 0, 15, 3, {23, 1}, {2, 8}, 0, -128})) << to_json(found);
  wanted.fresh_norm2 = 0x1p60;
  EXPECT_NE(solver_refusal(wanted), base::kNotRefused);
}

TEST(TfheSolverBounds, OfEqualLookupsTheFirstNamesTheSet) {
  const std::vector<LookupRequirement> wanted{requirement(4, 5, -128), requirement(4, 5, -40)};
  EXPECT_EQ(solve(wanted), solve(requirement(4, 5, -128)));
}

// 2^54.3 errors of 2^-123.6 are between what half a slot of one bit and half a slot of two allow.
TEST(TfheSolverBounds, ASingleBitMayBeTheNearest) {
  LookupRequirement wanted = requirement(2, 1);
  wanted.fresh_norm2 = 0x1.4p54;
  EXPECT_EQ(solver_refusal(wanted),
            "layer 'conv2': no secure parameter set looks up 2 bits behind weights of 2-norm 1 with failure "
            "probability 2^-128; what can be satisfied: 1 bits (round the argument to them), or a failure probability "
            "of 2^-64");
}

// Of sums of 3, 2 and 1 bits the weights are halved each time; those of 1 alone are light enough.
TEST(TfheSolverBounds, TheLowestOfASingleBitMayBeTheNearest) {
  LookupRequirement sign = requirement(0, 0);
  sign.sign = true;
  sign.sign_of = 3;
  sign.fresh_norm2 = 0x1.8p57;
  EXPECT_EQ(solver_refusal(requirement(2, 1), sign),
            "layer 'conv2': no secure parameter set rounds off exactly the lowest of 3 bits behind weights of 2-norm "
            "2.702e+16 with failure probability 2^-128; what can be satisfied: 1 bits (sums have fewer where tables "
            "and weights have: fewer --bits)");
}

TEST(TfheSolverBounds, A2NormOfOneMayBeTheNearest) {
  LookupRequirement wanted = requirement(6, 2, -83);
  wanted.most_key_bytes = 60e6;
  EXPECT_EQ(solver_refusal(wanted),
            "layer 'conv2': no secure parameter set looks up 6 bits behind weights of 2-norm 2 with failure "
            "probability 2^-83 and a bootstrapping key of 60 MB; what can be satisfied: 5 bits (round the argument to "
            "them), or a 2-norm of 1 (fewer terms or smaller weights), or a failure probability of 2^-64, or a larger "
            "bootstrapping key");
}

/// 2^18 coefficients would hold the tables, which a set does not have; 2^-64 is no failure to allow where it is asked.
TEST(TfheSolverBounds, OneTableMayBeTheNearest) {
  LookupRequirement wanted = requirement(10, 1, -64);
  wanted.log_tables = 1;
  EXPECT_EQ(solver_refusal(wanted),
            "layer 'conv2': no secure parameter set looks up 10 bits behind weights of 2-norm 1 with failure "
            "probability 2^-64; what can be satisfied: 9 bits (round the argument to them), or a failure probability "
            "of 2^-20, or one table a bootstrap");
}

TEST(TfheSolverBounds, ASingleByteIsABound) {
  LookupRequirement wanted = requirement(1, 1, -20);
  wanted.most_key_bytes = 1;
  const std::string why =
      "layer 'conv2': no secure parameter set looks up 1 bits behind weights of 2-norm 1 with failure probability "
      "2^-20 and a bootstrapping key of 0 MB; what can be satisfied: a larger bootstrapping key";
  EXPECT_EQ(solver_refusal(wanted), why);
  LookupRequirement other = requirement(1, 1, -20);
  other.most_key_bytes = 1e9;
  EXPECT_EQ(solver_refusal(wanted, other), why);
}

/// Each holds by itself: the lookup with a small key, the others in a ring whose key is larger.
TEST(TfheSolverBounds, LookupsAreBlamedBeforeSignsAndSignsBeforeResults) {
  LookupRequirement lookup = requirement(4, 5), sign = requirement(0, 0), result = requirement(4, 0);
  lookup.most_key_bytes = 56e6;
  sign.layer = "layer 'sign'";
  sign.sign = true;
  sign.sign_of = 4;
  sign.fresh_norm2 = 0x1p50;
  result.decrypted = true;
  result.fresh_norm2 = 0x1p50;
  EXPECT_EQ(solver_refusal(result, sign, lookup),
            "layer 'sign': no secure parameter set rounds off exactly the lowest of 4 bits behind weights of 2-norm "
            "7.037e+13 with failure probability 2^-128, beside what the other layers ask for; nothing near it can be "
            "satisfied");
}

/// By itself a sign needs a set with a table of one bit; two bits would not fit beside 2^8 tables.
TEST(TfheSolverBounds, ASignIsTriedWithTheSmallestTable) {
  LookupRequirement lookup = requirement(1, 1, -10), sign = requirement(0, 0, -300);
  lookup.most_key_bytes = 56e6;
  sign.sign = true;
  sign.sign_of = 1;
  sign.fresh_norm2 = 0x1p50;
  sign.log_tables = 8;
  EXPECT_THAT(solver_refusal(lookup, sign), HasSubstr(", beside what the other layers ask for; "));
}

// Without a small key nothing is looked up and nothing is multiplied after a lookup.
TEST(TfheSolverBounds, ASetForSumsFailsAtWhateverNeedsALookup) {
  const LookupShape sums = shape_of(sums_literal(-64));
  EXPECT_EQ(log2_failure(sums, requirement(4, 1)), 0);
  LookupRequirement result = requirement(4, 0);
  EXPECT_EQ(log2_failure(sums, result), 0);
  result.decrypted = true;
  for (const double norm2 : {0.5, 1.0, 3.0}) {
    result.norm2 = norm2;
    EXPECT_EQ(log2_failure(sums, result), 0) << norm2;
  }
  result.norm2 = 0;
  result.fresh_norm2 = 0x1p40;
  EXPECT_LT(log2_failure(sums, result), 0);
  EXPECT_DOUBLE_EQ(log2_failure(sums, result), log2_failure(4, 0x1p80 * sums.glwe_variance));
}

TEST(TfheSolverBounds, ResultsFailByBootstrapsAndFreshCiphertextsAlone) {
  const LookupShape shape = shape_of(named_tfhe_literal("T4"));
  LookupRequirement result = requirement(4, 3);
  result.decrypted = true;
  result.fresh_norm2 = 0x1p34;  // about as much noise
  EXPECT_DOUBLE_EQ(log2_failure(shape, result),
                   log2_failure(4, 9 * bootstrap_variance(shape) + 0x1p68 * shape.glwe_variance));
}

TEST(TfheSolverBounds, ARequirementIsOneTableBehindNothingUnlessItSays) {
  const LookupRequirement wanted;
  EXPECT_EQ(wanted.bits, 0);
  EXPECT_EQ(wanted.norm2, 1);
  EXPECT_EQ(wanted.fresh_norm2, 0);
  EXPECT_FALSE(wanted.decrypted);
  EXPECT_FALSE(wanted.sign);
  EXPECT_EQ(wanted.sign_of, 0);
  EXPECT_EQ(wanted.log2_failure, -128);
  EXPECT_EQ(wanted.log_tables, 0);
  EXPECT_EQ(wanted.most_key_bytes, 0);
  EXPECT_EQ(LookupCost{}.key_switch, 0);
  EXPECT_EQ(LookupCost{}.bootstrap, 0);
}

}  // namespace
}  // namespace tacit::params
