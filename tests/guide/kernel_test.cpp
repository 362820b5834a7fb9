// What docs/add-a-kernel.md shows: a kernel for three instruction sets, compared with each other and with its meaning.

#include <gtest/gtest.h>

#include <string>

#include "halve/kernels.h"
#include "ring/primes_for_test.h"
#include "ring/simd/dispatch.h"

namespace tacit::guide {
namespace {

using ring::Modulus;
using Words = base::AlignedVector<std::uint64_t>;

constexpr std::size_t kN = 264;

/// Primes of every length: the largest and the smallest.
std::vector<Modulus> primes() {
  std::vector<Modulus> result;
  for (int bits = 20; bits <= 50; ++bits) {
    result.push_back(ring::testing::largest_primes(bits, 64, 1)[0]);
    result.push_back(ring::testing::smallest_prime(bits, 64));
  }
  return result;
}

/// Random words, all 0, all q - 1, and 0 and q - 1 in turn.
std::vector<Words> inputs(const Modulus& q, std::mt19937_64& random) {
  std::vector<Words> all{ring::testing::words(kN, q, random), Words(kN, 0), Words(kN, q.value() - 1), Words(kN, 0)};
  for (std::size_t i = 0; i < kN; i += 2) all[3][i] = q.value() - 1;
  return all;
}

// guide: agree
class GuideKernel : public testing::TestWithParam<base::Isa> {
 protected:
  void SetUp() override {
    if (!base::isa_supported(GetParam())) GTEST_SKIP() << "this processor lacks " << base::isa_name(GetParam());
  }
  std::mt19937_64 random_{11};
};

TEST_P(GuideKernel, GivesTheBitsOfThePortableOne) {
  for (const Modulus& q : primes())
    for (const Words& a : inputs(q, random_)) {
      Words x(kN), y = a;
      kernels_of(base::Isa::portable).halve(x.data(), a.data(), kN, q.words());
      kernels_of(GetParam()).halve(y.data(), y.data(), kN, q.words());  // in place
      ASSERT_EQ(x, y) << "q " << q.value();
    }
}
// guide: end

// guide: meaning
TEST_P(GuideKernel, TwiceTheHalfIsTheWhole) {
  for (const Modulus& q : primes())
    for (const Words& a : inputs(q, random_)) {
      Words half(kN), twice(kN);
      kernels_of(GetParam()).halve(half.data(), a.data(), kN, q.words());
      ring::simd::kernels_of(GetParam()).add(twice.data(), half.data(), half.data(), kN, q.words());
      ASSERT_EQ(twice, a) << "q " << q.value();
      for (const std::uint64_t word : half) ASSERT_LT(word, q.value());
    }
}

INSTANTIATE_TEST_SUITE_P(Isas, GuideKernel,
                         testing::Values(base::Isa::portable, base::Isa::avx2, base::Isa::avx512ifma),
                         [](const auto& isa) { return std::string(base::isa_name(isa.param)); });
// guide: end

}  // namespace
}  // namespace tacit::guide
