#include "params/requirement.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "params/rotation_primes.h"

namespace tacit::params {
namespace {

TEST(Requirement, ParsesAndPrints) {
  const char* text = "slots 16384, depth 8, fraction 40 bits, integer 20 bits, security 128";
  EXPECT_EQ(Requirement::parse(text).to_string(), text);
  EXPECT_EQ(Requirement::parse("depth 3 slots 4096").to_string(),
            "slots 4096, depth 3, fraction 40 bits, integer 20 bits, security 128");
  EXPECT_EQ(Requirement::parse(" depth 3,, slots 4096, ").to_string(),
            Requirement::parse("depth 3 slots 4096").to_string());
  for (const char* wrong : {"depth", "depth x", "depth 3x", "speed 3", "slots 1000", "slots 16384, security 100",
                            "fraction 60", "depth -1", "integer 99", "slots 256", "depth 99999999999"})
    EXPECT_THROW(Requirement::parse(wrong), base::InputError) << wrong;
}

TEST(Requirement, GivesCheckedParameters) {
  for (const int slots : {4096, 8192, 16384, 32768})
    for (const int depth : {0, 1, 3, 8})
      for (const int integer : {5, 20}) {
        const Requirement requirement{slots, depth, 40, integer, 128};
        const bool fits = slots > 8192 || depth <= 3 - (slots == 4096 ? 2 : 0);
        if (!fits) continue;
        const RequiredParameters found = parameters_for(requirement);
        const CkksParameters parameters = CkksParameters::check(found.literal);
        EXPECT_EQ(parameters.slots(), static_cast<std::size_t>(slots));
        EXPECT_GE(parameters.security_bits(), 128);
        EXPECT_EQ(parameters.max_level() - found.base_level, depth);
        const auto& bits = found.literal.q_bits;
        const int base_bits = std::accumulate(bits.begin(), bits.begin() + found.base_level + 1, 0);
        EXPECT_GE(base_bits, 40 + integer + 1) << requirement.to_string();
      }
}

TEST(Requirement, TakesRealSlotsWhereTheyHalveTheRing) {
  const auto found = [](const char* text) { return parameters_for(Requirement::parse(text)).literal; };
  EXPECT_TRUE(found("slots 16384, depth 8").real_slots);
  EXPECT_EQ(found("slots 16384, depth 8").log_n, 14);
  EXPECT_LE(CkksParameters::check(found("slots 16384, depth 8")).log_qp(), max_log_qp(14, 128));
  EXPECT_FALSE(found("slots 16384, depth 9").real_slots);  // 430 bits are not enough
  EXPECT_EQ(found("slots 16384, depth 9").log_n, 15);
  EXPECT_FALSE(found("slots 16384, depth 8, security 192").real_slots);
  // The smallest ring.
  EXPECT_EQ(CkksParameters::check(found("slots 8, depth 1, security 0")).slots(), 8U);
  EXPECT_EQ(CkksParameters::check(found("slots 16, depth 1, security 0")).slots(), 16U);
}

TEST(Requirement, BoundsAreWhereTheySay) {
  for (const char* right : {"integer 0", "integer 50", "depth 0", "depth 100", "fraction 20", "fraction 49",
                            "slots 512", "slots 65536", "security 192", "security 256", "slots 8, security 0"})
    EXPECT_NO_THROW(Requirement::parse(right)) << right;
  for (const char* wrong : {"integer -1", "integer 51", "depth 101", "fraction 19", "fraction 50", "slots 131072",
                            "slots 4, security 0", "slots 0, security 0", "security 1"})
    EXPECT_THROW(Requirement::parse(wrong), base::InputError) << wrong;
}

TEST(Requirement, SaysWhatWasAskedAndWhatThereIs) {
  const std::string said = base::refusal([] { parameters_for(Requirement::parse("slots 4096, depth 8")); });
  // 41 and 25 bits for values of 20 bits at a scale of 40, and 8 products of 40.
  EXPECT_EQ(said,
            "requirement 'slots 4096, depth 8, fraction 40 bits, integer 20 bits, security 128': its primes have 386 "
            "bits before any for key switching, and 128-bit security allows 214 in all at N = 2^13; ask for more "
            "slots, less depth or fewer bits");
}

TEST(Requirement, TheLowestPrimesHoldTheScaleTheIntegerPartAndASign) {
  const auto found = [](int fraction, int integer) {
    return parameters_for(
        {.slots = 8, .depth = 0, .fraction_bits = fraction, .integer_bits = integer, .security_bits = 0});
  };
  using Bits = std::vector<int>;
  EXPECT_EQ(found(20, 0).literal.q_bits, Bits{25}) << "no prime has fewer bits";
  EXPECT_EQ(found(20, 4).literal.q_bits, Bits{26});
  EXPECT_EQ(found(48, 0).literal.q_bits, Bits{50});
  EXPECT_EQ(found(48, 0).base_level, 0);
  // More than one prime has: two of them, the first above the scale.
  EXPECT_EQ(found(48, 1).literal.q_bits, (Bits{49, 25}));
  EXPECT_EQ(found(48, 1).base_level, 1);
  EXPECT_EQ(found(20, 50).literal.q_bits, (Bits{36, 36}));
  EXPECT_EQ(found(20, 49).literal.q_bits, (Bits{36, 35}));
  // A special prime exceeds its digit by four bits where a prime can.
  EXPECT_EQ(found(20, 0).literal.p_bits, Bits{29});
  EXPECT_EQ(found(48, 0).literal.p_bits, Bits{50});
}

// More special primes make fewer digits, of more rows each.
TEST(Requirement, TakesAsManySpecialPrimesAsMakeRotationsCheapest) {
  const auto special = [](const char* text) {
    const RequiredParameters found = parameters_for(Requirement::parse(text));
    const auto price = [&](std::size_t count) {
      CkksLiteral literal = found.literal;
      literal.p_bits.assign(count, found.literal.p_bits[0]);
      double sum = 0;
      for (int level = found.base_level; level < static_cast<int>(literal.q_bits.size()); ++level)
        sum += key_switch_price(Account(literal).rotate(level));
      return sum;
    };
    const std::size_t chosen = found.literal.p_bits.size();
    for (std::size_t other = 1; other <= 10; ++other) EXPECT_LE(price(chosen), price(other)) << text << ": " << other;
    return chosen;
  };
  EXPECT_EQ(special("slots 32768, depth 8"), 5U);
  EXPECT_EQ(special("slots 65536, depth 20"), 7U);
  EXPECT_EQ(special("slots 65536, depth 30"), 8U);
}

TEST(Requirement, RefusalsSayTheBounds) {
  const auto objection = [](const std::string& text) {
    const std::string said = base::refusal([&] { Requirement::parse(text); });
    const auto colon = said.find("': ");
    return colon == said.npos ? said : said.substr(colon + 3);
  };
  EXPECT_EQ(objection("slots 256"), "slots must be a power of two from 512 to 65536");
  EXPECT_EQ(objection("slots 4 security 0"), "slots must be a power of two from 8 to 65536");
  EXPECT_EQ(objection("depth 101"), "depth must lie between 0 and 100");
  EXPECT_EQ(objection("fraction 50"), "fraction must lie between 20 and 49 bits");
  EXPECT_EQ(objection("integer 51"), "integer must lie between 0 and 50 bits");
  EXPECT_EQ(objection("security 127"), "security must be 128, 192 or 256 (0 marks a set for tests)");
  EXPECT_EQ(objection("depth 3 bits, integer 4 bits"), base::kNotRefused);
  EXPECT_EQ(objection("depth 3 bits bits"),
            "requirement: unknown word 'bits'; expected slots, depth, fraction, integer or security, each with a "
            "number");
  EXPECT_EQ(objection("depth"), "requirement: depth needs a number, not ''");
  const std::string fifty = "a" + std::string(49, 'b');
  EXPECT_EQ(objection("depth " + fifty + "cd"), "requirement: depth needs a number, not '" + fifty + "'");
  EXPECT_EQ(objection(fifty + "cd"), "requirement: unknown word '" + fifty +
                                         "'; expected slots, depth, fraction, integer or security, each with a number");
}

TEST(Requirement, HasTheDefaultsThatItPrints) {
  EXPECT_EQ(Requirement::parse(""), Requirement{});
  EXPECT_EQ(Requirement{}.to_string(), "slots 16384, depth 8, fraction 40 bits, integer 20 bits, security 128");
  EXPECT_EQ(parameters_for(Requirement{}).literal.name, "tiles-16384-d8");
  EXPECT_FALSE(parameters_for(Requirement{}).literal.insecure);
  EXPECT_TRUE(parameters_for(Requirement::parse("slots 8, depth 1, security 0")).literal.insecure);
}

// A hundred levels would take more than ten special primes if they could.
TEST(Requirement, TakesTenSpecialPrimesAtMost) {
  const CkksLiteral found = parameters_for(Requirement::parse("slots 65536, depth 100, security 0")).literal;
  EXPECT_EQ(found.p_bits, std::vector<int>(10, 41));
  EXPECT_TRUE(found.real_slots);
}

}  // namespace
}  // namespace tacit::params
