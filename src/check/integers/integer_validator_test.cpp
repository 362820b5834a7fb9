#include "check/integers/integer_validator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "params/tfhe_noise.h"
#include "program/integers/noise.h"
#include "program/integers/small_program_for_test.h"

namespace tacit::check {
namespace {

using integers::Program;
using scheme::tfhe::Context;
using scheme::tfhe::LweCiphertexts;
using scheme::tfhe::Torus;

/// Runs `computed` and validates it as if it were `program`.
std::vector<IntegerResult> validate(const Program& program, const Program& computed, const params::TfheLiteral& literal,
                                    const std::vector<std::int64_t>& input) {
  const auto context = Context::make(params::TfheParameters::check(literal));
  const auto secret = scheme::tfhe::SecretKey::generate(*context);
  const auto keys = scheme::tfhe::SeededEvaluationKeys::generate(*context, secret);
  const runtime::IntegerExecutor executor(std::make_shared<const runtime::PreparedIntegers>(context, computed),
                                          std::make_shared<const scheme::tfhe::Evaluator>(context, keys));
  std::vector<Torus> messages;
  for (const std::int64_t x : input) messages.push_back(static_cast<Torus>(x) << program.instructions[0].step);
  const std::vector<LweCiphertexts> inputs{scheme::tfhe::Encryptor(context, secret).encrypt(messages)};
  const scheme::tfhe::Decryptor decryptor(context, secret);
  IntegerValidator validator(program, context->parameters(), decryptor);
  executor.run(inputs, &validator);
  return validator.results();
}

params::TfheLiteral literal_for(const Program& program) { return params::solve(integers::requirements(program, -64)); }

TEST(IntegerValidator, FindsNothingInARightRun) {
  const Program program = integers::small_program();
  const auto results = validate(program, program, literal_for(program), {3, 1, 2});
  ASSERT_EQ(results.size(), 3u);  // sums, squares, difference
  for (const IntegerResult& result : results) {
    EXPECT_EQ(result.failures, 0u) << result.node << ": " << name(result.cause);
    EXPECT_EQ(result.moved, 0u);
  }
  EXPECT_GT(results[1].noise_share, 0);
  EXPECT_LT(results[1].noise_share, 1);
}

TEST(IntegerValidator, NamesAWrongTable) {
  const Program program = integers::small_program();
  Program computed = program;
  std::get<integers::Lookup>(computed.instructions[2].operation).tables[0][7] = 5;  // 49 mod 8 is 1
  const auto results = validate(program, computed, literal_for(program), {3, 1, 2});
  EXPECT_EQ(results[1].failures, 1u);
  EXPECT_EQ(results[1].first, 0u);
  EXPECT_EQ(results[1].cause, IntegerCause::lookup);
  EXPECT_EQ(results[0].failures + results[2].failures, 0u);
}

TEST(IntegerValidator, HoldsRoundingToItsOperand) {
  const Program program = integers::rounding_program();
  const params::TfheLiteral literal = literal_for(program);
  const auto right = validate(program, program, literal, {3, 1});
  ASSERT_EQ(right.size(), 3u);  // sums, rounding, table
  for (const IntegerResult& result : right) EXPECT_EQ(result.failures, 0u) << result.operation << name(result.cause);
  EXPECT_GT(right[1].noise_share, 0);
  EXPECT_LT(right[1].noise_share, 1);
  // A lookup of the identity in place of it leaves the sums 34 and 12 as they are.
  Program wider = program;
  wider.instructions[2].operation = integers::Linear{
      {{1,
        std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 2}, 2, std::vector<double>{1, 0, 0, 1}))}},
      {}};
  wider.instructions[2].step = program.instructions[1].step;
  wider.instructions[2].lowest = 3;
  wider.instructions[2].highest = 42;
  const auto wrong = validate(program, wider, literal, {3, 1});
  EXPECT_EQ(wrong[1].failures, 1u);  // 34 is no multiple of four, 12 is one
  EXPECT_EQ(wrong[1].first, 0u);
  EXPECT_EQ(wrong[1].cause, IntegerCause::rounding);
}

TEST(IntegerValidator, TellsTablesOfOneBootstrapApart) {
  const Program program = integers::sharing_program(2);
  Program computed = program;
  std::get<integers::Lookup>(computed.instructions[3].operation).tables[2][6] = 5;  // of b = 6: 8 modulo 8 is 0
  const auto results = validate(program, computed, literal_for(program), {3, 1, 2});
  ASSERT_EQ(results.size(), 4u);  // sums, two lookups, their sum
  EXPECT_EQ(results[0].failures + results[1].failures + results[3].failures, 0u);
  EXPECT_EQ(results[2].failures, 1u);
  EXPECT_EQ(results[2].first, 2u);
  EXPECT_EQ(results[2].cause, IntegerCause::lookup);
}

TEST(IntegerValidator, NamesAWrongSum) {
  const Program program = integers::small_program();
  Program computed = program;
  std::get<integers::Linear>(computed.instructions[1].operation).bias = {5, 0};
  const auto results = validate(program, computed, literal_for(program), {3, 1, 2});
  EXPECT_EQ(results[0].failures, 1u);
  EXPECT_EQ(results[0].cause, IntegerCause::sum);
  EXPECT_EQ(results[1].failures, 0u);  // the table of what came
}

TEST(IntegerValidator, NamesAnOverflow) {
  const Program program = integers::small_program();
  const auto results = validate(program, program, literal_for(program), {9, 3, 0});  // 9 + 6 + 4 = 19 of 0 to 9
  EXPECT_EQ(results[1].failures, 1u);
  EXPECT_EQ(results[1].cause, IntegerCause::overflow);
}

TEST(IntegerValidator, NamesNoiseBeyondTheBudget) {
  const Program program = integers::small_program();
  const auto context = Context::make(params::TfheParameters::check(literal_for(program)));
  // A result shifted by three times its reach stands for keys with too much noise.
  struct Shifted final : runtime::IntegerObserver {
    explicit Shifted(IntegerValidator& to) : to_(to) {}
    void value(program::ValueId id, const LweCiphertexts& ciphertexts) override {
      LweCiphertexts moved = ciphertexts;
      if (id == 2) moved.body(1) += by;
      to_.value(id, moved);
    }
    Torus by = 0;
    IntegerValidator& to_;
  };
  const auto secret = scheme::tfhe::SecretKey::generate(*context);
  const auto keys = scheme::tfhe::SeededEvaluationKeys::generate(*context, secret);
  const runtime::IntegerExecutor executor(std::make_shared<const runtime::PreparedIntegers>(context, program),
                                          std::make_shared<const scheme::tfhe::Evaluator>(context, keys));
  const scheme::tfhe::Decryptor decryptor(context, secret);
  IntegerValidator validator(program, context->parameters(), decryptor);
  Shifted shifted(validator);
  constexpr double kDeviations = 28;  // three times what a failure of 2^-64 stays within
  shifted.by = static_cast<Torus>(
      std::ldexp(kDeviations * std::sqrt(params::bootstrap_variance(context->parameters().shape())), 64));
  const std::vector<Torus> messages(3, Torus{1} << program.instructions[0].step);
  const std::vector<LweCiphertexts> inputs{scheme::tfhe::Encryptor(context, secret).encrypt(messages)};
  executor.run(inputs, &shifted);
  const IntegerResult& result = validator.results()[1];
  EXPECT_EQ(result.failures, 1u);
  EXPECT_EQ(result.first, 1u);
  EXPECT_EQ(result.cause, IntegerCause::noise);
  EXPECT_GT(result.noise_share, 2);
}

}  // namespace
}  // namespace tacit::check
