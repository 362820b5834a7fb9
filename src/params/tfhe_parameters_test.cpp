#include "params/tfhe_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "params/tfhe_security.h"

namespace tacit::params {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(TfheLiteral, RoundTripsThroughJson) {
  for (const std::string& name : named_tfhe_literals())
    EXPECT_EQ(tfhe_literal_from_json(to_json(named_tfhe_literal(name))), named_tfhe_literal(name));
  TfheLiteral odd = named_tfhe_literal("T2");
  odd.insecure = true;
  odd.log_tables = 2;
  odd.norm2 = 1.25;
  odd.log2_failure = -17.5;
  EXPECT_EQ(tfhe_literal_from_json(to_json(odd)), odd);
}

TEST(TfheLiteral, RefusesWhatItDoesNotKnow) {
  const std::string good = to_json(named_tfhe_literal("T4"));
  const auto refuses = [&](const char* from, const char* to, const char* reason) {
    std::string text = good;
    ASSERT_NE(text.find(from), text.npos) << from;
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_THAT([&] { tfhe_literal_from_json(text); }, ThrowsMessage<base::InputError>(HasSubstr(reason))) << text;
  };
  refuses("{", "[", "not JSON");
  refuses("\"tfhe\"", "\"ckks\"", "the scheme is not tfhe");
  refuses("\"bits\":4,", "", "'bits' is missing");
  refuses("\"bits\":4", "\"bits\":4.5", "'bits' must be an integer");
  refuses("\"bits\":4", "\"bits\":5000000000", "'bits' is out of range");
  refuses("\"bits\":4", "\"bits\":4,\"sigma\":3", "unknown field 'sigma'");
  refuses("\"norm2\":5.0", "\"norm2\":\"5\"", "'norm2' must be a number");
  refuses("\"levels\":1", "\"level\":1", "'bootstrap' must be an object of 'base_log' and 'levels'");
  refuses("\"insecure\":false", "\"insecure\":0", "'insecure' must be true or false");
}

TEST(TfheParameters, NamedSetsAreSecureAndFailAsSeldomAsTheySay) {
  ASSERT_EQ(named_tfhe_literals().size(), 24u);
  constexpr double kNorms[] = {1, 3, 4, 5, 7, 9, 12, 17};
  std::set<ParameterHash> hashes;
  for (const std::string& name : named_tfhe_literals()) {
    const TfheParameters set = TfheParameters::check(named_tfhe_literal(name));
    const TfheLiteral& literal = set.literal();
    EXPECT_EQ(set.security_bits(), 128) << name;
    EXPECT_GE(literal.lwe_noise_bits, least_noise_bits(set.lwe().value, 32)) << name;
    EXPECT_GE(literal.glwe_noise_bits, least_noise_bits(set.large_lwe().value, 64)) << name;
    EXPECT_LE(set.log2_failure(), literal.log2_failure) << name;
    EXPECT_EQ(literal.norm2, kNorms[literal.bits - 1]) << name;
    EXPECT_TRUE(hashes.insert(set.hash()).second) << name;
  }
  // The bars for keys in memory: 60 MB, 400 MB and 2.4 GB at 4, 6 and 8 bits.
  EXPECT_LT(TfheParameters::check(named_tfhe_literal("T4")).bootstrap_key_bytes(), 60e6);
  EXPECT_LT(TfheParameters::check(named_tfhe_literal("T6")).bootstrap_key_bytes(), 130e6);
  EXPECT_LT(TfheParameters::check(named_tfhe_literal("T8")).bootstrap_key_bytes(), 145e6);
}

TEST(TfheParameters, SecurityLineIsThatOfPublishedSets) {
  // n and b of tfhe-rs's default family, 64-bit words: the least noise, and the least dimension for it.
  const std::pair<std::size_t, int> published[] = {{799, 48}, {839, 47},  {879, 46},  {918, 45},  {958, 44},
                                                   {998, 43}, {1077, 41}, {1117, 40}, {2048, 17}, {8192, 3}};
  for (const auto& [dimension, bits] : published) {
    EXPECT_EQ(least_noise_bits(dimension, 64), bits) << dimension;
    if (dimension < 1200) {
      EXPECT_EQ(least_dimension(bits, 64), dimension);
    }
  }
  // Its set with 32-bit words between key switch and bootstrap.
  EXPECT_EQ(least_noise_bits(918, 32), 13);
}

TEST(TfheParameters, NamesTheBoundThatIsBroken) {
  const auto refuses = [](void (*change)(TfheLiteral&), const auto&... reasons) {
    TfheLiteral literal = named_tfhe_literal("T4");
    change(literal);
    EXPECT_THAT([&] { TfheParameters::check(literal); },
                ThrowsMessage<base::InputError>(AllOf(HasSubstr("parameter set 'T4'"), HasSubstr(reasons)...)));
  };
  refuses([](TfheLiteral& l) { l.bits = 11; }, "bits is 11, outside 1 to 10");
  refuses([](TfheLiteral& l) { l.norm2 = 0.5; }, "norm2 is 0.5");
  refuses([](TfheLiteral& l) { l.log2_failure = 0; }, "log2_failure is 0");
  refuses([](TfheLiteral& l) { l.lwe_dimension = 400; }, "lwe_dimension is 400, outside 500 to 2048");
  refuses([](TfheLiteral& l) { l.lwe_noise_bits = 13; }, "lwe_noise_bits is 13", "dimension 879 asks for 14",
          "use dimension 918", "MATZOV");
  refuses([](TfheLiteral& l) { l.glwe_noise_bits = 16; }, "glwe_noise_bits is 16", "dimension 2048 asks for 17");
  refuses(
      [](TfheLiteral& l) {
        l.log_polynomial = 8;
        l.bits = 1;
        l.glwe_noise_bits = 62;
      },
      "dimension 256 is below 500");
  refuses([](TfheLiteral& l) { l.norm2 = 400; }, "2-norm 400 fails with probability 2^-", "earlier bootstraps",
          "lower norm2");
  refuses([](TfheLiteral& l) { l.bits = 6; }, "modulus switch makes", "raise log_extension");
  refuses([](TfheLiteral& l) { l.key_switch.levels = 2; }, "key switch makes", "more levels");
  refuses([](TfheLiteral& l) { l.bootstrap = {.base_log = 23, .levels = 3}; }, "bootstrap has 3 levels of 23 bits");
  refuses([](TfheLiteral& l) { l.key_switch = {.base_log = 8, .levels = 4}; }, "key_switch has 4 levels of 8 bits");
  refuses([](TfheLiteral& l) { l.log_tables = 8; }, "does not fit 2^11 coefficients");
  TfheLiteral tiny = named_tfhe_literal("T1");
  tiny.lwe_dimension = 64;
  tiny.insecure = true;
  const TfheParameters test_only = TfheParameters::check(tiny);
  EXPECT_EQ(test_only.security_bits(), 0);
  EXPECT_THAT(test_only.identity().size, HasSubstr("insecure"));
}

TEST(TfheParameters, ASetForSumsHasNoEvaluationKeys) {
  const TfheParameters set = TfheParameters::check(sums_literal(-64));
  EXPECT_FALSE(set.looks_up());
  EXPECT_TRUE(TfheParameters::check(named_tfhe_literal("T4")).looks_up());
  EXPECT_EQ(set.security_bits(), 128);
  EXPECT_EQ(set.bootstrap_key_bytes() + set.key_switch_key_bytes(), 0);
  EXPECT_EQ(set.large_lwe().value, 2048u);
  // Fresh noise of 2^17 of 2^64 is far below half a slot of 4 bits.
  EXPECT_LT(set.log2_failure(), -1000);
  EXPECT_EQ(tfhe_literal_from_json(to_json(set.literal())), set.literal());
  const auto refuses = [](const auto& change, const char* reason) {
    TfheLiteral literal = sums_literal(-128);
    change(literal);
    EXPECT_THAT([&] { TfheParameters::check(literal); }, ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  refuses([](TfheLiteral& l) { l.bootstrap = {.base_log = 23, .levels = 1}; }, "only lookups have");
  refuses([](TfheLiteral& l) { l.log_tables = 1; }, "only lookups have");
  refuses([](TfheLiteral& l) { l.lwe_dimension = 1; }, "outside 500 to 2048");
  refuses([](TfheLiteral& l) { l.glwe_noise_bits = 16; }, "dimension 2048 asks for 17");
  refuses([](TfheLiteral& l) { l.norm2 = 1 << 20, l.glwe_noise_bits = 40; }, "a sum of 4 bits");
}

TEST(TfheParameters, NamesAreForPeople) {
  TfheLiteral literal = named_tfhe_literal("T4");
  const ParameterHash hash = TfheParameters::check(literal).hash();
  literal.name = "another";
  EXPECT_EQ(TfheParameters::check(literal).hash(), hash);
  literal.norm2 = 4;
  EXPECT_NE(TfheParameters::check(literal).hash(), hash);
  EXPECT_THAT([] { named_tfhe_literal("T9"); }, ThrowsMessage<base::InputError>(HasSubstr("T1, T2")));
}

TEST(TfheParameters, EveryFieldIsHeldToItsBounds) {
  const auto refuses = [](const auto& change, const std::string& reason) {
    TfheLiteral literal = named_tfhe_literal("T4");
    literal.insecure = true;
    change(literal);
    EXPECT_THAT([&] { TfheParameters::check(literal); }, ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  const auto field = [&](int TfheLiteral::*value, const std::string& name, int lowest, int highest) {
    for (const int wrong : {lowest - 1, highest + 1})
      refuses([&](TfheLiteral& l) { l.*value = wrong; }, name + " is " + std::to_string(wrong) + ", outside " +
                                                             std::to_string(lowest) + " to " + std::to_string(highest));
  };
  field(&TfheLiteral::bits, "bits", 1, 10);
  field(&TfheLiteral::glwe_dimension, "glwe_dimension", 1, 8);
  field(&TfheLiteral::log_polynomial, "log_polynomial", 8, 16);
  field(&TfheLiteral::glwe_noise_bits, "glwe_noise_bits", 0, 62);
  field(&TfheLiteral::lwe_dimension, "lwe_dimension", 16, 2048);
  field(&TfheLiteral::log_extension, "log_extension", 0, 8);
  field(&TfheLiteral::log_tables, "log_tables", 0, 8);
  field(&TfheLiteral::lwe_noise_bits, "lwe_noise_bits", 0, 30);
  refuses([](TfheLiteral& l) { l.name = std::string(101, 'n'); }, "the name has 101 characters; at most 100");
  for (const double norm2 : {0.99, 1048577.0})
    refuses([&](TfheLiteral& l) { l.norm2 = norm2; }, "outside 1 to 1048576");
  for (const double failure : {-0.99, -1001.0})
    refuses([&](TfheLiteral& l) { l.log2_failure = failure; }, "outside -1000 to -1");
  refuses([](TfheLiteral& l) { l.log_polynomial = 10, l.log_extension = 8; },
          "log_polynomial + log_extension is 18, above 17");
  // 2^11 coefficients hold tables of 2^(bits + log_tables) < 2^11 entries.
  refuses([](TfheLiteral& l) { l.log_tables = 7; }, "a table of 2^4 entries, for 2^7 tables at once");
  for (const Decomposition cut :
       {Decomposition{0, 1}, Decomposition{33, 1}, Decomposition{1, 0}, Decomposition{1, 61}, Decomposition{31, 2}})
    refuses([&](TfheLiteral& l) { l.bootstrap = cut; }, "a level has 1 to 32 bits, and all levels at most 60");
  for (const Decomposition cut :
       {Decomposition{0, 1}, Decomposition{17, 1}, Decomposition{1, 0}, Decomposition{1, 32}, Decomposition{16, 2}})
    refuses([&](TfheLiteral& l) { l.key_switch = cut; }, "a level has 1 to 16 bits, and all levels at most 31");
  refuses([](TfheLiteral& l) { l.bootstrap = {.base_log = 2, .levels = 17}; },
          "(glwe_dimension + 1) * levels of the bootstrap is 34, above 32");
}

TEST(TfheLiteral, IntegersAreThoseOfThirtyTwoBits) {
  const std::string good = to_json(named_tfhe_literal("T4"));
  const auto read = [&](const std::string& bits) {
    std::string text = good;
    text.replace(text.find("\"bits\":4"), 8, "\"bits\":" + bits);
    return tfhe_literal_from_json(text).bits;
  };
  EXPECT_EQ(read("2147483647"), 2147483647);
  EXPECT_EQ(read("-2147483647"), -2147483647);
  for (const char* bits : {"2147483648", "-2147483648", "18446744073709551615", "-9223372036854775808"})
    EXPECT_THAT([&] { read(bits); }, ThrowsMessage<base::InputError>("TFHE parameter literal: 'bits' is out of range"))
        << bits;
}

TEST(TfheLiteral, DecompositionsHaveTheirTwoFieldsAndNoOther) {
  const std::string good = to_json(named_tfhe_literal("T4"));
  const std::string cut = R"("bootstrap":{"base_log":23,"levels":1})";
  ASSERT_NE(good.find(cut), good.npos);
  for (const char* wrong : {R"({"base_log":23,"levels":1,"more":1})", R"({"base_log":23,"more":1})",
                            R"({"more":1,"levels":1})", R"({"base_log":23})", "[23,1]", "23"}) {
    std::string text = good;
    text.replace(text.find(cut), cut.size(), R"("bootstrap":)" + std::string(wrong));
    EXPECT_THAT([&] { tfhe_literal_from_json(text); },
                ThrowsMessage<base::InputError>(
                    "TFHE parameter literal: 'bootstrap' must be an object of 'base_log' and 'levels'"))
        << wrong;
  }
}

// T4 has n = 879, k = 1, N = 2048, one level of the bootstrap and eight of the key switch.
TEST(TfheParameters, CountsTheBytesOfItsKeys) {
  const TfheParameters set = TfheParameters::check(named_tfhe_literal("T4"));
  EXPECT_EQ(set.bootstrap_key_bytes(), 879.0 * 4 * 1 * 2048 * 8);
  // 880 columns fill 14 tiles of 64.
  EXPECT_EQ(set.key_switch_key_bytes(), 2048.0 * 8 * 14 * 64 * 4);
  EXPECT_EQ(set.ciphertext_bytes(), 2049 * 8);
  EXPECT_THAT(set.identity().size, ::testing::StartsWith("n = 879, k N = 1 * 2048, failure 2^-1"));
  EXPECT_EQ(set.identity().security_bits, 128);
  EXPECT_EQ(set.identity().name, "T4");
  // k = 2, so that there are three columns; 760 columns fill twelve tiles.
  const TfheParameters small = TfheParameters::check(named_tfhe_literal("T2"));
  EXPECT_EQ(small.bootstrap_key_bytes(), 759.0 * 9 * 1 * 1024 * 8);
  EXPECT_EQ(small.key_switch_key_bytes(), 2048.0 * 5 * 12 * 64 * 4);
  EXPECT_EQ(TfheParameters::check(named_tfhe_literal("T8")).bootstrap_key_bytes(), 1077.0 * 4 * 2 * 2048 * 8);
  TfheLiteral tile = named_tfhe_literal("T4");
  tile.insecure = true;
  tile.lwe_dimension = 63;
  EXPECT_EQ(TfheParameters::check(tile).key_switch_key_bytes(), 2048.0 * 8 * 64 * 4);
  tile.lwe_dimension = 64;
  EXPECT_EQ(TfheParameters::check(tile).key_switch_key_bytes(), 2048.0 * 8 * 128 * 4);
  EXPECT_THAT(TfheParameters::check(tile).identity().size, ::testing::EndsWith(", insecure"));
  EXPECT_THAT(TfheParameters::check(sums_literal(-128)).identity().size,
              ::testing::StartsWith("n = 0 (sums alone), k N = 1 * 2048, failure 2^-"));
}

TEST(TfheParameters, WhatLookupsAloneHaveIsNoneOfASetForSums) {
  const auto refuses = [](const auto& change) {
    TfheLiteral literal = sums_literal(-128);
    change(literal);
    EXPECT_THAT([&] { TfheParameters::check(literal); },
                ThrowsMessage<base::InputError>(
                    "parameter set 'sums': lwe_dimension is 0, for sums alone, but something is given that only "
                    "lookups have; log_extension, log_tables, lwe_noise_bits and both decompositions have to be 0 "
                    "with it"));
  };
  refuses([](TfheLiteral& l) { l.log_extension = 1; });
  refuses([](TfheLiteral& l) { l.log_tables = 1; });
  refuses([](TfheLiteral& l) { l.lwe_noise_bits = 1; });
  refuses([](TfheLiteral& l) { l.bootstrap.levels = 1; });
  refuses([](TfheLiteral& l) { l.key_switch.levels = 1; });
}

/// Whatever else such a set breaks, it is not the bound of this field.
TEST(TfheParameters, ValuesAtTheBoundsOfAFieldAreNotOutsideThem) {
  const auto accepts = [](const auto& change, const std::string& objection) {
    TfheLiteral literal = named_tfhe_literal("T4");
    literal.insecure = true;
    change(literal);
    EXPECT_THAT(base::refusal([&] { TfheParameters::check(literal); }), ::testing::Not(HasSubstr(objection)));
  };
  const auto field = [&](int TfheLiteral::*value, int lowest, int highest) {
    for (const int bound : {lowest, highest}) accepts([&](TfheLiteral& l) { l.*value = bound; }, "outside");
  };
  field(&TfheLiteral::bits, 1, 10);
  field(&TfheLiteral::glwe_dimension, 1, 8);
  field(&TfheLiteral::log_polynomial, 8, 16);
  field(&TfheLiteral::glwe_noise_bits, 0, 62);
  field(&TfheLiteral::lwe_dimension, 16, 2048);
  field(&TfheLiteral::log_extension, 0, 8);
  field(&TfheLiteral::log_tables, 0, 8);
  field(&TfheLiteral::lwe_noise_bits, 0, 30);
  for (const double norm2 : {1.0, 1048576.0}) accepts([&](TfheLiteral& l) { l.norm2 = norm2; }, "outside");
  for (const double failure : {-1.0, -1000.0}) accepts([&](TfheLiteral& l) { l.log2_failure = failure; }, "outside");
  accepts([](TfheLiteral& l) { l.name = std::string(100, 'n'); }, "the name has");
  accepts([](TfheLiteral& l) { l.log_polynomial = 10, l.log_extension = 7; }, "above 17");
  accepts([](TfheLiteral& l) { l.log_tables = 6; }, "does not fit");
  for (const Decomposition cut :
       {Decomposition{32, 1}, Decomposition{30, 2}, Decomposition{4, 15}, Decomposition{1, 1}})
    accepts([&](TfheLiteral& l) { l.bootstrap = cut; }, "a level has 1 to 32 bits");
  for (const Decomposition cut : {Decomposition{16, 1}, Decomposition{1, 31}, Decomposition{1, 1}})
    accepts([&](TfheLiteral& l) { l.key_switch = cut; }, "a level has 1 to 16 bits");
  accepts([](TfheLiteral& l) { l.bootstrap = {.base_log = 2, .levels = 16}; }, "levels of the bootstrap is");
}

TEST(TfheParameters, SaysHowMuchOfTheNoiseIsWhose) {
  const auto objection = [](const auto& change) {
    TfheLiteral literal = named_tfhe_literal("T4");
    change(literal);
    return base::refusal([&] { TfheParameters::check(literal); });
  };
  EXPECT_EQ(objection([](TfheLiteral& l) { l.norm2 = 400; }),
            "parameter set 'T4': a lookup of 4 bits behind weights of 2-norm 400 fails with probability 2^-1.9, above "
            "the 2^-128 that is asked for; earlier bootstraps make 99 % of the noise: give them more levels, lower "
            "norm2, or raise glwe_dimension or log_polynomial");
  EXPECT_EQ(objection([](TfheLiteral& l) { l.norm2 = 20; }),
            "parameter set 'T4': a lookup of 4 bits behind weights of 2-norm 20 fails with probability 2^-106.0, above "
            "the 2^-128 that is asked for; the modulus switch makes 63 % of the noise: raise log_extension or "
            "log_polynomial");
  EXPECT_EQ(objection([](TfheLiteral& l) { l.key_switch.levels = 6; }),
            "parameter set 'T4': a lookup of 4 bits behind weights of 2-norm 5 fails with probability 2^-31.0, above "
            "the 2^-128 that is asked for; the key switch makes 82 % of the noise: give it more levels, or a larger "
            "lwe_dimension with less noise");
  // The least dimension of the security line, with its noise: ceil(68.100671 - 32 - 500 * 0.025167785) bits.
  const std::string least = objection([](TfheLiteral& l) { l.lwe_dimension = 500, l.lwe_noise_bits = 24; });
  EXPECT_THAT(least, HasSubstr("the key switch makes 100 % of the noise"));
  EXPECT_THAT(objection([](TfheLiteral& l) { l.lwe_dimension = 500, l.lwe_noise_bits = 23; }),
              HasSubstr("lwe_noise_bits is 23, but 128-bit security in dimension 500 asks for 24 at least"));
}

TEST(TfheParameters, ASetMayFailAsOftenAsItSays) {
  TfheLiteral literal = named_tfhe_literal("T4");
  const double modelled = TfheParameters::check(literal).log2_failure();
  literal.log2_failure = modelled;
  EXPECT_EQ(TfheParameters::check(literal).log2_failure(), modelled);
  literal.log2_failure = std::nextafter(modelled, -1000);
  EXPECT_THROW(TfheParameters::check(literal), base::InputError);
}

TEST(TfheParameters, AShapeIsThatOfItsLiteral) {
  TfheLiteral literal = named_tfhe_literal("T6");
  literal.log_tables = 3;
  const LookupShape shape = shape_of(literal);
  EXPECT_EQ(shape.lwe.value, 958u);
  EXPECT_EQ(shape.glwe.value, 1u);
  EXPECT_EQ(shape.polynomial.value, 2048u);
  EXPECT_EQ(shape.extension.value, 4u);
  // (2 B^2 + 1) / 6 of noise up to B = 2^12 of 2^32, and 2^17 of 2^64.
  EXPECT_DOUBLE_EQ(shape.lwe_variance, (0x1p25 + 1) / 6 * 0x1p-64);
  EXPECT_DOUBLE_EQ(shape.glwe_variance, (0x1p35 + 1) / 6 * 0x1p-128);
  EXPECT_EQ(shape.bootstrap, (Decomposition{.base_log = 15, .levels = 2}));
  EXPECT_EQ(shape.key_switch, (Decomposition{.base_log = 2, .levels = 9}));
  EXPECT_EQ(shape.lwe_modulus_bits, 32);
  EXPECT_TRUE(shape.centred);
  EXPECT_EQ(shape.log_tables, 3);
  EXPECT_FALSE(shape.published);
}

TEST(TfheLiteral, IsOfNothingUnlessItSays) {
  const TfheLiteral literal;
  EXPECT_EQ(literal.bits, 0);
  EXPECT_EQ(literal.norm2, 1);
  EXPECT_EQ(literal.lwe_dimension, 0);
  EXPECT_EQ(literal.glwe_dimension, 0);
  EXPECT_EQ(literal.log_polynomial, 0);
  EXPECT_EQ(literal.log_extension, 0);
  EXPECT_EQ(literal.lwe_noise_bits, 0);
  EXPECT_EQ(literal.glwe_noise_bits, 0);
  EXPECT_EQ(literal.log_tables, 0);
  EXPECT_EQ(literal.log2_failure, -128);
  EXPECT_FALSE(literal.insecure);
  const TfheLiteral sums = sums_literal(-40);
  EXPECT_EQ(sums.norm2, 1);
  EXPECT_EQ(sums.bits, 4);
  EXPECT_EQ(sums.log2_failure, -40);
}

}  // namespace
}  // namespace tacit::params
