#include "params/ckks_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "params/ntt_primes.h"

namespace tacit::params {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

CkksLiteral small() {
  return {.name = "test", .log_n = 10, .q_bits = {40, 30, 30}, .p_bits = {45}, .log_scale = 30, .insecure = true};
}

TEST(CkksLiteral, RoundTripsThroughJson) {
  for (const std::string& name : named_literals()) {
    const CkksLiteral literal = named_literal(name);
    EXPECT_EQ(literal_from_json(to_json(literal)), literal);
  }
  EXPECT_EQ(literal_from_json(to_json(small())), small());
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
  refuses(literal, "exceeds the 128-bit security bound 430 for N = 2^14 by 40.00 bits");
  refuses(literal, "take 40 bits out of q_bits or p_bits, or use log_n = 15 (bound 868)");
  literal.insecure = true;
  EXPECT_EQ(CkksParameters::check(literal).security_bits(), 0);

  literal = small();
  literal.log_scale = 40;
  refuses(literal, "log_scale is 40 but q_0 has 40 bits");
  literal = small();
  literal.p_bits = {38};
  refuses(literal, "raise p_bits by 2 bits");
  literal = small();
  literal.q_bits[1] = 51;
  refuses(literal, "a prime of 51 bits is outside 20 to 50 bits");
  literal = small();
  literal.log_n = 17;
  literal.q_bits = {30, 20, 20, 20, 20};
  literal.log_scale = 20;
  refuses(literal, "it needs 4 primes of 20 bits that are 1 modulo 2N = 262144");
  literal = small();
  literal.insecure = false;
  literal.log_n = 9;
  refuses(literal, "log_n is 9, outside 10 to 17");
  literal = small();
  literal.p_bits.clear();
  refuses(literal, "p_bits lists 0 special primes");
  literal = small();
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
  EXPECT_TRUE(is_prime(1000003));
  EXPECT_FALSE(is_prime(3215031751ULL));  // a strong pseudoprime to the bases 2, 3, 5 and 7
}

}  // namespace
}  // namespace tacit::params
