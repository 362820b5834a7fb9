#include "scheme/ckks/linear_transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

using testing::max_error;
using testing::Party;
using testing::rotated;

constexpr std::int64_t kSlots = 512;

/// Steps for these diagonals with baby steps below `baby`, and the keys they need at `level`.
params::LinearSchedule schedule_of(const std::vector<std::int64_t>& diagonals, std::int64_t baby,
                                   std::vector<std::int64_t> folds = {}) {
  params::LinearSchedule schedule{.steps = {}, .folds = std::move(folds)};
  for (const std::int64_t d : diagonals) schedule.steps.push_back({d, d % baby, d - d % baby});
  return schedule;
}

params::KeyManifest schedule_keys(const params::LinearSchedule& schedule, int level) {
  params::KeyManifest manifest;
  for (const auto& step : schedule.steps)
    for (const std::int64_t r : {step.baby, step.giant})
      if (r != 0) manifest.rotations[r] = level;
  for (const std::int64_t f : schedule.folds) manifest.merge({.rotations = {{f, level - 1}}});
  return manifest;
}

std::vector<double> folded(std::vector<double> y, const std::vector<std::int64_t>& folds) {
  for (const std::int64_t f : folds) {
    const auto shifted = rotated(y, f);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += shifted[i];
  }
  return y;
}

void check_map(int level, const std::vector<std::int64_t>& diagonals, std::int64_t baby,
               const std::vector<std::int64_t>& folds, std::size_t inputs, std::size_t outputs, std::size_t period,
               int special = 2) {
  const auto schedule = schedule_of(diagonals, baby, folds);
  const Party party(testing::small_literal(10, 4, special), schedule_keys(schedule, level));
  std::vector<Ciphertext> x;
  std::vector<std::vector<double>> plain;
  const double in_scale = party.scale() * 1.25, target = party.scale() * 0.9;
  for (std::size_t i = 0; i < inputs; ++i) {
    plain.push_back(party.random(i));
    x.push_back(party.encrypt(plain.back(), level, in_scale));
  }
  std::vector<DiagonalMatrix> matrices;
  matrices.reserve(inputs * outputs);
  std::vector<std::vector<const DiagonalMatrix*>> blocks(outputs, std::vector<const DiagonalMatrix*>(inputs));
  std::vector<std::vector<double>> expected(outputs, std::vector<double>(kSlots));
  for (std::size_t j = 0; j < outputs; ++j) {
    for (std::size_t i = 0; i < inputs; ++i) {
      if (outputs > 1 && (j + i) % 3 == 2) continue;  // no block
      std::vector<std::vector<double>> values(diagonals.size());
      for (std::size_t d = 0; d < diagonals.size(); ++d) {
        if ((d + i + j) % 5 == 4) continue;  // a zero diagonal
        values[d] = party.random(100 * j + 10 * i + d);
        values[d].resize(period);
        const auto shifted = rotated(plain[i], diagonals[d]);
        for (std::size_t k = 0; k < shifted.size(); ++k) expected[j][k] += values[d][k % period] * shifted[k];
      }
      matrices.push_back(party.encoder.encode_diagonals(schedule.steps, values, level, in_scale, target));
      blocks[j][i] = &matrices.back();
    }
  }
  const auto y = party.evaluator.linear(x, blocks, schedule);
  ASSERT_EQ(y.size(), outputs);
  for (std::size_t j = 0; j < outputs; ++j) {
    EXPECT_EQ(y[j].level, level - 1);
    EXPECT_EQ(y[j].scale, target);
    EXPECT_LT(max_error(party.decrypt(y[j]), folded(expected[j], folds)), 1e-5) << j;
  }
}

TEST(LinearTransform, EqualsTheDenseMatrix) {
  std::vector<std::int64_t> all(16);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i) * 7 % kSlots;
  check_map(4, all, 16, {}, 1, 1, kSlots);
  check_map(1, all, 16, {}, 1, 1, kSlots);
}

TEST(LinearTransform, WorksWithoutBabyOrGiantSteps) {
  check_map(2, {0}, 8, {}, 1, 1, kSlots);
  check_map(2, {0, 1, 2, 3}, 8, {}, 1, 1, kSlots);
  check_map(2, {0, 8, 16, 504}, 8, {}, 1, 1, kSlots);
  check_map(3, {8}, 8, {}, 1, 1, kSlots);
}

TEST(LinearTransform, SumsBlocksAndFolds) {
  check_map(3, {0, 1, 5, 9, 64, 65, 130, 511}, 8, {}, 3, 4, kSlots);
  check_map(3, {0, 1, 5, 9, 64, 65, 130, 511}, 8, {256, 128}, 2, 2, kSlots);
}

TEST(LinearTransform, TakesPeriodicDiagonals) {
  for (const std::size_t period : {1u, 4u, 32u, 256u}) check_map(3, {0, 3, 9, 17, 40}, 8, {}, 2, 1, period, 1);
}

// Inputs that are rotated one after another, and five giant steps, of which each lacks every fifth product.
TEST(LinearTransform, TakesManyBabyStepsOfSeveralInputs) {
  std::vector<std::int64_t> diagonals(200);
  for (std::size_t d = 0; d < diagonals.size(); ++d) diagonals[d] = static_cast<std::int64_t>(d);
  for (const std::size_t period : {std::size_t{32}, std::size_t{kSlots}}) check_map(2, diagonals, 40, {}, 3, 1, period);
}

TEST(LinearTransform, PeriodicStorageEqualsDense) {
  const auto schedule = schedule_of({0, 3, 9, 17, 40}, 8);
  const Party party(testing::small_literal(10, 4, 2), schedule_keys(schedule, 3));
  std::vector<std::vector<double>> compact, dense;
  for (std::size_t d = 0; d < schedule.steps.size(); ++d) {
    compact.push_back(party.random(d));
    compact.back().resize(std::size_t{1} << d);
    dense.emplace_back(static_cast<std::size_t>(kSlots));
    for (std::size_t k = 0; k < dense.back().size(); ++k) dense.back()[k] = compact.back()[k % compact.back().size()];
  }
  const auto a = party.encoder.encode_diagonals(schedule.steps, compact, 3, party.scale(), party.scale());
  const auto b = party.encoder.encode_diagonals(schedule.steps, dense, 3, party.scale(), party.scale());
  EXPECT_LT(a.bytes() * 15, b.bytes());
  for (std::size_t d = 0; d < schedule.steps.size(); ++d) {
    for (std::size_t row = 0; row < a.diagonals[d].rows.limbs(); ++row)
      for (std::size_t k = 0; k < party.context->parameters().n() / 2; ++k)
        ASSERT_EQ(a.diagonals[d].rows.limb(row)[k / a.diagonals[d].block], b.diagonals[d].rows.limb(row)[k]);
  }
  const Ciphertext x = party.encrypt(party.random(50), 3, party.scale());
  const std::vector<const DiagonalMatrix*> first[] = {{&a}}, second[] = {{&b}};
  const auto ya = party.evaluator.linear({&x, 1}, first, schedule);
  const auto yb = party.evaluator.linear({&x, 1}, second, schedule);
  for (std::size_t row = 0; row < ya[0].c0.limbs(); ++row) {
    EXPECT_TRUE(std::ranges::equal(ya[0].c0.limb_span(row), yb[0].c0.limb_span(row)));
    EXPECT_TRUE(std::ranges::equal(ya[0].c1.limb_span(row), yb[0].c1.limb_span(row)));
  }
}

TEST(LinearTransform, RealMatricesKeepHalfOfTheirRows) {
  const auto schedule = schedule_of({0, 3, 9, 17, 40}, 8);
  const Party party(testing::small_literal(10, 4, 2), schedule_keys(schedule, 3));
  std::vector<std::vector<double>> real;
  std::vector<std::vector<std::complex<double>>> complex;
  for (std::size_t d = 0; d < schedule.steps.size(); ++d) {
    real.push_back(party.random(d));
    complex.emplace_back(real.back().begin(), real.back().end());
  }
  const auto half = party.encoder.encode_diagonals(schedule.steps, real, 3, party.scale(), party.scale());
  const auto whole = party.encoder.encode_diagonals(schedule.steps, complex, 3, party.scale(), party.scale());
  EXPECT_TRUE(half.mirrored);
  EXPECT_FALSE(whole.mirrored);
  EXPECT_EQ(2 * half.bytes(), whole.bytes());
  const std::size_t n = party.context->parameters().n();
  std::size_t equal = 0, mirrored = 0, all = 0;
  for (std::size_t d = 0; d < schedule.steps.size(); ++d)
    for (std::size_t row = 0; row < half.diagonals[d].rows.limbs(); ++row)
      for (std::size_t k = 0; k < n / 2; ++k, ++all) {
        const std::uint64_t kept = half.diagonals[d].rows.limb(row)[k];
        equal += kept == whole.diagonals[d].rows.limb(row)[k] ? 1 : 0;
        mirrored += kept == whole.diagonals[d].rows.limb(row)[n - 1 - k] ? 1 : 0;
      }
  // Rounding to integers may break the symmetry of a complex matrix with real slots in a coefficient.
  EXPECT_GT(equal, all * 3 / 4);
  EXPECT_GT(mirrored, all * 3 / 4);
  const std::vector<double> values = party.random(50);
  const Ciphertext x = party.encrypt(values, 3, party.scale());
  const std::vector<const DiagonalMatrix*> first[] = {{&half}}, second[] = {{&whole}};
  const auto a = party.decrypt(party.evaluator.linear({&x, 1}, first, schedule)[0]);
  const auto b = party.decrypt(party.evaluator.linear({&x, 1}, second, schedule)[0]);
  for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(std::abs(a[k] - b[k]), 0, 1e-4);
  const std::vector<Ciphertext> two{x, x};
  const std::vector<const DiagonalMatrix*> mixed[] = {{&half, &whole}};
  EXPECT_THROW(party.evaluator.linear(two, mixed, schedule), base::InputError);
}

TEST(LinearTransform, GivesTheSameWhateverABatchHolds) {
  for (const std::int64_t baby : {8, 512}) {  // several giant steps, and none
    const auto schedule = schedule_of({0, 1, 5, 9, 17, 64, 65, 130}, baby);
    const Party party(testing::small_literal(10, 4, 2), schedule_keys(schedule, 3));
    std::vector<Ciphertext> x;
    std::vector<DiagonalMatrix> matrices;
    std::vector<std::vector<const DiagonalMatrix*>> blocks(4, std::vector<const DiagonalMatrix*>(3));
    for (std::size_t i = 0; i < 3; ++i) {
      x.push_back(party.encrypt(party.random(i), 3, party.scale()));
      std::vector<std::vector<double>> values;
      for (std::size_t d = 0; d < schedule.steps.size(); ++d) values.push_back(party.random(10 * i + d + 3));
      matrices.push_back(party.encoder.encode_diagonals(schedule.steps, values, 3, party.scale(), party.scale()));
    }
    for (std::size_t j = 0; j < 3; ++j)  // the last output has no block
      for (std::size_t i = 0; i < 3; ++i)
        if (i != 1 || j != 1) blocks[j][i] = &matrices[(i + j) % 3];
    const std::size_t pair = 2 * party.context->chain().extended_rows(3) * party.context->parameters().n() * 8;
    std::vector<const Ciphertext*> inputs;
    for (const Ciphertext& one : x) inputs.push_back(&one);
    const auto whole = LinearTransform(party.evaluator, inputs, blocks, schedule).run();
    for (const std::size_t bytes : {std::size_t{1}, pair, 3 * pair, 5 * pair}) {
      const auto parts = LinearTransform(party.evaluator, inputs, blocks, schedule, bytes).run();
      for (std::size_t j = 0; j < blocks.size(); ++j)
        for (std::size_t row = 0; row < whole[j].c0.limbs(); ++row) {
          EXPECT_TRUE(std::ranges::equal(parts[j].c0.limb_span(row), whole[j].c0.limb_span(row))) << bytes << ", " << j;
          EXPECT_TRUE(std::ranges::equal(parts[j].c1.limb_span(row), whole[j].c1.limb_span(row))) << bytes << ", " << j;
        }
    }
  }
}

TEST(LinearTransform, RefusesWhatDoesNotFit) {
  const auto schedule = schedule_of({0, 1, 8}, 8), other = schedule_of({0, 1, 9}, 8);
  const Party party(testing::small_literal(10, 3, 2), schedule_keys(schedule, 2));
  const std::vector<std::vector<double>> values(3, party.random(1));
  const auto encode = [&](const auto& s, int level, double in, double out) {
    return party.encoder.encode_diagonals(s.steps, values, level, in, out);
  };
  const double scale = party.scale();
  const auto good = encode(schedule, 2, scale, scale);
  const Ciphertext x = party.encrypt(party.random(2), 2, scale);
  const auto refuses = [&](const DiagonalMatrix* matrix, const auto& s, const Ciphertext& input, const char* reason) {
    const std::vector<const DiagonalMatrix*> blocks[] = {{matrix}};
    EXPECT_THAT(
        [&] {
          party.evaluator.linear({&input, 1}, blocks, s);
        },
        ::testing::ThrowsMessage<base::InputError>(::testing::HasSubstr(reason)));
  };
  refuses(nullptr, schedule, x, "it has no block");
  refuses(&good, other, x, "another schedule");
  refuses(&good, schedule, party.encrypt(party.random(2), 1, scale), "levels 1 and 2");
  refuses(&good, schedule, party.encrypt(party.random(2), 2, 2 * scale), "scales");
  const auto foreign = encode(other, 2, scale, scale);
  const auto high = encode(schedule, 3, scale, scale);
  refuses(&high, schedule, party.encrypt(party.random(2), 3, scale), "rotation-by-1 key reaches up to level 2");
  auto missing = schedule_of({0, 1, 16}, 8);
  const auto far = encode(missing, 2, scale, scale);
  refuses(&far, missing, x, "rotation-by-16 key is missing (needed at level 2)");
  missing = schedule;
  missing.folds = {64};
  refuses(&good, missing, x, "rotation-by-64 key is missing (needed at level 1)");
  EXPECT_THROW(encode(schedule, 0, scale, scale), base::InputError);
  EXPECT_THROW(encode(schedule, 2, 0, scale), base::InputError);
  EXPECT_THROW(party.encoder.encode_diagonals(schedule.steps, std::vector<std::vector<double>>(2), 2, scale, scale),
               base::InputError);
  EXPECT_THROW(
      party.encoder.encode_diagonals(schedule.steps, std::vector<std::vector<double>>(3, {1, 2, 3}), 2, scale, scale),
      base::InputError);
}

}  // namespace
}  // namespace tacit::scheme::ckks
