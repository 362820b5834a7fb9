#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "scheme/ckks/party_for_test.h"
#include "scheme/ckks/serialize.h"

// The scheme over the conjugate-invariant ring: the operations that know nothing of it, on twice the slots.
namespace tacit::scheme::ckks {
namespace {

using ::testing::HasSubstr;
using testing::kPrecision;
using testing::max_error;
using testing::Party;
using testing::rotated;
using ::testing::ThrowsMessage;

params::CkksLiteral real_literal(int log_n, int levels = 4, int special = 2) {
  params::CkksLiteral literal = testing::small_literal(log_n, levels, special);
  literal.real_slots = true;
  return literal;
}

std::vector<double> combined(const std::vector<double>& x, const std::vector<double>& y, auto operation) {
  std::vector<double> result;
  for (std::size_t i = 0; i < x.size(); ++i) result.push_back(operation(x[i], y[i]));
  return result;
}

/// One prime in a digit, several, and degrees with and without separate phases of the transform.
class RealSlots : public ::testing::TestWithParam<std::pair<int, int>> {
 protected:
  params::CkksLiteral literal() const { return real_literal(GetParam().first, 4, GetParam().second); }
};

TEST_P(RealSlots, AsManyAsCoefficientsInEveryOperation) {
  const auto n = std::int64_t{1} << GetParam().first;
  const Party party(literal(), testing::manifest_without_conjugation(4, {1, 5, n / 2, n - 1}));
  ASSERT_EQ(party.slots(), static_cast<std::size_t>(n));
  const Evaluator& e = party.evaluator;
  const auto x = party.random(1), y = party.random(2);
  const auto product = combined(x, y, std::multiplies<>());
  for (const int level : {4, 2}) {
    const Ciphertext a = party.encrypt(x, level, party.scale());
    const Ciphertext b = party.encryptor.encrypt(party.encoder.encode(y, level, party.scale()));
    const Plaintext p = party.encoder.encode(y, level, party.scale());
    EXPECT_LT(max_error(party.decrypt(a), x), kPrecision);
    EXPECT_LT(max_error(party.decrypt(e.add(a, b)), combined(x, y, std::plus<>())), kPrecision);
    EXPECT_LT(max_error(party.decrypt(e.multiply(a, b)), product), kPrecision);
    EXPECT_LT(max_error(party.decrypt(e.multiply_plain_rescale(a, p)), product), kPrecision);
    for (const std::int64_t steps : {1L, 5L, static_cast<long>(n / 2), -1L})
      EXPECT_LT(max_error(party.decrypt(e.rotate(a, steps)), rotated(x, steps)), kPrecision) << steps;
    const std::int64_t together[] = {1, 5};
    const auto hoisted = e.rotate_hoisted(a, together);
    EXPECT_LT(max_error(party.decrypt(hoisted[1]), rotated(x, 5)), kPrecision);
    const auto sum = combined(combined(x, rotated(x, 1), std::plus<>()), rotated(x, 5), std::plus<>());
    EXPECT_LT(max_error(party.decrypt(e.rotate_sum(a, together)), sum), kPrecision);
  }
  for (const auto& z : party.decrypt_complex(party.encrypt(x))) ASSERT_EQ(z.imag(), 0);
}

TEST_P(RealSlots, CarryLinearMapsWithPeriodicDiagonals) {
  const Party party(literal(), testing::manifest_without_conjugation(4, {1, 2, 4, 6}));
  const auto x = party.random(3);
  const params::LinearSchedule schedule{.steps = {{0, 0, 0}, {1, 1, 0}, {6, 2, 4}, {7, 1, 6}}, .folds = {}};
  std::vector<std::vector<double>> diagonals;
  for (const std::size_t period : {std::size_t{1}, std::size_t{4}, party.slots() / 2, party.slots()}) {
    auto values = party.random(period + 9);
    values.resize(period);
    diagonals.push_back(values);
  }
  const double target = party.scale() * 0.9;
  const DiagonalMatrix matrix = party.encoder.encode_diagonals(schedule.steps, diagonals, 3, party.scale(), target);
  EXPECT_EQ(matrix.diagonals[0].rows.n(), 1U);
  EXPECT_EQ(matrix.diagonals[1].rows.n(), 4U);
  std::vector<double> expected(x.size());
  for (std::size_t s = 0; s < schedule.steps.size(); ++s) {
    const auto moved = rotated(x, schedule.steps[s].diagonal);
    for (std::size_t k = 0; k < x.size(); ++k) expected[k] += diagonals[s][k % diagonals[s].size()] * moved[k];
  }
  const Ciphertext inputs[] = {party.encrypt(x, 3, party.scale())};
  const std::vector<const DiagonalMatrix*> row{&matrix};
  const auto out = party.evaluator.linear(inputs, {&row, 1}, schedule);
  EXPECT_EQ(out[0].scale, target);
  EXPECT_LT(max_error(party.decrypt(out[0]), expected), kPrecision);
}

INSTANTIATE_TEST_SUITE_P(Sets, RealSlots,
                         ::testing::Values(std::pair{6, 1}, std::pair{10, 2}, std::pair{12, 1}, std::pair{13, 2}));

TEST(RealSlotsPolynomials, FollowTheSchedule) {
  const Party party(real_literal(10, 5), testing::manifest_without_conjugation(5, {}));
  const std::vector<double> series = {0.25, -0.5, 0.125, 0.75};
  const auto schedule = params::PolynomialSchedule::choose(3);
  const auto x = party.random(4);
  std::vector<double> expected;
  for (const double v : x)
    expected.push_back(series[0] + series[1] * v + series[2] * (2 * v * v - 1) + series[3] * (4 * v * v * v - 3 * v));
  const Ciphertext y = party.evaluator.polynomial(party.encrypt(x), series, schedule, party.scale());
  EXPECT_LT(max_error(party.decrypt(y), expected), kPrecision);
}

TEST(RealSlotsFiles, RoundTripAndBelongToTheirRing) {
  const Party party(real_literal(8), testing::manifest_without_conjugation(3, {1, 100, 255}));
  const auto x = party.random(5);
  const Ciphertext a = party.encrypt(x, 3, party.scale());
  const Ciphertext loaded = deserialize_ciphertext(*party.context, serialize(*party.context, a));
  const auto keys = std::make_shared<const EvaluationKeys>(
      deserialize_evaluation_keys(*party.context, serialize(*party.context, *party.keys)));
  EXPECT_LT(max_error(party.decrypt(Evaluator(party.context, keys).rotate(loaded, 255)), rotated(x, 255)), kPrecision);
  const Party other(testing::small_literal(8));
  EXPECT_THROW(deserialize_ciphertext(*other.context, serialize(*party.context, a)), base::KeyMismatch);
}

TEST(RealSlotsSets, AreLeveledAndHoldNoImaginaryParts) {
  const Party party(real_literal(8));
  const std::vector<std::complex<double>> z = {{1, 0}, {1, 1e-3}};
  EXPECT_THAT([&] { party.encoder.encode(z, 1, 0x1p40); },
              ThrowsMessage<base::InputError>(HasSubstr("value 1 has an imaginary part")));
  EXPECT_THAT([&] { party.generator.evaluation_keys(party.secret, {.conjugate_level = 1, .rotations = {}}); },
              ThrowsMessage<base::InputError>(HasSubstr("real slots")));
  params::CkksLiteral refreshing = params::named_literal("N15-S5");
  refreshing.real_slots = true;
  EXPECT_THAT([&] { params::CkksParameters::check(refreshing); },
              ThrowsMessage<base::InputError>(HasSubstr("leveled")));
}

}  // namespace
}  // namespace tacit::scheme::ckks
