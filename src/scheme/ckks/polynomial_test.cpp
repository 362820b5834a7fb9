#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

using testing::max_error;
using testing::Party;

double series(std::span<const double> c, double x) {
  double sum = 0;
  for (std::size_t k = 0; k < c.size(); ++k) sum += c[k] * std::cos(static_cast<double>(k) * std::acos(x));
  return sum;
}

class PolynomialTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    params::KeyManifest manifest{.relinearise_level = 7, .conjugate_level = -1, .rotations = {}};
    party_ = new Party(testing::small_literal(10, 7, 3), manifest);
  }
  static void TearDownTestSuite() {
    delete party_;
    party_ = nullptr;
  }
  static void check(const std::vector<double>& coefficients, const params::PolynomialSchedule& schedule) {
    auto x = party_->random(7);
    x[0] = 1;
    x[1] = -1;
    x[2] = 0;
    std::vector<double> expected;
    for (const double v : x) expected.push_back(series(coefficients, v));
    const Ciphertext in = party_->encrypt(x, 7, party_->scale() * 0.97);
    const double target = party_->scale() * 1.03;
    const Ciphertext out = party_->evaluator.polynomial(in, coefficients, schedule, target);
    EXPECT_EQ(out.level, 7 - schedule.depth);
    EXPECT_EQ(out.scale, target);
    double norm = 0;
    for (const double c : coefficients) norm += std::abs(c);
    EXPECT_LT(max_error(party_->decrypt(out), expected), 2e-6 * (1 + norm)) << "degree " << coefficients.size() - 1;
  }
  static Party* party_;
};
Party* PolynomialTest::party_ = nullptr;

TEST_F(PolynomialTest, EqualsTheSeriesForEveryDegreeUpTo63) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int degree = 0; degree <= 63; ++degree) {
    std::vector<double> c(static_cast<std::size_t>(degree) + 1);
    for (double& v : c) v = uniform(engine);
    check(c, params::PolynomialSchedule::choose(degree));
  }
}

TEST_F(PolynomialTest, ExploitsOddAndEvenSeries) {
  for (const std::size_t parity : {0u, 1u}) {
    std::vector<double> c(60);
    for (std::size_t i = parity; i < c.size(); i += 2) c[i] = 1.0 / static_cast<double>(i + 1);
    check(c, params::PolynomialSchedule::choose(59));
  }
}

TEST_F(PolynomialTest, HandlesConstantsZeroAndSpareLevels) {
  check({0.75}, params::PolynomialSchedule::choose(0));
  check({0, 0, 0, 0}, params::PolynomialSchedule::choose(3));
  check({0.25, 0, 0, 0}, params::PolynomialSchedule::choose(3));
  check({0, 0.5}, params::PolynomialSchedule::choose(1));
  check({0, 0, 0, 0, 1}, params::PolynomialSchedule::choose(4));
  auto deep = params::PolynomialSchedule::choose(5);
  deep.depth = 6;
  check({0.1, 0.2, -0.3, 0.4, 0.5, -0.6}, deep);
}

TEST_F(PolynomialTest, RefusesWhatDoesNotFit) {
  const std::vector<double> c(10, 0.5);
  const auto schedule = params::PolynomialSchedule::choose(9);
  const Ciphertext low = party_->encrypt(party_->random(1), 3, party_->scale());
  EXPECT_THAT([&] { party_->evaluator.polynomial(low, c, schedule, party_->scale()); },
              ::testing::ThrowsMessage<base::InputError>(::testing::HasSubstr("consumes 4 levels")));
  const Ciphertext x = party_->encrypt(party_->random(1));
  EXPECT_THROW(party_->evaluator.polynomial(x, c, params::PolynomialSchedule::choose(8), party_->scale()),
               base::InputError);
  EXPECT_THROW(party_->evaluator.polynomial(x, c, schedule, -1), base::InputError);
  const Evaluator keyless(party_->context, nullptr);
  EXPECT_THROW(keyless.polynomial(x, c, schedule, party_->scale()), base::InputError);
}

}  // namespace
}  // namespace tacit::scheme::ckks
