#include "params/tfhe_solver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "params/tfhe_requirement_for_test.h"

namespace tacit::params {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(TfheSolver, FindsTheNamedSets) {
  for (const std::string& name : named_tfhe_literals()) {
    const TfheLiteral named = named_tfhe_literal(name);
    TfheLiteral found = solve(requirement(named.bits, named.norm2, named.log2_failure));
    found.name = named.name;
    EXPECT_EQ(found, named) << name << ": " << to_json(found);
  }
}

TEST(TfheSolver, BeatsThePublishedSetsByItsOwnCost) {
  // 2_2, 3_3 and 4_4 of tfhe-rs at 2^-128, with the key switch of 32-bit words.
  const auto published = [](int n, int log_n, int noise, int glwe_noise, Decomposition bootstrap,
                            Decomposition key_switch) {
    return lookup_cost({.name = "",
                        .bits = 1,
                        .norm2 = 1,
                        .lwe_dimension = n,
                        .glwe_dimension = 1,
                        .log_polynomial = log_n,
                        .log_extension = 0,
                        .lwe_noise_bits = noise,
                        .glwe_noise_bits = glwe_noise,
                        .bootstrap = bootstrap,
                        .key_switch = key_switch})
        .total();
  };
  EXPECT_LT(lookup_cost(named_tfhe_literal("T4")).total(), published(918, 11, 13, 17, {23, 1}, {4, 4}));
  EXPECT_LT(lookup_cost(named_tfhe_literal("T6")).total(), published(1077, 13, 9, 3, {15, 2}, {4, 5}) * 0.9);
  EXPECT_LT(lookup_cost(named_tfhe_literal("T8")).total(), published(1117, 16, 8, 3, {11, 3}, {3, 7}) * 0.35);
}

TEST(TfheSolver, CostsMoreForMoreBitsNormsAndCertainty) {
  double last = 0;
  for (int bits = 1; bits <= 8; ++bits) {
    const double cost = lookup_cost(solve(requirement(bits, 4))).total();
    EXPECT_GT(cost, last) << bits;
    last = cost;
  }
  const double few = lookup_cost(solve(requirement(4, 5, -40))).total();
  const double some = lookup_cost(solve(requirement(4, 5, -64))).total();
  const double all = lookup_cost(solve(requirement(4, 5, -128))).total();
  EXPECT_LT(few, some);
  EXPECT_LT(some, all);
  EXPECT_LE(all, lookup_cost(solve(requirement(4, 50))).total());
}

TEST(TfheSolver, KeepsBounds) {
  LookupRequirement bounded = requirement(4, 5);
  bounded.most_key_bytes = 56e6;
  const TfheParameters set = TfheParameters::check(solve(bounded));
  EXPECT_LE(set.bootstrap_key_bytes(), 56e6);
  LookupRequirement many = requirement(3, 4);
  many.log_tables = 2;
  const TfheLiteral found = solve(many);
  EXPECT_EQ(found.log_tables, 2);
  EXPECT_LE(TfheParameters::check(found).log2_failure(), -128);
}

TEST(TfheSolver, ExplainsWhatCannotBeSatisfied) {
  EXPECT_THAT([] { solve(requirement(9, 30000)); },
              ThrowsMessage<base::InputError>(
                  AllOf(HasSubstr("layer 'conv2': no secure parameter set looks up 9 bits"), HasSubstr("2-norm 3e+04"),
                        HasSubstr("what can be satisfied: 7 bits"), HasSubstr("or a 2-norm of"))));
  LookupRequirement small = requirement(6, 9);
  small.most_key_bytes = 50e6;
  EXPECT_THAT([&] { solve(small); }, ThrowsMessage<base::InputError>(AllOf(HasSubstr("bootstrapping key of 50 MB"),
                                                                           HasSubstr("a larger bootstrapping key"))));
  EXPECT_THAT([] { solve(requirement(11, 1)); }, ThrowsMessage<base::InputError>(HasSubstr("1 to 10 bits")));
  EXPECT_THAT([] { solve(requirement(4, 0.5)); }, ThrowsMessage<base::InputError>(HasSubstr("a 2-norm of 1 to 2^20")));
}

/// Each is satisfied by itself, and not beside the other.
TEST(TfheSolver, ExplainsWhatCannotBeSatisfiedTogether) {
  LookupRequirement result = requirement(13, 3000);
  result.layer = "layer 'y'";
  result.decrypted = true;
  const std::vector<LookupRequirement> exact{requirement(6, 9), result};
  const std::string why = base::refusal([&] { solve(exact); });
  EXPECT_THAT(why, AllOf(HasSubstr("layer 'y': no secure parameter set decrypts 13 bits behind weights of 2-norm 3000"),
                         HasSubstr("beside what the other layers ask for"), HasSubstr("fewer --bits")));
  // What it says can be satisfied is.
  const auto said = why.find("what can be satisfied: ");
  ASSERT_NE(said, why.npos) << why;
  result.bits = std::stoi(why.substr(said + std::string("what can be satisfied: ").size()));
  EXPECT_LT(result.bits, 13);
  const std::vector<LookupRequirement> fewer{requirement(6, 9), result};
  EXPECT_NO_THROW(solve(fewer));
}

TEST(TfheSolver, WhatItFindsIsAlwaysAccepted) {
  std::size_t found = 0;
  for (const int bits : {1, 4, 8, 9, 10})
    for (const double norm2 : {1.0, 30.0})
      for (const int log_tables : {0, 3, 7, 8})
        for (const double failure : {-128.0, -10.0}) {
          LookupRequirement wanted = requirement(bits, norm2, failure);
          wanted.log_tables = log_tables;
          TfheLiteral literal;
          try {
            literal = solve(wanted);
          } catch (const base::InputError&) {
            continue;  // nothing satisfies it
          }
          ++found;
          EXPECT_NO_THROW(TfheParameters::check(literal)) << to_json(literal);
        }
  EXPECT_GT(found, 40u);
}

/// A sign has four times the room of a table of two bits, and asks for nothing where it has more.
TEST(TfheSolver, SignsHaveNoBits) {
  LookupRequirement sign = requirement(0, 80);
  sign.sign = true;
  LookupRequirement table = requirement(2, 80), small = requirement(2, 2);
  for (const double norm2 : {1.0, 7.0, 300.0}) {
    sign.norm2 = 4 * norm2;
    table.norm2 = norm2;
    const LookupShape shape = shape_of(named_tfhe_literal("T2"));
    const double bootstraps = bootstrap_variance(shape),
                 rest = key_switch_variance(shape) + modulus_switch_variance(shape);
    EXPECT_DOUBLE_EQ(log2_failure(shape, sign), log2_failure(0, sign.norm2 * sign.norm2 * bootstraps + rest));
    EXPECT_LE(log2_failure(shape, sign), log2_failure(shape, table));
    const std::vector<LookupRequirement> both{small, sign}, harder{small, table};
    EXPECT_LE(lookup_cost(solve(both)).total(), lookup_cost(solve(harder)).total());
  }
  sign.norm2 = 0x1p60;
  sign.sign_of = 58;
  const std::vector<LookupRequirement> both{small, sign};
  EXPECT_THAT(
      [&] { solve(both); },
      ThrowsMessage<base::InputError>(AllOf(
          HasSubstr("layer 'conv2': no secure parameter set rounds off exactly the lowest of 58 bits "
                    "behind weights of 2-norm 4 with"),
          HasSubstr("what can be satisfied: 20 bits"), HasSubstr("fewer --bits"), Not(HasSubstr("fewer terms")))));
  sign.bits = 1;
  EXPECT_THROW(solve(sign), base::InputError);
}

TEST(TfheSolver, RefusesWhatNoSetIsMadeFor) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto refuses = [](const LookupRequirement& wanted, const char* reason) {
    EXPECT_THAT([&] { solve(wanted); },
                ThrowsMessage<base::InputError>(AllOf(HasSubstr("layer 'conv2'"), HasSubstr(reason))));
  };
  for (const double norm2 : {0.5, 2e6, kInfinity, std::nan("")})
    refuses(requirement(4, norm2), "a 2-norm of 1 to 2^20");
  for (const double failure : {0.0, -1001.0, -kInfinity, std::nan("")})
    refuses(requirement(4, 1, failure), "a failure probability of 2^-1000 to 1/2");
  for (const int bits : {-1, 0, 11}) refuses(requirement(bits, 1), "1 to 10 bits");
  LookupRequirement many = requirement(1, 1);
  for (const int log_tables : {-1, 9, std::numeric_limits<int>::max()}) {
    many.log_tables = log_tables;
    refuses(many, "1 to 2^8 tables");
  }
}

// By the account of transforms, products and multiply-accumulates, at the rates that were measured.
TEST(TfheSolver, CostsAreTransformsProductsAndKeySwitches) {
  TfheLiteral literal = named_tfhe_literal("T4");
  literal.lwe_dimension = 600;
  literal.glwe_dimension = 2;
  literal.log_polynomial = 9;
  literal.log_extension = 2;
  literal.bootstrap = {.base_log = 10, .levels = 3};
  literal.key_switch = {.base_log = 2, .levels = 5};
  // Nine rows in, three out: twelve transforms of 512 points; 3 * 3 * 3 products of 256 complex numbers.
  const double step = 12 * 0.0272e-9 * 512 * 9 + 27 * 0.21e-9 * 256;
  EXPECT_NEAR(lookup_cost(literal).bootstrap / (600 * 4 * step), 1, 1e-12);
  EXPECT_NEAR(lookup_cost(literal).key_switch / (2 * 512 * 5 * 601 * 0.0112e-9), 1, 1e-12);
  EXPECT_DOUBLE_EQ(lookup_cost(literal).total(), lookup_cost(literal).bootstrap + lookup_cost(literal).key_switch);
}

// The key of T4 has 879 * 4 * 2048 numbers of eight bytes.
TEST(TfheSolver, AKeyOfTheBytesThatAreAllowedIsNotTooLarge) {
  constexpr double kBytes = 879.0 * 4 * 2048 * 8;
  const auto bytes = [](std::initializer_list<double> bounds) {
    std::vector<LookupRequirement> all;
    for (const double bound : bounds) {
      all.push_back(requirement(4, 5));
      all.back().most_key_bytes = bound;
    }
    return TfheParameters::check(solve(all)).bootstrap_key_bytes();
  };
  EXPECT_EQ(bytes({kBytes}), kBytes);
  EXPECT_LT(bytes({kBytes - 1}), kBytes);
  // Of several bounds the least counts; 0 is none.
  EXPECT_EQ(bytes({0, kBytes}), kBytes);
  EXPECT_LT(bytes({kBytes - 1, 2 * kBytes}), kBytes);
  EXPECT_LT(bytes({2 * kBytes, kBytes - 1}), kBytes);
  EXPECT_LT(bytes({kBytes - 1, 0}), kBytes);
}

TEST(TfheSolver, ASetForSeveralLookupsIsThatOfTheStrictest) {
  const auto solved = [](const LookupRequirement& a, const LookupRequirement& b) {
    return solve(std::vector<LookupRequirement>{a, b});
  };
  const LookupRequirement wide = requirement(3, 9), fine = requirement(4, 3), heavier = requirement(4, 5);
  EXPECT_EQ(solved(wide, fine).name, "4 bits, 2-norm 3, failure 2^-128");
  EXPECT_EQ(solved(fine, wide).name, "4 bits, 2-norm 3, failure 2^-128");
  EXPECT_EQ(solved(fine, heavier), solve(heavier));
  EXPECT_EQ(solved(heavier, fine), solve(heavier));
  LookupRequirement shared = fine;
  shared.log_tables = 2;
  EXPECT_EQ(solved(shared, fine).log_tables, 2);
  EXPECT_EQ(solved(fine, shared).log_tables, 2);
  // Of lookups of the same load the one that may fail less often.
  LookupRequirement lax = fine;
  lax.log2_failure = -40;
  EXPECT_EQ(solved(lax, fine), solve(fine));
  EXPECT_EQ(solved(fine, lax), solve(fine));
}

TEST(TfheSolver, LoadsOfSignsAreThoseBeforeTheyAreMovedUp) {
  LookupRequirement lookup = requirement(6, 9);
  EXPECT_EQ(load_of(lookup), "6 bits behind weights of 2-norm 9");
  lookup.sign = true;
  lookup.bits = 0;
  lookup.sign_of = 4;
  lookup.norm2 = 3 * 16;
  lookup.fresh_norm2 = 4 * 16;
  EXPECT_EQ(load_of(lookup), "the lowest of 4 bits behind weights of 2-norm 5");
}

TEST(TfheSolver, RefusalsSayWhatSetsAreMadeFor) {
  const auto objection = [](const LookupRequirement& wanted) -> std::string {
    return base::refusal([&] { solve(wanted); });
  };
  LookupRequirement wanted = requirement(11, 1.5, -40);
  wanted.log_tables = 1;
  EXPECT_THAT(objection(wanted),
              AllOf(HasSubstr("layer 'conv2': 2^1 tables of 11 bits behind weights of 2-norm 1.5 at failure 2^-40"),
                    HasSubstr("1 to 2^8 tables, 1 to 10 bits, a 2-norm of 1 to 2^20, a failure probability of 2^-1000 "
                              "to 1/2"),
                    HasSubstr("--scheme ckks")));
  wanted.layer = "";
  EXPECT_THAT(objection(wanted), ::testing::StartsWith("lookup: 2^1 tables"));
  const auto is_outside = [&](const LookupRequirement& asked) {
    return objection(asked).find("are outside what") != std::string::npos;
  };
  EXPECT_FALSE(is_outside(requirement(1, 1, -1)));
  EXPECT_FALSE(is_outside(requirement(1, 1, -1000)));
  EXPECT_TRUE(is_outside(requirement(1, 1, -0.5)));
  EXPECT_TRUE(is_outside(requirement(1, 1, -1000.5)));
  EXPECT_FALSE(is_outside(requirement(1, 1048576)));
  EXPECT_TRUE(is_outside(requirement(1, 1048576.5)));
  for (const double fresh : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    LookupRequirement other = requirement(1, 1);
    other.fresh_norm2 = fresh;
    EXPECT_TRUE(is_outside(other)) << fresh;
  }
  // What is decrypted has up to 40 bits, and no weights behind lookups at the least.
  LookupRequirement result = requirement(41, 0);
  result.decrypted = true;
  EXPECT_THAT(objection(result), HasSubstr("1 to 40 bits"));
  const auto beside_a_lookup = [&](int bits) {
    result.bits = bits;
    return base::refusal([&] { solve(std::vector<LookupRequirement>{requirement(1, 1), result}); });
  };
  EXPECT_EQ(beside_a_lookup(40), base::kNotRefused);
  EXPECT_THAT(beside_a_lookup(0), HasSubstr("are outside what"));
  // Without a lookup there is nothing to find.
  result.bits = 4;
  EXPECT_THROW(solve(result), base::InternalError);
}

}  // namespace
}  // namespace tacit::params
