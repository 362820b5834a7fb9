#include "ring/limb.h"

#include <gtest/gtest.h>

#include <bit>

#include "ring/bit_reversal.h"
#include "ring/primes_for_test.h"

namespace tacit::ring {
namespace {

using Words = base::AlignedVector<std::uint64_t>;
constexpr std::size_t kWords = 1000;

class Limb : public ::testing::TestWithParam<int> {
 protected:
  Modulus q_ = testing::largest_primes(GetParam(), 1 << 10, 1)[0];
  std::mt19937_64 random_{7};
  Words a_ = testing::words(kWords, q_, random_);
  Words b_ = testing::words(kWords, q_, random_);
  Words out_ = testing::words(kWords, q_, random_);
};

TEST_P(Limb, ElementwiseOperations) {
  const std::uint64_t w = q_.value() - 2;
  const Words before = out_;
  limb::multiply_add(out_.data(), a_.data(), b_.data(), kWords, q_);
  for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(out_[i], q_.add(before[i], q_.mul(a_[i], b_[i])));
  limb::add(out_.data(), a_.data(), b_.data(), kWords, q_);
  for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(out_[i], q_.add(a_[i], b_[i]));
  limb::sub(out_.data(), a_.data(), b_.data(), kWords, q_);
  for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(out_[i], q_.sub(a_[i], b_[i]));
  limb::negate(out_.data(), a_.data(), kWords, q_);
  for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(out_[i], q_.negate(a_[i]));
  limb::multiply(out_.data(), a_.data(), b_.data(), kWords, q_);
  for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(out_[i], q_.mul(a_[i], b_[i]));
  limb::multiply_scalar(out_.data(), a_.data(), w, kWords, q_);
  for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(out_[i], q_.mul(a_[i], w));
  limb::sub_multiply_scalar(out_.data(), a_.data(), b_.data(), w, kWords, q_);
  for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(out_[i], q_.mul(q_.sub(a_[i], b_[i]), w));
  limb::add_scalar(out_.data(), a_.data(), w, kWords, q_);
  for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(out_[i], q_.add(a_[i], w));
}

TEST_P(Limb, OutputMayBeAnInput) {
  Words x = a_;
  limb::multiply(x.data(), x.data(), x.data(), kWords, q_);
  for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(x[i], q_.mul(a_[i], a_[i]));
}

TEST_P(Limb, DotOfManyExtremeTerms) {
  for (const std::size_t count : {0u, 1u, 2u, 17u, 4097u, 9000u}) {
    const Words top(8, q_.value() - 1);
    const std::vector<limb::FactorRow> left(count, {top.data()});
    const std::vector<const std::uint64_t*> right(count, top.data());
    limb::dot(out_.data(), left, right, 8, q_);
    for (std::size_t i = 0; i < 8; ++i) ASSERT_EQ(out_[i], q_.reduce(count)) << count;  // (-1) * (-1) each
  }
  const limb::FactorRow left[] = {{a_.data()}, {b_.data()}, {a_.data()}};
  const std::uint64_t* right[] = {b_.data(), b_.data(), a_.data()};
  limb::dot(out_.data(), left, right, kWords, q_);
  for (std::size_t i = 0; i < kWords; ++i)
    ASSERT_EQ(out_[i], q_.add(q_.mul(a_[i], b_[i]), q_.add(q_.mul(b_[i], b_[i]), q_.mul(a_[i], a_[i]))));
}

TEST_P(Limb, DotReadsFactorsThatRepeat) {
  for (std::size_t log_times = 0; std::size_t{1} << log_times <= kWords; ++log_times) {
    const limb::FactorRow left[] = {{a_.data(), log_times}, limb::constant(b_[3]), {b_.data()}};
    const std::uint64_t* right[] = {b_.data(), a_.data(), a_.data()};
    limb::dot(out_.data(), left, right, kWords, q_);
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::uint64_t repeated = q_.mul(a_[i >> log_times], b_[i]), constant = q_.mul(b_[3], a_[i]);
      ASSERT_EQ(out_[i], q_.add(q_.add(repeated, constant), q_.mul(a_[i], b_[i]))) << i << ", " << log_times;
    }
  }
}

TEST_P(Limb, SwitchesModulusAroundZero) {
  for (const int bits : {20, 37, 50}) {
    const Modulus to = testing::smallest_prime(bits, 1 << 10);
    limb::switch_modulus_centered(out_.data(), a_.data(), kWords, q_, to);
    for (std::size_t i = 0; i < kWords; ++i) {
      const auto value = static_cast<std::int64_t>(a_[i]);
      const auto q = static_cast<std::int64_t>(q_.value());
      ASSERT_EQ(out_[i], to.reduce_signed(value > q / 2 ? value - q : value));
    }
  }
}

TEST_P(Limb, Permutes) {
  for (std::size_t n = 8; n <= limb::kPermutedWords; n *= 2) {
    const auto bits = static_cast<unsigned>(std::countr_zero(n));
    const auto a = testing::words(n, q_, random_);
    base::AlignedVector<std::uint64_t> out(n);
    for (const limb::AffineMap map : {limb::AffineMap{1, 0}, {5, 3}, {131071, 511}, {2 * 77 + 1, 200}}) {
      limb::permute(out.data(), a.data(), map, n);
      for (std::size_t x = 0; x < n; ++x)
        ASSERT_EQ(out[reverse_bits(x, bits)], a[reverse_bits((map.multiplier * x + map.offset) % n, bits)]) << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, Limb, ::testing::Values(20, 31, 40, 49, 50));

}  // namespace
}  // namespace tacit::ring
