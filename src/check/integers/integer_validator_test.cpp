#include "check/integers/integer_validator.h"

#include <gtest/gtest.h>

#include <algorithm>
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
std::vector<IntegerResult> validate_program(const Program& program, const Program& computed,
                                            const params::TfheLiteral& literal,
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
  const auto results = validate_program(program, program, literal_for(program), {3, 1, 2});
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
  const auto results = validate_program(program, computed, literal_for(program), {3, 1, 2});
  EXPECT_EQ(results[1].failures, 1u);
  EXPECT_EQ(results[1].first, 0u);
  EXPECT_EQ(results[1].cause, IntegerCause::lookup);
  EXPECT_EQ(results[0].failures + results[2].failures, 0u);
}

TEST(IntegerValidator, HoldsRoundingToItsOperand) {
  const Program program = integers::rounding_program();
  const params::TfheLiteral literal = literal_for(program);
  const auto right = validate_program(program, program, literal, {3, 1});
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
  const auto wrong = validate_program(program, wider, literal, {3, 1});
  EXPECT_EQ(wrong[1].failures, 1u);  // 34 is no multiple of four, 12 is one
  EXPECT_EQ(wrong[1].first, 0u);
  EXPECT_EQ(wrong[1].cause, IntegerCause::rounding);
}

TEST(IntegerValidator, TellsTablesOfOneBootstrapApart) {
  const Program program = integers::sharing_program(2);
  Program computed = program;
  std::get<integers::Lookup>(computed.instructions[3].operation).tables[2][6] = 5;  // of b = 6: 8 modulo 8 is 0
  const auto results = validate_program(program, computed, literal_for(program), {3, 1, 2});
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
  const auto results = validate_program(program, computed, literal_for(program), {3, 1, 2});
  EXPECT_EQ(results[0].failures, 1u);
  EXPECT_EQ(results[0].cause, IntegerCause::sum);
  EXPECT_EQ(results[1].failures, 0u);  // the table of what came
}

TEST(IntegerValidator, NamesAnOverflow) {
  const Program program = integers::small_program();
  const auto results = validate_program(program, program, literal_for(program), {9, 3, 0});  // 9 + 6 + 4 = 19 of 0 to 9
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

/// What the validator finds in a lookup of arguments without noise, given as phases with the results.
class LookupOf : public testing::Test {
 protected:
  LookupOf()
      : context_(Context::make(params::TfheParameters::check(params::named_tfhe_literal("T4")))),
        decryptor_(context_, scheme::tfhe::SecretKey::generate(*context_)) {}

  /// A program of an input in an interval and its lookup.
  static Program program(int bits, int step, std::int64_t lowest, std::int64_t highest,
                         std::vector<std::int64_t> table) {
    Program program{"lookup", bits, {}};
    program.instructions.push_back({integers::Input{"x"}, {1, 4}, step, lowest, highest, true, "x", ""});
    program.instructions.push_back(
        {integers::Lookup{0, {std::move(table)}, {}}, {1, 4}, kResultStep, 0, 15, true, "table", ""});
    return program;
  }
  LweCiphertexts trivial(const std::vector<Torus>& phases) const {
    const params::TfheParameters& parameters = context_->parameters();
    LweCiphertexts ciphertexts(parameters.large_lwe(), phases.size(), parameters.hash());
    for (std::size_t i = 0; i < phases.size(); ++i) {
      std::ranges::fill(ciphertexts[i], 0);
      ciphertexts.body(i) = phases[i];
    }
    return ciphertexts;
  }
  IntegerResult found(const Program& program, const std::vector<Torus>& arguments,
                      const std::vector<Torus>& results) const {
    IntegerValidator validator(program, context_->parameters(), decryptor_);
    validator.value(0, trivial(arguments));
    validator.value(1, trivial(results));
    EXPECT_EQ(validator.results().size(), 1u);
    return validator.results().at(0);
  }

  static constexpr int kResultStep = integers::kMessageBits - 5;
  scheme::tfhe::ContextPtr context_;
  scheme::tfhe::Decryptor decryptor_;
};

// By a half box, and by a whole one where arguments are finer than boxes and rounded.
TEST_F(LookupOf, ArgumentsMayLeaveTheirIntervalByWhatNoiseCanMoveThem) {
  const std::vector<std::int64_t> zeros(16, 0);
  const std::vector<Torus> results(4, 0);
  const auto sixteenths = [](std::int64_t of_a_unit, int step) { return static_cast<Torus>(of_a_unit) << (step - 4); };
  struct Case {
    int step;
    std::int64_t lowest, highest, box;  ///< in sixteenths of a unit what an argument may lie beyond
  };
  constexpr int kBits = 4, kExact = integers::kMessageBits - kBits, kRounded = kExact - 2;
  for (const Case& c : {Case{kExact, 2, 9, 8}, Case{kRounded, 8, 40, 64}}) {
    const Program program = LookupOf::program(kBits, c.step, c.lowest, c.highest, zeros);
    EXPECT_EQ(integers::rounds(program, std::get<integers::Lookup>(program.instructions[1].operation)),
              c.step == kRounded);
    const std::int64_t first = 16 * c.lowest - c.box, last = 16 * c.highest + c.box;
    const IntegerResult inside = found(program,
                                       {sixteenths(first, c.step), sixteenths(last, c.step),
                                        sixteenths(first + 1, c.step), sixteenths(last - 1, c.step)},
                                       results);
    EXPECT_EQ(inside.failures, 0u) << c.step;
    EXPECT_EQ(inside.moved, 0u);
    EXPECT_EQ(inside.elements, 4u);
    const IntegerResult beyond = found(program,
                                       {sixteenths(first, c.step), sixteenths(last + 1, c.step),
                                        sixteenths(last, c.step), sixteenths(first - 1, c.step)},
                                       results);
    EXPECT_EQ(beyond.failures, 2u) << c.step;
    EXPECT_EQ(beyond.first, 1u);
    EXPECT_EQ(beyond.cause, IntegerCause::overflow);
  }
}

TEST_F(LookupOf, AnotherBoxIsRightAtTheBorderNoiseBesideItAndWrongElsewhere) {
  constexpr int kBits = 2, kStep = integers::kMessageBits - kBits;
  const Program program = LookupOf::program(kBits, kStep, 0, 3, {1, 4, 9, 14});
  const auto entry = [](std::int64_t value) { return static_cast<Torus>(value) << kResultStep; };
  const auto at = [](Torus box) { return box << kStep; };
  const Torus border = (Torus{3} << (kStep - 1)) - (Torus{1} << (kStep - 20));  // just below the second box's end

  const IntegerResult right = found(program, {at(0), at(1), at(2), at(3)}, {entry(1), entry(4), entry(9), entry(14)});
  EXPECT_EQ(right.failures, 0u);
  EXPECT_EQ(right.moved, 0u);
  EXPECT_EQ(right.noise_share, 0);
  const IntegerResult moved = found(program, {border, border, border, at(1)}, {entry(9), entry(4), entry(9), entry(4)});
  EXPECT_EQ(moved.failures, 0u);
  EXPECT_EQ(moved.moved, 2u);
  for (const std::int64_t beside : {1, 9}) {
    const IntegerResult noisy =
        found(program, {at(1), at(1), at(1), at(1)}, {entry(4), entry(4), entry(beside), entry(4)});
    EXPECT_EQ(noisy.failures, 1u);
    EXPECT_EQ(noisy.first, 2u);
    EXPECT_EQ(noisy.cause, IntegerCause::noise);
  }
  const IntegerResult wrong = found(program, {at(1), at(1), at(1), at(1)}, {entry(14), entry(4), entry(4), entry(14)});
  EXPECT_EQ(wrong.failures, 2u);
  EXPECT_EQ(wrong.first, 0u);
  EXPECT_EQ(wrong.cause, IntegerCause::lookup);
  EXPECT_EQ(wrong.moved, 0u);
}

// Noise of parameters that are a little too weak is off by a few times what lookups reach; tables by far more.
TEST_F(LookupOf, ResultsBesideAnEntryAreNoiseUpToFourTimesTheReach) {
  constexpr int kBits = 2, kStep = integers::kMessageBits - kBits;
  const Program program = LookupOf::program(kBits, kStep, 0, 3, {1, 1, 1, 1});
  const std::vector<Torus> arguments(4, Torus{1} << kStep);
  const Torus entry = Torus{1} << kResultStep;
  const auto off_by = [&](Torus offset) {
    return found(program, arguments, {entry, entry, entry + offset, entry - offset});
  };
  constexpr double kOffset = 1 << 30;
  const double reach = kOffset / off_by(static_cast<Torus>(kOffset)).noise_share;
  ASSERT_LT(5 * reach, 0.5 * static_cast<double>(entry)) << "the next number is farther away";
  for (const double times : {0.99, 1.01, 3.99, 4.01}) {
    const IntegerResult result = off_by(static_cast<Torus>(times * reach));
    EXPECT_EQ(result.failures, times < 1 ? 0u : 2u) << times;
    EXPECT_NEAR(result.noise_share, times, 1e-6);
    if (times > 1) {
      EXPECT_EQ(result.first, 2u);
      EXPECT_EQ(result.cause, times < 4 ? IntegerCause::noise : IntegerCause::lookup) << times;
    }
  }
}

}  // namespace
}  // namespace tacit::check
