#include "ring/modulus.h"

#include <gtest/gtest.h>

#include "ring/primes_for_test.h"

namespace tacit::ring {
namespace {

__extension__ using Wide = unsigned __int128;

TEST(Modulus, AgreesWithWideArithmetic) {
  std::mt19937_64 random(1);
  for (const std::uint64_t value : std::initializer_list<std::uint64_t>{3, 5, 65537, (1ull << 40) + 1, (1ull << 49) + 1,
                                                                        (1ull << 50) - 27, (1ull << 50) - 1}) {
    const Modulus q(value);
    for (int i = 0; i < 2000; ++i) {
      const bool extreme = i < 4;
      const std::uint64_t a = extreme ? (i & 1 ? value - 1 : 0) : random() % value;
      const std::uint64_t b = extreme ? (i & 2 ? value - 1 : 0) : random() % value;
      EXPECT_EQ(q.add(a, b), (a + b) % value);
      EXPECT_EQ(q.sub(a, b), (a + value - b) % value);
      EXPECT_EQ(q.negate(a), (value - a) % value);
      EXPECT_EQ(q.mul(a, b), static_cast<std::uint64_t>(static_cast<Wide>(a) * b % value));
      const std::uint64_t word = extreme ? ~std::uint64_t{0} - static_cast<std::uint64_t>(i) : random();
      EXPECT_EQ(q.reduce(word), word % value);
      const auto word_signed = static_cast<std::int64_t>(word);
      const auto remainder = static_cast<std::int64_t>(word_signed % static_cast<std::int64_t>(value));
      EXPECT_EQ(q.reduce_signed(word_signed),
                static_cast<std::uint64_t>(remainder < 0 ? remainder + static_cast<std::int64_t>(value) : remainder));
    }
    EXPECT_EQ(q.reduce_signed(INT64_MIN), (value - (std::uint64_t{1} << 63) % value) % value);
  }
}

TEST(Modulus, InverseAndPower) {
  std::mt19937_64 random(2);
  for (const int bits : {20, 35, 50}) {
    const Modulus q = testing::largest_primes(bits, 1 << 10, 1)[0];
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t a = random() % (q.value() - 1) + 1;
      EXPECT_EQ(q.mul(a, q.inverse(a)), 1u);
      EXPECT_EQ(q.pow(a, q.value() - 2), q.inverse(a));
    }
    EXPECT_EQ(q.inverse(q.value() - 1), q.value() - 1);
    EXPECT_THROW(q.inverse(0), base::InternalError);
  }
}

TEST(Modulus, RefusesValuesOutOfRange) {
  EXPECT_THROW(Modulus(0), base::InputError);
  EXPECT_THROW(Modulus(2), base::InputError);
  EXPECT_THROW(Modulus(1 << 20), base::InputError);
  EXPECT_THROW(Modulus(std::uint64_t{1} << 50), base::InputError);
  EXPECT_THROW(Modulus((std::uint64_t{1} << 50) + 1), base::InputError);
}

}  // namespace
}  // namespace tacit::ring
