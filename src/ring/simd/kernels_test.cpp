#include "ring/simd/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/instruction_set_for_test.h"
#include "ring/base_converter.h"
#include "ring/ntt.h"
#include "ring/primes_for_test.h"
#include "ring/simd/dispatch.h"

namespace tacit::ring {
namespace {

using Words = base::AlignedVector<std::uint64_t>;

/// Every instruction set beyond portable, compared with portable; skipped where the processor lacks it.
class KernelsAgree : public base::OnInstructionSet {
 protected:
  const simd::Kernels& portable_ = simd::kernels_of(base::Isa::portable);
  const simd::Kernels& other_ = simd::kernels_of(GetParam());
  std::mt19937_64 random_{11};
};

/// Primes of every length from 20 to 50 bits: the largest, whose windows are tightest, and the smallest; and the
/// largest below 2^52 / 5.
std::vector<Modulus> all_primes(std::uint64_t step, int bits_above_step = 2) {
  std::vector<Modulus> primes;
  for (int bits = 20; bits <= 50; ++bits) {
    if (std::uint64_t{1} << (bits - bits_above_step) <= step) continue;
    primes.push_back(testing::largest_primes(bits, step, 1)[0]);
    primes.push_back(testing::smallest_prime(bits, step));
  }
  primes.push_back(testing::largest_primes_below((std::uint64_t{1} << 52) / 5, step, 1)[0]);
  return primes;
}

struct Transform {
  Modulus q;
  Kind kind;
  bool scarce_multipliers;
};

/// What transforms of this degree are compared on: of large degrees, the longest primes and a few others. The
/// instructions for 50 bits depend on the processor.
std::vector<Transform> transforms(std::size_t n) {
  std::vector<Transform> result;
  for (const Kind kind : {Kind::negacyclic, Kind::conjugate_invariant})
    for (const Modulus& q : all_primes(root_order(n, kind), kind == Kind::negacyclic ? 2 : 5)) {
      const auto bits = static_cast<unsigned>(q.words().bits);
      if (n >= 1 << 12 && bits < (kind == Kind::negacyclic ? 46U : 50U) && bits % 20 != 0) continue;
      result.push_back({q, kind, false});
      if (bits == 50) result.push_back({q, kind, true});
    }
  return result;
}

/// Random words, all 0, all q - 1, and 0 and q - 1 in turn.
std::vector<Words> inputs(std::size_t n, const Modulus& q, std::mt19937_64& random) {
  std::vector<Words> all{testing::words(n, q, random), Words(n, 0), Words(n, q.value() - 1), Words(n, 0)};
  for (std::size_t i = 0; i < n; i += 2) all[3][i] = q.value() - 1;
  return all;
}

TEST_P(KernelsAgree, OnTransforms) {
  for (std::size_t n = 8; n <= std::size_t{1} << 17; n *= 2)
    for (const auto& [q, kind, scarce] : transforms(n)) {
      const NttTables expected(q, n, base::Isa::portable, kind), tables(q, n, GetParam(), kind, scarce);
      for (const Words& input : inputs(n, q, random_)) {
        Words a = input, b = input;
        expected.forward(a.data());
        tables.forward(b.data());
        ASSERT_EQ(a, b) << "forward, n " << n << ", q " << q.value();
        a = b = input;
        expected.inverse(a.data());
        tables.inverse(b.data());
        ASSERT_EQ(a, b) << "inverse, n " << n << ", q " << q.value();
      }
    }
}

/// The tiled transform of every instruction set gives the values of the whole one, and back.
TEST_P(KernelsAgree, OnTiledTransforms) {
  for (std::size_t n = 8; n <= std::size_t{1} << 17; n *= 2)
    for (const auto& [q, kind, scarce] : transforms(n)) {
      const NttTables tables(q, n, GetParam(), kind, scarce);
      const NttTables::Tiling& tiling = tables.tiling();
      ASSERT_EQ(tiling.tiles * tiling.tile_words, n);
      ASSERT_EQ(tiling.blocks * tiling.block_words, n);
      for (const Words& input : inputs(n, q, random_)) {
        Words tiled(tiling.words()), back(tiling.words()), values(n);
        for (std::size_t b = 0; b < tiling.blocks; ++b)
          tables.inverse_block(input.data() + b * tiling.block_words, b, {tiled.data(), b % 2 == 0});
        for (std::size_t t = 0; t < tiling.tiles; ++t)
          tables.inverse_tile(tiled.data() + t * tiling.tile_stride, back.data() + t * tiling.tile_stride);

        // The tiles hold the coefficients in some order.
        Words coefficients = input, sorted;
        tables.inverse(coefficients.data());
        for (std::size_t t = 0; t < tiling.tiles; ++t)
          sorted.insert(sorted.end(), back.data() + t * tiling.tile_stride,
                        back.data() + t * tiling.tile_stride + tiling.tile_words);
        std::ranges::sort(coefficients);
        std::ranges::sort(sorted);
        ASSERT_EQ(coefficients, sorted) << "inverse, n " << n << ", q " << q.value();

        for (std::uint64_t& word : back)
          if (random_() % 2 == 0) word += q.value();
        const bool around = random_() % 2 == 0 && tiling.tiles > 1;
        for (std::size_t t = 0; t < tiling.tiles; ++t)
          tables.forward_tile(back.data() + t * tiling.tile_stride, {tiled.data() + t * tiling.tile_stride, around});
        for (std::size_t b = 0; b < tiling.blocks; ++b)
          tables.forward_block(tiled.data(), b, values.data() + b * tiling.block_words);
        ASSERT_EQ(values, input) << "forward, n " << n << ", q " << q.value();
        for (std::size_t b = 0; b < tiling.blocks; ++b)
          tables.forward_block_lazy(tiled.data(), b, values.data() + b * tiling.block_words);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(values[i] % (std::uint64_t{1} << 52) % q.value(), input[i]) << "n " << n << ", q " << q.value();
      }
    }
}

TEST_P(KernelsAgree, OnElementwiseOperations) {
  constexpr std::size_t kN = 264;
  for (const Modulus& q : all_primes(64)) {
    const simd::ModulusWords& m = q.words();
    const std::vector<Words> all = inputs(kN, q, random_);
    for (const Words& a : all)
      for (const Words& b : all) {
        const auto same = [&](const char* name, auto&& run) {
          Words x = a, y = a;
          run(portable_, x.data());
          run(other_, y.data());
          ASSERT_EQ(x, y) << name << ", q " << q.value();
        };
        same("add", [&](auto& k, auto* out) { k.add(out, a.data(), b.data(), kN, m); });
        same("sub", [&](auto& k, auto* out) { k.sub(out, a.data(), b.data(), kN, m); });
        same("negate", [&](auto& k, auto* out) { k.negate(out, b.data(), kN, m); });
        same("multiply", [&](auto& k, auto* out) { k.multiply(out, a.data(), b.data(), kN, m); });
        same("multiply_add", [&](auto& k, auto* out) { k.multiply_add(out, a.data(), b.data(), kN, m); });
        for (const std::uint64_t w : {std::uint64_t{0}, std::uint64_t{1}, q.value() - 1, b[0], q.value() / 2}) {
          same("multiply_scalar", [&](auto& k, auto* out) { k.multiply_scalar(out, b.data(), w, q.shoup(w), kN, m); });
          same("sub_multiply_scalar",
               [&](auto& k, auto* out) { k.sub_multiply_scalar(out, a.data(), b.data(), w, q.shoup(w), kN, m); });
          same("mirror_add", [&](auto& k, auto* out) { k.mirror_add(out, w, q.shoup(w), 256, m); });
          same("add_scalar", [&](auto& k, auto* out) { k.add_scalar(out, b.data(), w, kN, m); });
        }
        for (const std::size_t count : {0, 1, 2, 3, 16, 17, 40}) {
          std::vector<simd::FactorRow> left(count);
          std::vector<const std::uint64_t*> other(count, a.data()), right(count, b.data());
          for (std::size_t i = 0; i < count; ++i) {
            if (i % 3 == 0) other[i] = right[i] = all[2].data();
            left[i] = {other[i], i % 2 == 0 ? 0 : i / 2 % 10};
          }
          same("dot", [&](auto& k, auto* out) { k.dot(out, left.data(), right.data(), count, kN, m); });
        }
      }
    for (const Modulus& to : all_primes(1 << 12))
      for (const Words& a : all) {
        Words x(kN), y(kN);
        portable_.switch_modulus(x.data(), a.data(), kN, m, to.words());
        other_.switch_modulus(y.data(), a.data(), kN, m, to.words());
        ASSERT_EQ(x, y) << "switch_modulus, " << q.value() << " to " << to.value();
      }
  }
}

/// Both sums of every pair.
std::vector<Words> pair_sums(const simd::Kernels& kernels, std::size_t pairs, const std::vector<simd::FactorRow>& a,
                             const std::vector<const std::uint64_t*>& b0, const std::vector<const std::uint64_t*>& b1,
                             std::size_t n, const Modulus& q) {
  std::vector<Words> result(2 * pairs, Words(n));
  std::vector<std::uint64_t*> out;
  for (Words& sum : result) out.push_back(sum.data());
  kernels.dot_pairs(out.data(), pairs, a.data(), b0.data(), b1.data(), b0.size(), n, q.words());
  return result;
}

TEST_P(KernelsAgree, OnSeveralDotProductsOfTheSameRows) {
  constexpr std::size_t kN = 264, kMixed = 64;
  for (const int bits : {20, 47, 50}) {
    const Modulus q = testing::largest_primes(bits, 64, 1)[0];
    const std::vector<Words> all = inputs(kN, q, random_);
    for (const std::size_t count : {0, 1, 3, 17, 40})
      for (const std::size_t log_times : {kMixed, 0UL, 1UL, 2UL, 3UL, 9UL, 63UL})
        for (std::size_t pairs = 1; pairs <= 7; ++pairs) {
          std::vector<const std::uint64_t*> b0, b1;
          for (std::size_t i = 0; i < count; ++i) {
            b0.push_back(all[i % all.size()].data());
            b1.push_back(all[(i + 1) % all.size()].data());
          }
          std::vector<simd::FactorRow> a;
          for (std::size_t k = 0; k < pairs * count; ++k)
            a.push_back({all[k * k % all.size()].data(), log_times == kMixed ? k % 5 : log_times});
          const std::size_t n = kN - (count + pairs) % 2 * 8;
          ASSERT_EQ(pair_sums(portable_, pairs, a, b0, b1, n, q), pair_sums(other_, pairs, a, b0, b1, n, q))
              << count << " terms, " << pairs << " pairs, " << log_times;
        }
  }
}

TEST_P(KernelsAgree, OnLongDotProducts) {
  constexpr std::size_t kN = 8;
  for (const int bits : {20, 50}) {
    const Modulus q = testing::largest_primes(bits, 16, 1)[0];
    const Words top(kN, q.value() - 1);
    for (const std::size_t count : {2047, 2048, 2049, 4096, 10000}) {
      const std::vector<simd::FactorRow> left(count, {top.data(), count % 3});
      const std::vector<const std::uint64_t*> right(count, top.data());
      Words x(kN), y(kN);
      portable_.dot(x.data(), left.data(), right.data(), count, kN, q.words());
      other_.dot(y.data(), left.data(), right.data(), count, kN, q.words());
      ASSERT_EQ(x, y) << count;
    }
  }
}

TEST_P(KernelsAgree, OnSeveralLongDotProducts) {
  constexpr std::size_t kN = 16, kPairs = 4;
  const Modulus q = testing::largest_primes(50, 16, 1)[0];
  const Words top(kN, q.value() - 1);
  for (const std::size_t count : {2047, 2048, 2049}) {
    const std::vector<simd::FactorRow> a(kPairs * count, {top.data(), 0});
    const std::vector<const std::uint64_t*> b(count, top.data());
    ASSERT_EQ(pair_sums(portable_, kPairs, a, b, b, kN, q), pair_sums(other_, kPairs, a, b, b, kN, q)) << count;
  }
}

TEST_P(KernelsAgree, OnPermutations) {
  constexpr std::size_t kN = 1024;
  const Words a = testing::words(kN, Modulus(65537), random_);
  Words x = a, y = a;
  for (std::size_t n = 8; n <= simd::kPermutedWords; n *= 2)
    for (const bool around : {false, true}) {
      const simd::AffineMap map = {static_cast<std::uint32_t>(random_() % 1024 * 2 + 1),
                                   static_cast<std::uint32_t>(random_() % n)};
      portable_.permute(x.data(), a.data(), map, n, false);
      other_.permute(y.data(), a.data(), map, n, around);
      EXPECT_EQ(x, y) << n << ", " << map.multiplier << " x + " << map.offset << ", " << around;
    }
  other_.copy_around(y.data(), a.data(), kN);
  EXPECT_EQ(y, a);
}

TEST_P(KernelsAgree, OnBaseConversions) {
  const std::vector<Modulus> big = testing::largest_primes(50, 1 << 17, 54);
  const std::vector<Modulus> small = testing::largest_primes(20, 1 << 11, 6);
  for (const std::size_t sources : {1, 2, 3, 12, 15, 16, 17, 40})
    for (const std::size_t targets : {1, 2, 3, 4, 7, 13})
      for (const std::size_t n : {8, 24, 512, 776}) {
        std::vector<Modulus> from(big.begin(), big.begin() + static_cast<std::ptrdiff_t>(sources));
        std::vector<Modulus> to(big.begin() + 40, big.begin() + 40 + static_cast<std::ptrdiff_t>(targets));
        from.back() = small[0];
        to.back() = small[1];
        const BaseConverter converter(from, to, base::Isa::portable), other(from, to, GetParam());
        for (int pattern = 0; pattern < 4; ++pattern) {
          std::vector<Words> source;
          for (const Modulus& q : from) source.push_back(inputs(n, q, random_)[static_cast<std::size_t>(pattern)]);
          const auto x = testing::converted(converter, source, n), y = testing::converted(other, source, n);
          ASSERT_EQ(x, y) << sources << " to " << targets << ", n " << n << ", pattern " << pattern;
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Isas, KernelsAgree, ::testing::Values(base::Isa::avx2, base::Isa::avx512ifma),
                         [](const auto& isa) { return std::string(base::isa_name(isa.param)); });

}  // namespace
}  // namespace tacit::ring
