#include "params/bootstrap_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::params {
namespace {

/// What the chain of a literal is refused with.
std::string chain_refusal(const CkksLiteral& literal) {
  return base::refusal([&] { chain_of(literal); });
}

template <class Change>
CkksLiteral s8_with(const Change& change) {
  CkksLiteral literal = named_literal("S8");
  change(literal);
  return literal;
}

TEST(BootstrapChain, PartsFollowEachOtherFromTheTopDown) {
  const BootstrapChain chain = chain_of(named_literal("S8"));
  EXPECT_EQ(chain.input, 3);
  EXPECT_EQ(chain.output, 11);
  EXPECT_EQ(chain.sine, (std::vector<int>{20, 19, 17, 16, 15, 14, 13, 12, 11}));
  EXPECT_EQ(chain.top, 24);
  EXPECT_EQ(chain.skipped, 0);
}

TEST(BootstrapChain, TransformsHaveOneToSixLevelsAndNoMoreThanStages) {
  for (int BootstrapLiteral::*const transform :
       {&BootstrapLiteral::slots_to_coefficients, &BootstrapLiteral::coefficients_to_slots}) {
    const std::string name =
        transform == &BootstrapLiteral::slots_to_coefficients ? "slots_to_coefficients" : "coefficients_to_slots";
    const auto with = [&](int levels, int log_n) {
      return chain_refusal(s8_with([&](CkksLiteral& l) {
        (*l.bootstrap).*transform = levels;
        l.log_n = log_n;
      }));
    };
    const std::string start = "parameter set 'S8', bootstrapping: " + name;
    EXPECT_EQ(with(1, 16), base::kNotRefused);
    EXPECT_EQ(with(6, 16), base::kNotRefused);
    EXPECT_EQ(with(6, 7), base::kNotRefused);
    EXPECT_EQ(with(0, 16), start + " is 0, outside 1 to 6");
    EXPECT_EQ(with(7, 16), start + " is 7, outside 1 to 6");
    EXPECT_EQ(with(6, 6), start + " is 6, outside 1 to 5");
    EXPECT_EQ(with(5, 6), base::kNotRefused);
  }
}

TEST(BootstrapChain, LevelsOfTheSineHaveOneOrTwoPrimes) {
  const auto with = [](int primes) {
    return chain_refusal(s8_with([&](CkksLiteral& l) { l.bootstrap->sine[4] = primes; }));
  };
  EXPECT_EQ(with(1), base::kNotRefused);
  EXPECT_EQ(with(2), base::kNotRefused);
  EXPECT_EQ(with(0), "parameter set 'S8', bootstrapping: a level of the sine has 0 primes, outside 1 to 2");
  EXPECT_EQ(with(3), "parameter set 'S8', bootstrapping: a level of the sine has 3 primes, outside 1 to 2");
  EXPECT_EQ(chain_refusal(s8_with([](CkksLiteral& l) { l.bootstrap->sine.push_back(1); })),
            "parameter set 'S8', bootstrapping: the sine lists 9 levels; it has 8: 5 of a cosine of degree 30 and 3 "
            "that double its angle");
}

TEST(BootstrapChain, OneLevelForMessagesIsEnough) {
  const auto with = [](std::size_t primes) { return s8_with([&](CkksLiteral& l) { l.q_bits.resize(primes); }); };
  EXPECT_EQ(chain_of(with(18)).output, 4);
  EXPECT_EQ(chain_refusal(with(17)),
            "parameter set 'S8', bootstrapping: 17 ciphertext primes leave no level for messages: q_0, 3 for slots to "
            "coefficients, 9 for the sine and 4 for coefficients to slots; add some");
}

TEST(BootstrapChain, EphemeralSecretsAreNoHeavierThanHalfTheRing) {
  const auto with = [](int weight, int log_n) {
    return chain_refusal(s8_with([&](CkksLiteral& l) {
      l.bootstrap->ephemeral_weight = weight;
      l.log_n = log_n;
    }));
  };
  EXPECT_EQ(with(1, 16), base::kNotRefused);
  EXPECT_EQ(with(33, 16), base::kNotRefused);
  EXPECT_EQ(with(32, 6), base::kNotRefused);
  EXPECT_EQ(with(0, 6), "parameter set 'S8', bootstrapping: ephemeral_weight is 0, outside 1 to N / 2");
  EXPECT_EQ(with(33, 6), "parameter set 'S8', bootstrapping: ephemeral_weight is 33, outside 1 to N / 2");
  EXPECT_EQ(with(34, 16),
            "parameter set 'S8', bootstrapping: an ephemeral secret of weight 34 overflows the sine's 16 periods with "
            "probability 2^-114.8, above 2^-128; lower ephemeral_weight to 32");
}

TEST(BootstrapChain, FreshInputsReachTheLevelsOfOnePrimeBelowTheFirstOfTwo) {
  const CkksLiteral s8 = named_literal("S8"), leveled = named_literal("N14-d7");
  EXPECT_EQ(highest_message_level(s8), 11);
  EXPECT_EQ(highest_fresh_level(s8), 17);
  EXPECT_EQ(highest_message_level(leveled), 7);
  EXPECT_EQ(highest_fresh_level(leveled), 7);
  const auto with = [](std::vector<int> sine) {
    return highest_fresh_level(s8_with([&](CkksLiteral& l) { l.bootstrap->sine = std::move(sine); }));
  };
  EXPECT_EQ(with({1, 1, 1, 1, 1, 1, 1, 2}), 11);
  EXPECT_EQ(with({1, 1, 1, 1, 1, 1, 2, 1}), 12);
  EXPECT_EQ(with({1, 1, 1, 1, 1, 1, 1, 1}), 20);
}

// S15 has digits of eight, nine, seven and eight primes. Twelve message primes above level 6 are left out: one of the
// first digit, all of the second, two of the third.
TEST(BootstrapChain, ALowerEndTakesMessagePrimesOutOfTheirDigits) {
  const CkksLiteral lower = with_output_level(named_literal("S15"), 6);
  EXPECT_EQ(lower.digits, (std::vector<int>{7, 5, 8}));
  EXPECT_EQ(lower.q_bits,
            (std::vector<int>{50, 40, 40, 40, 40, 40, 40, 50, 50, 50, 50, 50, 50, 29, 29, 50, 47, 47, 47, 47}));
}

}  // namespace
}  // namespace tacit::params
