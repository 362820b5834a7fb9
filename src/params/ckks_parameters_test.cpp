#include "params/ckks_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "params/bootstrap_chain.h"
#include "params/key_switch_primes.h"
#include "params/ntt_primes.h"
#include "params/small_ring_for_test.h"

namespace tacit::params {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(CkksLiteral, RoundTripsThroughJson) {
  for (const std::string& name : named_literals()) {
    const CkksLiteral literal = named_literal(name);
    EXPECT_EQ(literal_from_json(to_json(literal)), literal);
  }
  EXPECT_EQ(literal_from_json(to_json(small_literal())), small_literal());
  for (const std::string& name : bootstrapping_literals()) {
    const CkksLiteral literal = named_literal(name);
    ASSERT_TRUE(literal.bootstrap);
    EXPECT_EQ(literal_from_json(to_json(literal)), literal);
  }
}

TEST(CkksLiteral, RefusesWhatItDoesNotKnow) {
  const auto refuses = [](const char* text, const char* reason) {
    EXPECT_THAT([&] { literal_from_json(text); }, ThrowsMessage<base::InputError>(HasSubstr(reason))) << text;
  };
  refuses("{", "not JSON");
  refuses("[]", "expected an object");
  refuses(R"({"name":"a","log_n":13,"q_bits":[30],"p_bits":[40],"log_scale":20,"sigma":3.2})", "unknown field 'sigma'");
  refuses(R"({"name":"a","log_n":13,"q_bits":[30],"p_bits":[40]})", "'log_scale' is missing");
  refuses(R"({"name":"a","log_n":13.5,"q_bits":[30],"p_bits":[40],"log_scale":20})", "'log_n' must be an integer");
  refuses(R"({"name":"a","log_n":5000000000,"q_bits":[30],"p_bits":[40],"log_scale":20})", "'log_n' is out of range");
  refuses(R"({"name":"a","log_n":13,"q_bits":30,"p_bits":[40],"log_scale":20})", "'q_bits' must be a list");
  refuses(R"({"name":1,"log_n":13,"q_bits":[30],"p_bits":[40],"log_scale":20})", "'name' must be text");
  refuses(R"({"name":"a","log_n":13,"q_bits":[30],"p_bits":[40],"log_scale":20,"insecure":1})", "true or false");
  const std::string start = R"({"name":"a","log_n":13,"q_bits":[30],"p_bits":[40],"log_scale":20,)";
  refuses((start + R"("digits":2})").c_str(), "'digits' must be a list");
  refuses((start + R"("bootstrap":[]})").c_str(), "'bootstrap' must be an object");
  refuses((start + R"("bootstrap":{"sine":[1],"levels":2}})").c_str(), "unknown field 'levels'");
  refuses((start + R"("bootstrap":{"sine":[1]}})").c_str(), "'slots_to_coefficients' is missing");
}

TEST(CkksParameters, NamedSetsAreSecureAndTheirPrimesFit) {
  const std::map<std::string, int> depth = {{"N13-d4", 4},   {"N13-d5", 5},   {"N14-d7", 7},  {"N14-d9", 9},
                                            {"N15-d14", 14}, {"N15-d15", 15}, {"N16-d32", 32}};
  ASSERT_EQ(named_literals().size(), depth.size());
  for (const auto& [name, levels] : depth) {
    const CkksParameters set = CkksParameters::check(named_literal(name));
    EXPECT_EQ(set.max_level(), levels);
    EXPECT_EQ(set.security_bits(), 128) << name;
    EXPECT_LE(set.log_qp(), max_log_qp(set.log_n(), 128)) << name;
    std::set<std::uint64_t> distinct;
    for (const auto* primes : {&set.q(), &set.p()}) {
      for (std::size_t i = 0; i < primes->size(); ++i) {
        const std::uint64_t prime = (*primes)[i];
        EXPECT_TRUE(is_prime(prime));
        EXPECT_EQ(prime % (2 * set.n()), 1u);
        EXPECT_LT(prime, std::uint64_t{1} << (primes == &set.q() ? set.literal().q_bits : set.literal().p_bits)[i]);
        EXPECT_TRUE(distinct.insert(prime).second);
      }
    }
    // The primes that a rescale divides by are close to the scale; the fewer bits, the sparser the primes.
    const double allowed = set.literal().log_scale >= 40 ? 1e-3 : 2e-2;
    for (int level = 1; level <= set.max_level(); ++level)
      EXPECT_NEAR(static_cast<double>(set.q()[static_cast<std::size_t>(level)]) / set.scale(), 1, allowed) << name;
  }
}

TEST(CkksParameters, BootstrappingSetsAreSecureAndKeepTheirBits) {
  struct Expected {
    int level, output;
    double log_qp;
    std::size_t digits;
  };
  const std::map<std::string, Expected> sets = {{"N15-S5", {19, 7, 866, 10}}, {"S8", {24, 11, 1647.4, 2}},
                                                {"S11", {27, 14, 1626.4, 3}}, {"S14", {30, 17, 1699.4, 4}},
                                                {"S15", {31, 18, 1731.4, 4}}, {"P30", {29, 10, 1708.5, 3}}};
  ASSERT_EQ(bootstrapping_literals().size(), sets.size());
  for (const auto& [name, expected] : sets) {
    const CkksParameters set = CkksParameters::check(named_literal(name));
    EXPECT_EQ(set.max_level(), expected.level) << name;
    EXPECT_NEAR(set.log_qp(), expected.log_qp, 0.5) << name;
    EXPECT_EQ(set.security_bits(), 128) << name;
    EXPECT_EQ(set.gadget().digits.size(), expected.digits) << name;
    EXPECT_EQ(chain_of(set.literal()).output, expected.output) << name;
    for (const std::uint64_t prime : set.q()) EXPECT_LE(prime, kFastPrimeOf50Bits) << name;
  }
}

TEST(CkksParameters, LowLevelsTakeAsFewSpecialPrimesAsTheirDigitsNeed) {
  // 12 of 47 bits; q_0 has 50 bits, the next eleven 40, and the first digit 13 primes.
  const CkksParameters s8 = CkksParameters::check(named_literal("S8"));
  const std::vector<std::size_t> expected = {2, 3, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12};
  for (std::size_t level = 0; level < s8.q().size(); ++level)
    EXPECT_EQ(s8.gadget().special_primes[level], expected[std::min(level, expected.size() - 1)]) << level;
  // Without message primes the digits are smaller, and never need more.
  const CkksParameters part = s8.without(5, 7);
  for (std::size_t level = 0; level < part.q().size(); ++level)
    EXPECT_LE(part.gadget().special_primes[level], s8.gadget().special_primes[level < 5 ? level : level + 7]) << level;
  // Special primes that do not exceed the digits are all taken.
  CkksLiteral literal = small_literal();
  literal.q_bits = {36, 30, 30};
  literal.p_bits = {36};
  EXPECT_EQ(special_primes(literal, {1, 1, 1}), (std::vector<std::size_t>{1, 1, 1}));
  literal.q_bits = {30, 30, 30, 30};
  literal.p_bits = {40, 40, 40};
  EXPECT_EQ(special_primes(literal, {1, 3}), (std::vector<std::size_t>{1, 1, 2, 3}));
}

TEST(CkksParameters, DigitsFollowTheLiteral) {
  CkksLiteral literal = small_literal();
  literal.p_bits = {45, 45};
  EXPECT_EQ(CkksParameters::check(literal).gadget().digits, (std::vector<std::size_t>{2, 1}));
  const ParameterHash before = CkksParameters::check(literal).hash();
  literal.digits = {1, 2};
  EXPECT_EQ(CkksParameters::check(literal).gadget().digits, (std::vector<std::size_t>{1, 2}));
  EXPECT_NE(CkksParameters::check(literal).hash(), before);
  const auto refuses = [&](std::vector<int> digits, const char* reason) {
    literal.digits = std::move(digits);
    EXPECT_THAT([&] { CkksParameters::check(literal); }, ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  refuses({1, 1}, "the digits list 2 primes in all, but q_bits has 3");
  refuses({3}, "raise p_bits by 10 bits");
  refuses({0, 3}, "a digit of 0 primes is outside 1 to 16");
}

TEST(BootstrapChain, RefusesWhatCannotBootstrap) {
  const auto refuses = [](const char* reason, const auto& change) {
    CkksLiteral literal = named_literal("S8");
    change(literal);
    EXPECT_THAT([&] { CkksParameters::check(literal); }, ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  EXPECT_THAT([] { chain_of(named_literal("N14-d7")); },
              ThrowsMessage<base::InputError>(HasSubstr("the set is leveled; use one of S8")));
  refuses("slots_to_coefficients is 0", [](CkksLiteral& l) { l.bootstrap->slots_to_coefficients = 0; });
  refuses("the sine lists 7 levels; it has 8", [](CkksLiteral& l) { l.bootstrap->sine.pop_back(); });
  refuses("leave no level for messages", [](CkksLiteral& l) {
    l.bootstrap->sine = {2, 2, 2, 2, 2, 2, 2, 2};
    l.q_bits.resize(21);
  });
  refuses("overflows the sine's 16 periods with probability",
          [](CkksLiteral& l) { l.bootstrap->ephemeral_weight = 64; });
  refuses("weight 34 overflows the sine's 16 periods with probability 2^-114.8, above 2^-128; lower ephemeral_weight",
          [](CkksLiteral& l) { l.bootstrap->ephemeral_weight = 34; });
  refuses("weight 16 has a modulus q_0 p_0 of 96.7 bits", [](CkksLiteral& l) { l.bootstrap->ephemeral_weight = 16; });
  refuses("exceeds the 128-bit security bound 1747", [](CkksLiteral& l) {
    l.p_bits.assign(12, 50);
    std::fill_n(l.q_bits.begin() + 1, 8, 50);
    l.q_bits.insert(l.q_bits.begin() + 1, 50);
    l.digits = {11, 11, 4};
  });
}

// Literals come from files: of a name that is too long the beginning is told.
TEST(BootstrapChain, RefusalsNameTheSet) {
  CkksLiteral literal = named_literal("N14-d7");
  EXPECT_THAT(
      [&] { chain_of(literal); },
      ThrowsMessage<base::InputError>(testing::StartsWith("parameter set 'N14-d7', bootstrapping: the set is")));
  literal.name = "a" + std::string(98, 'b') + "cdef";
  const std::string shown = "parameter set 'a" + std::string(98, 'b') + "c'";
  EXPECT_THAT([&] { chain_of(literal); },
              ThrowsMessage<base::InputError>(testing::StartsWith(shown + ", bootstrapping: the set is leveled")));
  EXPECT_THAT([&] { CkksParameters::check(literal); },
              ThrowsMessage<base::InputError>(
                  testing::StartsWith(shown + ": the name has 103 characters; at most 100 are allowed")));
  literal = named_literal("S8");
  const int output = chain_of(literal).output, input = chain_of(literal).input;
  for (const int level : {input, output + 1})
    EXPECT_THAT(
        [&] { with_output_level(literal, level); },
        ThrowsMessage<base::InputError>("parameter set 'S8', bootstrapping: the output level " + std::to_string(level) +
                                        " is outside " + std::to_string(input + 1) + " to " + std::to_string(output)));
  EXPECT_EQ(chain_of(with_output_level(literal, input + 1)).output, input + 1);
  EXPECT_EQ(with_output_level(literal, input + 1).name, "S8 to level " + std::to_string(input + 1));
  EXPECT_EQ(with_output_level(literal, output).name, "S8");
}

TEST(BootstrapChain, OverflowFollowsTheIrwinHallTail) {
  // Figures of the closed form in exact fractions. The message takes 2^0.5 / 64 of q_0.
  EXPECT_NEAR(log2_overflow_probability(65536, 32, 16), -287.208, 1e-3);
  EXPECT_NEAR(log2_overflow_probability(65536, 33, 16), -142.674, 1e-3);
  EXPECT_NEAR(log2_overflow_probability(65536, 34, 16), -114.821, 1e-3);
  EXPECT_NEAR(log2_overflow_probability(1, 32, 15), -120.667, 1e-3);
  EXPECT_NEAR(log2_overflow_probability(1, 32, 13), -69.055, 1e-3);
  EXPECT_NEAR(log2_overflow_probability(1, 32, 8), -23.238, 1e-3);
  // Weight 1 has two terms, whose sum is a triangle. They reach no more than 1, which cannot round to 2.
  EXPECT_NEAR(log2_overflow_probability(1, 1, 0), std::log2(std::pow(0.5 + std::numbers::sqrt2 / 64, 2)), 1e-9);
  EXPECT_EQ(log2_overflow_probability(1, 1, 1), -std::numeric_limits<double>::infinity());
}

TEST(CkksParameters, HashSeparatesSetsAndIgnoresTheName) {
  std::set<ParameterHash> hashes;
  for (const std::string& name : named_literals()) hashes.insert(CkksParameters::check(named_literal(name)).hash());
  EXPECT_EQ(hashes.size(), named_literals().size());
  CkksLiteral renamed = named_literal("N14-d7");
  renamed.name = "mine";
  EXPECT_EQ(CkksParameters::check(renamed).hash(), CkksParameters::check(named_literal("N14-d7")).hash());
  CkksLiteral insecure = renamed;
  insecure.insecure = true;
  EXPECT_NE(CkksParameters::check(insecure).hash(), CkksParameters::check(renamed).hash());
}

TEST(CkksParameters, RefusalsNameTheBoundAndTheWayOut) {
  const auto refuses = [](const CkksLiteral& literal, const char* reason) {
    EXPECT_THAT([&] { CkksParameters::check(literal); }, ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  CkksLiteral literal = named_literal("N14-d7");
  literal.q_bits.push_back(40);
  refuses(literal, "exceeds the 128-bit security bound 430 for N = 2^14 by 34.00 bits");
  refuses(literal, "take 34 bits out of q_bits or p_bits, or use log_n = 15 (bound 868)");
  literal.insecure = true;
  EXPECT_EQ(CkksParameters::check(literal).security_bits(), 0);

  literal = small_literal();
  literal.log_scale = 40;
  refuses(literal, "log_scale is 40 but q_0 has 40 bits");
  literal = small_literal();
  literal.p_bits = {38};
  refuses(literal, "raise p_bits by 2 bits");
  literal = small_literal();
  literal.q_bits[1] = 51;
  refuses(literal, "a prime of 51 bits is outside 20 to 50 bits");
  literal = small_literal();
  literal.log_n = 17;
  literal.q_bits = {30, 20, 20, 20, 20};
  literal.log_scale = 20;
  refuses(literal, "it needs 4 primes of 20 bits that are 1 modulo 2N = 262144");
  literal = small_literal();
  literal.insecure = false;
  literal.log_n = 9;
  refuses(literal, "log_n is 9, outside 10 to 17");
  literal = small_literal();
  literal.p_bits.clear();
  refuses(literal, "p_bits lists 0 special primes");
  literal = small_literal();
  literal.q_bits.assign(1000, 40);
  refuses(literal, "q_bits lists 1000 ciphertext primes");
  EXPECT_THAT([] { named_literal("N12"); }, ThrowsMessage<base::InputError>(HasSubstr("the sets are N13-d4, N13-d5")));
}

TEST(CkksParameters, SecurityLevelFollowsTheTable) {
  CkksLiteral literal{.name = "", .log_n = 13, .q_bits = {35, 20}, .p_bits = {50}, .log_scale = 20};
  EXPECT_EQ(CkksParameters::check(literal).security_bits(), 256);
  literal.q_bits = {48, 40};
  EXPECT_EQ(CkksParameters::check(literal).security_bits(), 192);
  literal.q_bits = {50, 40, 30};
  EXPECT_EQ(CkksParameters::check(literal).security_bits(), 128);
}

TEST(SecurityTable, EqualsTheGuideline) {
  const char* data = std::getenv("TACIT_DATA");
  if (data == nullptr) GTEST_SKIP() << "TACIT_DATA is not set: 1 comparison with security/max_logq.json was skipped";
  std::ifstream file(std::string(data) + "/security/max_logq.json");
  ASSERT_TRUE(file) << data;
  const auto rows = nlohmann::json::parse(file).at("guidelines_2024_463").at("ternary_classic");
  int compared = 0;
  for (const int bits : {128, 192, 256}) {
    const auto& row = rows.at(std::to_string(bits));
    for (int log_n = 10; log_n <= 17; ++log_n) {
      const std::string n = std::to_string(1 << log_n);
      EXPECT_EQ(max_log_qp(log_n, bits), row.value(n, 0)) << bits << " bits, N = " << n;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 24);
}

TEST(SecurityTable, HasNoEntryOutsideItsRange) {
  EXPECT_EQ(max_log_qp(9, 128), 0);
  EXPECT_EQ(max_log_qp(18, 128), 0);
  EXPECT_EQ(max_log_qp(14, 100), 0);
}

TEST(NttPrimes, AreTheLargestAndSkipThoseTaken) {
  EXPECT_EQ(largest_ntt_primes(8, 16, 10, {}), (std::vector<std::uint64_t>{241, 193}));
  const std::uint64_t taken[] = {241};
  EXPECT_EQ(largest_ntt_primes(8, 16, 10, taken), (std::vector<std::uint64_t>{193}));
  EXPECT_EQ(largest_ntt_primes(8, 16, 10, {}, 240), (std::vector<std::uint64_t>{193}));
  EXPECT_EQ(largest_ntt_primes(8, 16, 10, {}, 193), (std::vector<std::uint64_t>{193}));
  EXPECT_TRUE(largest_ntt_primes(8, 16, 10, {}, 192).empty());
  EXPECT_TRUE(is_prime(1000003));
  EXPECT_FALSE(is_prime(3215031751ULL));  // a strong pseudoprime to the bases 2, 3, 5 and 7
}

// Whoever judges security asks the derived set, not the one that it was derived from.
TEST(CkksParameters, DerivedSetsSayTheModulusOfTheirOwnPrimes) {
  const auto sum_of_logs = [](const CkksParameters& set) {
    double sum = 0;
    for (const auto* primes : {&set.q(), &set.p()})
      for (const std::uint64_t prime : *primes) sum += std::log2(static_cast<double>(prime));
    return sum;
  };
  const CkksParameters set = CkksParameters::check(named_literal("N14-d7"));
  EXPECT_NEAR(set.log_qp(), sum_of_logs(set), 1e-9);
  for (int top = 1; top < set.max_level(); ++top) {
    const CkksParameters rotating = set.for_rotations(top);
    EXPECT_NEAR(rotating.log_qp(), sum_of_logs(rotating), 1e-9) << top;
  }
  const CkksParameters deep = CkksParameters::check(named_literal("S8"));
  const CkksParameters part = deep.without(deep.max_level() - 6, 2);
  EXPECT_NEAR(part.log_qp(), sum_of_logs(part), 1e-9);
  EXPECT_LT(part.log_qp(), deep.log_qp());
}

TEST(SecurityTable, EphemeralSecretsHaveTheBoundsOfPublishedSets) {
  EXPECT_EQ(max_log_qp_ephemeral(15, 32), 96);
  EXPECT_EQ(max_log_qp_ephemeral(16, 32), 126);
  EXPECT_EQ(max_log_qp_ephemeral(17, 32), 126);
  EXPECT_EQ(max_log_qp_ephemeral(16, 33), 126);
  EXPECT_EQ(max_log_qp_ephemeral(16, 31), 0);
  EXPECT_EQ(max_log_qp_ephemeral(14, 32), 0);
  EXPECT_EQ(max_log_qp_ephemeral(18, 32), 0);
}

TEST(CkksParameters, DerivedSetsNameThePrimesThatTheyLack) {
  const CkksParameters s8 = CkksParameters::check(named_literal("S8"));
  const CkksParameters part = s8.without(5, 7);
  EXPECT_EQ(part.literal().name, "S8 without q_5 to q_11");
  EXPECT_FALSE(part.literal().bootstrap);
  EXPECT_EQ(part.max_level(), s8.max_level() - 7);
  for (std::size_t i = 0; i < part.q().size(); ++i) EXPECT_EQ(part.q()[i], s8.q()[i < 5 ? i : i + 7]) << i;
  EXPECT_EQ(part.p(), s8.p());
  EXPECT_NE(part.hash(), s8.hash());
  double log_q = 0;
  for (int level = 0; level <= 3; ++level) {
    log_q += std::log2(s8.prime(level));
    EXPECT_NEAR(s8.log2_q(level), log_q, 1e-9);
  }
  EXPECT_EQ(s8.identity().name, "S8");
  EXPECT_THAT(s8.identity().size, ::testing::StartsWith("N = 2^16, log QP 164"));
}

TEST(CkksParameters, BoundsAreWhereTheySay) {
  const auto accepts = [](const auto& change) {
    CkksLiteral literal = small_literal();
    change(literal);
    try {
      CkksParameters::check(literal);
    } catch (const base::InputError&) {
      return false;
    }
    return true;
  };
  EXPECT_TRUE(accepts([](CkksLiteral& l) { l.name = std::string(100, 'n'); }));
  EXPECT_FALSE(accepts([](CkksLiteral& l) { l.name = std::string(101, 'n'); }));
  const auto of_degree = [](int log_n) { return [log_n](CkksLiteral& l) { l.log_n = log_n; }; };
  EXPECT_TRUE(accepts(of_degree(4)));
  EXPECT_FALSE(accepts(of_degree(3)));
  EXPECT_TRUE(accepts(of_degree(17)));
  EXPECT_FALSE(accepts(of_degree(18)));
  // Special primes are no smaller than a digit, and the scale leaves q_0 a bit.
  EXPECT_TRUE(accepts([](CkksLiteral& l) { l.log_scale = 39; }));
  EXPECT_FALSE(accepts([](CkksLiteral& l) { l.log_scale = 40; }));
  EXPECT_TRUE(accepts([](CkksLiteral& l) { l.log_scale = 1; }));
  EXPECT_FALSE(accepts([](CkksLiteral& l) { l.log_scale = 0; }));
  EXPECT_TRUE(accepts([](CkksLiteral& l) { l.q_bits = {40, 20}; }));
  EXPECT_FALSE(accepts([](CkksLiteral& l) { l.q_bits = {40, 19}; }));
  EXPECT_TRUE(accepts([](CkksLiteral& l) { l.p_bits = {50}; }));
  EXPECT_FALSE(accepts([](CkksLiteral& l) { l.p_bits = {51}; }));
  const auto special = [](std::size_t count) { return [count](CkksLiteral& l) { l.p_bits.assign(count, 45); }; };
  EXPECT_TRUE(accepts(special(kMaxSpecialPrimes)));
  EXPECT_FALSE(accepts(special(kMaxSpecialPrimes + 1)));
  const auto primes = [](std::size_t count) { return [count](CkksLiteral& l) { l.q_bits.assign(count, 40); }; };
  EXPECT_TRUE(accepts(primes(128)));
  EXPECT_FALSE(accepts(primes(129)));
  EXPECT_FALSE(accepts([](CkksLiteral& l) { l.q_bits.clear(); }));
}

TEST(CkksParameters, RefusalsNameTheSet) {
  CkksLiteral literal = small_literal();
  literal.log_scale = 40;
  EXPECT_THAT([&] { CkksParameters::check(literal); },
              ThrowsMessage<base::InputError>(::testing::StartsWith("parameter set 'test': log_scale is 40 but")));
  const std::string hundred = "a" + std::string(99, 'n');
  literal.name = hundred + "z";
  EXPECT_THAT([&] { CkksParameters::check(literal); },
              ThrowsMessage<base::InputError>("parameter set '" + hundred +
                                              "': the name has 101 characters; at most 100 are allowed"));
}

// Searches ask for sets that may not exist. The problem is the sentence of the refusal.
TEST(CkksParameters, AnImpossibleSetIsAProblemInTheWordsOfItsRefusal) {
  const CkksLiteral possible = named_literal("N14-d7");
  ASSERT_TRUE(CkksParameters::possible(possible));
  EXPECT_EQ(CkksParameters::possible(possible)->hash(), CkksParameters::check(possible).hash());
  std::vector<CkksLiteral> impossible(6, possible);
  impossible[0].q_bits.clear();
  impossible[1].q_bits.assign(20, 40);                                // above the security bound
  impossible[2].p_bits = {30};                                        // below a digit
  impossible[3].digits = {17};                                        // no such digit
  impossible[4].q_bits.assign(60, 20), impossible[4].log_scale = 10;  // too few primes
  impossible[5].bootstrap = BootstrapLiteral{};                       // no sine
  for (const CkksLiteral& literal : impossible) {
    const base::Feasible<CkksParameters> found = CkksParameters::possible(literal);
    ASSERT_FALSE(found);
    EXPECT_EQ(base::refusal([&] { CkksParameters::check(literal); }), found.problem().sentence());
    EXPECT_EQ(found.problem().sentence().rfind("parameter set 'N14-d7'", 0), 0U) << found.problem().sentence();
  }
}

}  // namespace
}  // namespace tacit::params
