#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "params/ckks_parameters.h"

namespace tacit::params {
namespace {

using ::testing::IsEmpty;

std::vector<int> joined(std::initializer_list<std::vector<int>> parts) {
  std::vector<int> all;
  for (const std::vector<int>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<int> times(std::size_t count, int bits) { return std::vector<int>(count, bits); }

// Keys and files say the name of their set: another prime behind the same name would make them useless.
TEST(NamedSets, LeveledOnesHaveThesePrimes) {
  struct {
    const char* name;
    int log_n, first;
    std::size_t depth;
    int scale;
    std::vector<int> special;
  } const sets[] = {
      {"N13-d4", 13, 36, 4, 30, {47}},           {"N13-d5", 13, 28, 5, 26, {28, 28}},
      {"N14-d7", 14, 50, 7, 40, {47, 47}},       {"N14-d9", 14, 45, 9, 32, {47, 47}},
      {"N15-d14", 15, 50, 14, 40, times(5, 47)}, {"N15-d15", 15, 50, 15, 40, times(4, 47)},
      {"N16-d32", 16, 50, 32, 40, times(8, 47)},
  };
  std::vector<std::string> names;
  for (const auto& set : sets) {
    names.push_back(set.name);
    const CkksLiteral literal = named_literal(set.name);
    EXPECT_EQ(literal.log_n, set.log_n) << set.name;
    EXPECT_EQ(literal.log_scale, set.scale) << set.name;
    EXPECT_EQ(literal.q_bits, joined({{set.first}, times(set.depth, set.scale)})) << set.name;
    EXPECT_EQ(literal.p_bits, set.special) << set.name;
    EXPECT_THAT(literal.digits, IsEmpty()) << set.name;
    EXPECT_FALSE(literal.bootstrap || literal.insecure || literal.real_slots) << set.name;
  }
  EXPECT_EQ(named_literals(), names);
}

TEST(NamedSets, RefreshableOnesHaveThesePrimes) {
  const std::vector<int> sine{50, 50, 50, 50, 50, 50, 29, 29, 50};
  struct {
    const char* name;
    int log_n, scale, slots_to_coefficients, coefficients_to_slots;
    std::vector<int> q_bits, p_bits, digits, sine = {1, 2, 1, 1, 1, 1, 1, 1};
  } const sets[] = {
      {"N15-S5",
       15,
       32,
       2,
       3,
       joined({{45}, times(7, 32), {45, 46, 47, 47, 47, 47, 27, 27, 46}, {38, 41, 43}}),
       {48, 48},
       {}},
      {"S8", 16, 40, 3, 4, joined({{50}, times(11, 40), sine, times(4, 47)}), times(12, 47), {13, 12}},
      {"S11", 16, 40, 3, 4, joined({{50}, times(14, 40), sine, times(4, 47)}), times(9, 47), {10, 9, 9}},
      {"S14", 16, 40, 3, 4, joined({{50}, times(17, 40), sine, times(4, 47)}), times(8, 47), {9, 9, 8, 5}},
      {"S15", 16, 40, 3, 4, joined({{50}, times(18, 40), sine, times(4, 47)}), times(8, 46), {8, 9, 7, 8}},
      {"P30",
       16,
       45,
       3,
       4,
       joined({{50}, times(10, 45), {49, 26, 27, 28, 29, 27, 28, 28, 29, 28, 28, 30, 30, 29, 29}, times(4, 47)}),
       times(12, 48),
       {11, 10, 9},
       {2, 2, 2, 2, 2, 2, 2, 1}},
  };
  std::vector<std::string> names;
  for (const auto& set : sets) {
    names.push_back(set.name);
    const CkksLiteral literal = named_literal(set.name);
    EXPECT_EQ(literal.log_n, set.log_n) << set.name;
    EXPECT_EQ(literal.log_scale, set.scale) << set.name;
    EXPECT_EQ(literal.q_bits, set.q_bits) << set.name;
    EXPECT_EQ(literal.p_bits, set.p_bits) << set.name;
    EXPECT_EQ(literal.digits, set.digits) << set.name;
    ASSERT_TRUE(literal.bootstrap) << set.name;
    EXPECT_EQ(literal.bootstrap->slots_to_coefficients, set.slots_to_coefficients) << set.name;
    EXPECT_EQ(literal.bootstrap->coefficients_to_slots, set.coefficients_to_slots) << set.name;
    EXPECT_EQ(literal.bootstrap->sine, set.sine) << set.name;
    EXPECT_EQ(literal.bootstrap->ephemeral_weight, 32) << set.name;
  }
  EXPECT_EQ(bootstrapping_literals(), names);
}

}  // namespace
}  // namespace tacit::params
