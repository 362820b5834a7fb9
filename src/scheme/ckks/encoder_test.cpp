#include "scheme/ckks/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "scheme/ckks/integer_polynomial.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

TEST(Encoder, DecodesWhatItEncodesAtEveryLevel) {
  const auto context = Context::make(params::CkksParameters::check(testing::small_literal(11, 6, 2)));
  const Encoder encoder(context);
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::complex<double>> z(context->parameters().slots());
  for (auto& v : z) v = {uniform(engine), uniform(engine)};
  for (int level = 0; level <= 6; ++level) {
    for (const double scale : {0x1p30, 0x1.8p40, 0x1p48}) {
      const auto out = encoder.decode(encoder.encode(z, level, scale));
      double worst = 0;
      for (std::size_t i = 0; i < z.size(); ++i) worst = std::max(worst, std::abs(out[i] - z[i]));
      // Rounding: deviation sqrt(N / 12) for a complex slot, six of them; plus what doubles carry.
      EXPECT_LT(worst, 6 * std::sqrt(2048.0 / 12) / scale + 1e-14) << level << " " << scale;
    }
  }
}

TEST(Encoder, CarriesLargeScalesAndMagnitudes) {
  const auto context = Context::make(params::CkksParameters::check(testing::small_literal(10, 6, 2)));
  const Encoder encoder(context);
  const std::vector<double> x = {1, -1, 0.5, 3e5, -7e5};
  const auto out = encoder.decode(encoder.encode(x, 6, 0x1p90));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(out[i].real(), x[i], 1e-9);
  const auto big = encoder.decode(encoder.encode(std::vector<double>{0x1p200}, 6, 0x1p40));
  EXPECT_NEAR(big[0].real() / 0x1p200, 1, 1e-12);
}

TEST(Encoder, PadsWithZeroAndKeepsConstants) {
  const auto context = Context::make(params::CkksParameters::check(testing::small_literal(10, 2, 2)));
  const Encoder encoder(context);
  const auto out = encoder.decode(encoder.encode(std::vector<double>{2.5}, 1, 0x1p40));
  EXPECT_NEAR(out[0].real(), 2.5, 1e-10);
  for (std::size_t i = 1; i < out.size(); ++i) EXPECT_LT(std::abs(out[i]), 1e-10);
  const auto constant = encoder.decode(encoder.encode(std::vector<double>(512, 511.0), 0, 0x1p40));
  for (const auto& v : constant) EXPECT_NEAR(v.real(), 511, 1e-9);
}

TEST(Encoder, RefusesWhatCannotBeEncoded) {
  const auto context = Context::make(params::CkksParameters::check(testing::small_literal(10, 2, 2)));
  const Encoder encoder(context);
  const auto refuses = [&](std::vector<double> values, int level, double scale, const char* reason) {
    EXPECT_THAT([&] { encoder.encode(values, level, scale); },
                ::testing::ThrowsMessage<base::InputError>(::testing::HasSubstr(reason)));
  };
  refuses({std::nan("")}, 0, 0x1p40, "NaN or infinite");
  refuses({std::numeric_limits<double>::infinity()}, 0, 0x1p40, "NaN or infinite");
  refuses(std::vector<double>(512, 513.0), 0, 0x1p40, "2^49.0, but at level 0 only 2^49.0 fits");
  refuses(std::vector<double>(513), 0, 0x1p40, "513 values do not fit 512 slots");
  refuses({1}, 3, 0x1p40, "level 3 is outside 0 to 2");
  refuses({1}, -1, 0x1p40, "level -1 is outside 0 to 2");
  refuses({1}, 0, 0, "not a positive number");
  const auto other = Context::make(params::CkksParameters::check(testing::small_literal(10, 3, 2)));
  EXPECT_THROW(Encoder(other).decode(encoder.encode(std::vector<double>{1}, 0, 0x1p40)), base::KeyMismatch);
}

TEST(IntegerPolynomial, ReducesSmallLargeAndHugeNumbers) {
  const ring::Modulus q((std::uint64_t{1} << 40) - 87), small(1000003);
  const std::vector<double> c = {0, 1, -1, 0x1p39, -0x1p45, 12345678901234.0, 0.5, -2.5};
  const IntegerPolynomial p(c);
  std::vector<std::uint64_t> out(8);
  for (const ring::Modulus& m : {q, small}) {
    p.reduce(out, m);
    for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(out[i], m.reduce_signed(std::llrint(c[i]))) << c[i];
  }
  const IntegerPolynomial huge(std::vector<double>{0x1p100, -0x1.8p90, 0, 0, 0, 0, 0, 0x1p62});
  huge.reduce(out, q);
  EXPECT_EQ(out[0], q.pow(2, 100));
  EXPECT_EQ(out[1], q.negate(q.mul(3, q.pow(2, 89))));
  EXPECT_EQ(out[7], q.pow(2, 62));
}

TEST(CentredToDouble, CoversBothHalves) {
  const std::vector<ring::Modulus> primes = {ring::Modulus(97), ring::Modulus(193)};
  const std::int64_t half = (97 * 193 - 1) / 2;
  const std::vector<std::int64_t> values = {0, 1, -1, half, -half, 96, -97, 1234};
  std::vector<std::uint64_t> a, b;
  for (const std::int64_t v : values) {
    a.push_back(primes[0].reduce_signed(v));
    b.push_back(primes[1].reduce_signed(v));
  }
  const std::uint64_t* limbs[] = {a.data(), b.data()};
  std::vector<double> out(values.size());
  centred_to_double(limbs, primes, out);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(out[i], static_cast<double>(values[i]));
}

// Numbers of four primes, of every size, beside what integers of the machine say.
TEST(CentredToDouble, GivesTheNearestDouble) {
  const std::vector<ring::Modulus> primes = {ring::Modulus(97), ring::Modulus(12289), ring::Modulus(40961),
                                             ring::Modulus(786433)};
  std::int64_t product = 1;
  for (const ring::Modulus& q : primes) product *= static_cast<std::int64_t>(q.value());
  std::vector<std::int64_t> values = {product / 2, -(product / 2), product / 2 - 1, 1 - product / 2};
  for (std::int64_t v = 1; v < product / 5; v = v * 3 + 1) {
    values.push_back(v);
    values.push_back(-v);
  }
  std::vector<std::vector<std::uint64_t>> rows(primes.size());
  std::vector<const std::uint64_t*> limbs;
  for (std::size_t j = 0; j < primes.size(); ++j) {
    for (const std::int64_t v : values) rows[j].push_back(primes[j].reduce_signed(v));
    limbs.push_back(rows[j].data());
  }
  std::vector<double> out(values.size());
  centred_to_double(limbs, primes, out);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(out[i], static_cast<double>(values[i])) << i;
}

}  // namespace
}  // namespace tacit::scheme::ckks
