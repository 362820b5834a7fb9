#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "params/ckks_parameters.h"
#include "params/small_ring_for_test.h"

/// What parameter sets are refused with, to the letter, and what their literals hold.
namespace tacit::params {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

template <class Change>
std::string literal_refusal(CkksLiteral literal, const Change& change) {
  change(literal);
  return base::refusal([&] { CkksParameters::check(literal); });
}

TEST(CkksRefusals, TheScaleLeavesTheFirstPrimeABit) {
  EXPECT_EQ(literal_refusal(small_literal(), [](CkksLiteral& l) { l.log_scale = 40; }),
            "parameter set 'test': log_scale is 40 but q_0 has 40 bits: at level 0 a value needs a scale from 1 to 39 "
            "bits; lower log_scale or raise q_bits[0]");
}

TEST(CkksRefusals, ADigitIsNamedByItsFirstAndItsLastPrime) {
  EXPECT_EQ(literal_refusal(small_literal(), [](CkksLiteral& l) { l.p_bits = {38}; }),
            "parameter set 'test': the special primes have 38.0 bits together, less than the 40.0 bits of the digit "
            "q_0 to q_0; raise p_bits by 2 bits in all");
  EXPECT_EQ(literal_refusal(small_literal(),
                            [](CkksLiteral& l) {
                              l.p_bits = {45, 45};
                              l.digits = {3};
                            }),
            "parameter set 'test': the special primes have 90.0 bits together, less than the 100.0 bits of the digit "
            "q_0 to q_2; raise p_bits by 10 bits in all");
  EXPECT_EQ(literal_refusal(small_literal(),
                            [](CkksLiteral& l) {
                              l.q_bits = {30, 40, 40};
                              l.log_scale = 20;
                              l.digits = {1, 2};
                            }),
            "parameter set 'test': the special primes have 45.0 bits together, less than the 80.0 bits of the digit "
            "q_1 to q_2; raise p_bits by 35 bits in all");
}

// One number of 20 bits is 1 modulo 2^19: 3 times 174763.
TEST(CkksRefusals, PrimesOfRealSlotsAreOneModuloFourTimesTheDegree) {
  EXPECT_EQ(literal_refusal(small_literal(),
                            [](CkksLiteral& l) {
                              l.log_n = 17;
                              l.q_bits = {30, 20, 20, 20, 20};
                              l.log_scale = 20;
                              l.real_slots = true;
                            }),
            "parameter set 'test': it needs 4 primes of 20 bits that are 1 modulo 4N = 524288, but there are only 0; "
            "use larger primes");
}

// The bounds of N = 2^14 to 2^17 are 430, 868, 1747 and 3523 bits.
TEST(CkksRefusals, TheWayOutIsTheSmallestDegreeThatIsLargeEnough) {
  const auto way_out = [](int log_n, std::size_t primes) {
    return literal_refusal(small_literal(), [&](CkksLiteral& l) {
      l.insecure = false;
      l.log_n = log_n;
      l.q_bits.assign(primes, 40);
      l.p_bits = {47, 47};
    });
  };
  EXPECT_THAT(way_out(14, 25), EndsWith("; take 664 bits out of q_bits or p_bits, or use log_n = 16 (bound 1747)"));
  EXPECT_THAT(way_out(16, 45), EndsWith("; take 147 bits out of q_bits or p_bits, or use log_n = 17 (bound 3523)"));
  EXPECT_THAT(way_out(17, 90), EndsWith("; take 171 bits out of q_bits or p_bits"));
}

// q_0 lies below 2^52 / 5, which is 2^49.68; p_0 has other bits than the primes that follow it.
TEST(CkksRefusals, TheEphemeralKeyIsModuloTheFirstPrimesOfBothKinds) {
  EXPECT_EQ(literal_refusal(named_literal("S8"),
                            [](CkksLiteral& l) {
                              l.p_bits[0] = 46;
                              l.bootstrap->ephemeral_weight = 16;
                            }),
            "parameter set 'S8': the key under the ephemeral secret of weight 16 has a modulus q_0 p_0 of 95.7 bits, "
            "above the bound 0 for N = 2^16; use weight 32, N = 2^15 or 2^16, and a smaller q_bits[0] or p_bits[0]");
}

TEST(CkksRefusals, ThereAreTwelveSpecialPrimesAtMost) {
  EXPECT_EQ(literal_refusal(small_literal(), [](CkksLiteral& l) { l.p_bits.assign(12, 45); }), base::kNotRefused);
  EXPECT_EQ(literal_refusal(small_literal(), [](CkksLiteral& l) { l.p_bits.assign(13, 45); }),
            "parameter set 'test': p_bits lists 13 special primes; 1 to 12 are allowed");
}

TEST(CkksLiteral, SaysWhetherItsSlotsAreReal) {
  CkksLiteral literal = small_literal();
  EXPECT_THAT(to_json(literal), ::testing::Not(HasSubstr("real_slots")));
  literal.real_slots = true;
  EXPECT_THAT(to_json(literal), HasSubstr("\"real_slots\":true"));
  EXPECT_EQ(literal_from_json(to_json(literal)), literal);
}

// As the named sets have it at N = 2^16.
TEST(CkksLiteral, ABootstrapHasSevenLevelsOfTransformsAndAWeightOf32ByDefault) {
  const BootstrapLiteral plain;
  EXPECT_EQ(plain.slots_to_coefficients, 3);
  EXPECT_EQ(plain.coefficients_to_slots, 4);
  EXPECT_EQ(plain.ephemeral_weight, 32);
}

}  // namespace
}  // namespace tacit::params
