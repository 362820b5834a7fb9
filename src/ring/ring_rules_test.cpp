#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/refusal_for_test.h"
#include "ring/automorphism.h"
#include "ring/base_converter.h"
#include "ring/bit_reversal.h"
#include "ring/embedding.h"
#include "ring/negacyclic_fft.h"
#include "ring/ntt.h"
#include "ring/primes_for_test.h"
#include "ring/rns_poly.h"
#include "ring/sampler.h"
#include "ring/uniform_row.h"

namespace tacit::ring {
namespace {

__extension__ using Integer128 = unsigned __int128;

TEST(ModulusWords, AreTheirDefinitions) {
  std::vector<std::uint64_t> values{3, 5, 7, 65537, (std::uint64_t{1} << 49) + 1, (std::uint64_t{1} << 50) - 1};
  for (const int bits : {20, 33, 50}) values.push_back(testing::largest_primes(bits, 64, 1)[0].value());
  for (const std::uint64_t q : values) {
    if (q == (std::uint64_t{1} << 49) + 1 || q == (std::uint64_t{1} << 50) - 1) {
      // Not prime, but odd: 2^52 has an inverse all the same.
      ASSERT_EQ(q % 2, 1u);
    }
    const Modulus modulus(q);
    const simd::ModulusWords& words = modulus.words();
    EXPECT_EQ(words.q, q);
    std::uint64_t bits = 0;
    while (q >> bits != 0) ++bits;
    EXPECT_EQ(words.bits, bits) << q;
    EXPECT_EQ(words.ratio64, static_cast<std::uint64_t>((Integer128{1} << 64) / q)) << q;
    EXPECT_EQ(words.ratio52, (std::uint64_t{1} << 52) / q) << q;
    EXPECT_EQ(words.mu, static_cast<std::uint64_t>((Integer128{1} << (bits + 51)) / q)) << q;
    const std::uint64_t two52 = (std::uint64_t{1} << 52) % q,
                        two104 = static_cast<std::uint64_t>((Integer128{1} << 104) % q);
    EXPECT_EQ(words.two52, two52) << q;
    EXPECT_EQ(words.two104, two104) << q;
    EXPECT_EQ(words.two52_shoup, static_cast<std::uint64_t>((Integer128{two52} << 52) / q)) << q;
    EXPECT_EQ(words.two104_shoup, static_cast<std::uint64_t>((Integer128{two104} << 52) / q)) << q;
    EXPECT_EQ(words.inverse52 * q % (std::uint64_t{1} << 52), 1u) << q;
    EXPECT_LT(words.inverse52, std::uint64_t{1} << 52);
    EXPECT_EQ(static_cast<std::uint64_t>(Integer128{words.two52_inverse} * two52 % q), 1u) << q;
    for (const std::uint64_t w : {std::uint64_t{0}, std::uint64_t{1}, q / 2, q - 1}) {
      EXPECT_EQ(modulus.shoup(w), static_cast<std::uint64_t>((Integer128{w} << 52) / q)) << w;
      EXPECT_EQ(modulus.times_two52(w), static_cast<std::uint64_t>((Integer128{w} << 52) % q)) << w;
    }
    EXPECT_EQ(modulus.pow(2, 0), 1u);
    EXPECT_EQ(modulus.pow(2, 1), 2u);
    EXPECT_EQ(modulus.pow(q - 1, 3), q - 1);
  }
}

TEST(RingRefusals, NameTheNumbersThatDoNotFit) {
  const auto why = [](const auto& body) { return base::refusal(body); };
  const std::string bound = ": expected an odd prime above 2 and below 2^50";
  EXPECT_EQ(why([] { Modulus(2); }), "modulus 2" + bound);
  EXPECT_EQ(why([] { Modulus(1); }), "modulus 1" + bound);
  EXPECT_EQ(why([] { Modulus(10); }), "modulus 10" + bound);
  EXPECT_EQ(why([] { Modulus(1125899906842625); }), "modulus 1125899906842625" + bound);
  EXPECT_EQ(why([] { Modulus(1125899906842623); }), base::kNotRefused);
  EXPECT_EQ(why([] { Modulus(3); }), base::kNotRefused);
  EXPECT_EQ(base::refusal<base::InternalError>([] { Modulus(15).inverse(5); }), "5 has no inverse modulo 15");

  const Modulus q(65537);
  EXPECT_EQ(why([&] { NttTables(q, 24); }), "NTT degree 24: expected a power of two from 2^3 to 2^17");
  EXPECT_EQ(why([&] { NttTables(q, 4); }), "NTT degree 4: expected a power of two from 2^3 to 2^17");
  EXPECT_EQ(why([&] { NttTables(q, 262144); }), "NTT degree 262144: expected a power of two from 2^3 to 2^17");
  EXPECT_EQ(why([&] { NttTables(q, 8); }), base::kNotRefused);
  EXPECT_EQ(why([&] { NttTables(q, 32768); }), base::kNotRefused);
  EXPECT_EQ(why([&] { NttTables(q, 65536); }),
            "modulus 65537 has no NTT of degree 65536: choose a prime that is 1 modulo 131072");
  EXPECT_EQ(why([&] { NttTables(q, 32768, base::active_isa(), Kind::conjugate_invariant); }),
            "modulus 65537 has no NTT of degree 32768: choose a prime that is 1 modulo 131072");

  const std::vector<Modulus> primes = testing::largest_primes(50, 1 << 8, 66);
  const auto first = [&](std::ptrdiff_t count) { return std::vector<Modulus>(primes.begin(), primes.begin() + count); };
  EXPECT_EQ(why([&] { BaseConverter({}, {q}); }), "base conversion from 0 primes: expected 1 to 64");
  EXPECT_EQ(why([&] { BaseConverter(first(65), {q}); }), "base conversion from 65 primes: expected 1 to 64");
  EXPECT_EQ(why([&] { BaseConverter(first(64), {q}); }), base::kNotRefused);
  EXPECT_EQ(why([&] { BaseConverter(first(2), {q}, base::active_isa(), {1}); }),
            "base conversion from 2 primes: the scale has 1 residues");
  EXPECT_EQ(why([&] {
              BaseConverter({primes[0], q, q}, {primes[1]});
            }),
            "base conversion: the prime 65537 occurs twice");

  EXPECT_EQ(why([] { automorphism_map(2, 64); }), "Galois element 2: expected a number below 128 that is 1 modulo 2");
  EXPECT_EQ(why([] { automorphism_map(129, 64); }),
            "Galois element 129: expected a number below 128 that is 1 modulo 2");
  EXPECT_EQ(why([] { automorphism_map(127, 64); }), base::kNotRefused);
  EXPECT_EQ(why([] { automorphism_map(3, 64, Kind::conjugate_invariant); }),
            "Galois element 3: expected a number below 256 that is 1 modulo 4");
  EXPECT_EQ(why([] { automorphism_map(253, 64, Kind::conjugate_invariant); }), base::kNotRefused);
  EXPECT_EQ(why([] { automorphism_map(257, 64, Kind::conjugate_invariant); }),
            "Galois element 257: expected a number below 256 that is 1 modulo 4");

  EXPECT_EQ(why([] { Embedding(12); }), "embedding of 12 slots: expected a power of two");
  EXPECT_EQ(why([] { Embedding(0); }), "embedding of 0 slots: expected a power of two");
  EXPECT_EQ(why([] { Embedding(1); }), base::kNotRefused);
  for (const std::size_t n : {0, 128, 384, 131072})
    EXPECT_EQ(why([&] { NegacyclicFft{n}; }),
              fmt::format("FFT of polynomials of degree {}: expected a power of two from 256 to 65536", n));
  EXPECT_EQ(NegacyclicFft(256).n(), 256u);
  EXPECT_EQ(NegacyclicFft(65536).n(), 65536u);
}

TEST(NttRoots, AreTheSmallestOfTheirOrder) {
  for (const auto& [q, n] : {std::pair<std::uint64_t, std::size_t>{17, 8},
                             {97, 8},
                             {97, 16},
                             {257, 8},
                             {257, 128},
                             {12289, 512},
                             {65537, 8}})
    for (const Kind kind : {Kind::negacyclic, Kind::conjugate_invariant}) {
      const std::size_t order = root_order(n, kind);
      if ((q - 1) % order != 0) continue;
      const Modulus modulus(q);
      std::uint64_t smallest = 1;
      while (modulus.pow(smallest, order / 2) != q - 1) ++smallest;
      EXPECT_EQ(NttTables(modulus, n, base::active_isa(), kind).psi(), smallest) << q << " " << n;
    }
  EXPECT_EQ(root_order(64, Kind::negacyclic), 128u);
  EXPECT_EQ(root_order(64, Kind::conjugate_invariant), 256u);
  EXPECT_EQ(slot_count(64, Kind::negacyclic), 32u);
  EXPECT_EQ(slot_count(64, Kind::conjugate_invariant), 64u);
  EXPECT_EQ(reverse_bits(0b00110, 5), 0b01100u);
  EXPECT_EQ(reverse_bits(1, 1), 1u);
  EXPECT_EQ(reverse_bits(0, 0), 0u);
}

TEST(GaloisElements, ArePowersOfFiveInEitherRing) {
  for (const std::size_t n : {8, 64})
    for (const Kind kind : {Kind::negacyclic, Kind::conjugate_invariant}) {
      const std::size_t order = root_order(n, kind), slots = slot_count(n, kind);
      std::uint64_t power = 1;
      for (std::size_t steps = 0; steps <= 2 * slots; ++steps, power = power * 5 % order) {
        const auto signed_steps = static_cast<std::int64_t>(steps);
        EXPECT_EQ(rotation_element(signed_steps, n, kind), power) << steps;
        const std::uint64_t back = rotation_element(-signed_steps, n, kind);
        EXPECT_EQ(back * power % order, 1u) << steps;
        EXPECT_EQ(inverse_element(power, n, kind), back) << steps;
        const simd::AffineMap map = automorphism_map(power, n, kind);
        EXPECT_EQ(map.multiplier, power);
        EXPECT_EQ(map.offset, (power - 1) / (kind == Kind::negacyclic ? 2 : 4));
      }
    }
  EXPECT_EQ(conjugation_element(8), 15u);
}

TEST(PolynomialRows, LieALineBeyondTheirWords) {
  for (const auto& [n, stride] :
       {std::pair<std::size_t, std::ptrdiff_t>{8, 16}, {12, 24}, {16, 24}, {64, 72}, {1, 16}}) {
    NttPoly poly(n, 2);
    EXPECT_EQ(poly.limb(1) - poly.limb(0), stride) << n;
    EXPECT_EQ(poly.n(), n);
    EXPECT_EQ(poly.limbs(), 2u);
    EXPECT_EQ(poly.limb_span(1).size(), n);
    EXPECT_EQ(std::as_const(poly).limb(1), poly.limb(1));
    EXPECT_EQ(std::as_const(poly).limb_span(1).data(), poly.limb(1));
  }
}

base::Seed seed_of(std::uint8_t first) { return {first, 1, 2, 3}; }

TEST(SamplerStreams, TernaryTakesTwoBitsADrawFromTheLowest) {
  std::vector<std::int8_t> drawn(1000);
  base::Csprng random(seed_of(5)), words(seed_of(5));
  sample_ternary(drawn, random);
  std::vector<std::int8_t> expected;
  while (expected.size() < drawn.size()) {
    const std::uint64_t word = words.next();
    for (unsigned shift = 0; shift < 64 && expected.size() < drawn.size(); shift += 2)
      if (const auto pair = static_cast<int>(word >> shift & 3); pair != 3)
        expected.push_back(static_cast<std::int8_t>(pair - 1));
  }
  EXPECT_EQ(drawn, expected);
  EXPECT_EQ(random.next(), words.next());
}

TEST(SamplerStreams, SparseTakesPlaceAndSignFromOneWord) {
  std::vector<std::int8_t> drawn(64, 9), expected(64, 0);
  base::Csprng random(seed_of(6)), words(seed_of(6));
  sample_sparse(drawn, 32, random);
  for (int placed = 0; placed < 32;) {
    const std::uint64_t word = words.next();
    std::int8_t& at = expected[word % 64];
    if (at != 0) continue;
    at = word >> 63 != 0 ? -1 : 1;
    ++placed;
  }
  EXPECT_EQ(drawn, expected);
  EXPECT_EQ(random.next(), words.next());
}

TEST(SamplerStreams, GaussianIsTheInverseOfTheRoundedDistribution) {
  std::vector<std::int8_t> drawn(20000);
  base::Csprng random(seed_of(7)), words(seed_of(7));
  sample_gaussian(drawn, random);
  // P(x <= k) of the normal distribution, whose tails beyond 19.5 take 1e-9: draws nearer to a step than that are open.
  const auto below = [](double x) { return 0.5 * std::erfc(-x / (3.19 * std::sqrt(2.0))); };
  std::size_t open = 0;
  for (const std::int8_t value : drawn) {
    const double position = std::ldexp(static_cast<double>(words.next()), -64);
    const double low = below(value - 0.5), high = below(value + 0.5);
    open += position < low + 1e-8 || position > high - 1e-8 ? 1 : 0;
    ASSERT_TRUE(position > low - 1e-8 && position < high + 1e-8) << static_cast<int>(value);
  }
  EXPECT_LT(open, 3u);
}

/// What the header says, over one block of AES-128 at a time.
std::vector<std::uint64_t> expanded(const base::Seed& seed, std::uint64_t row, std::uint64_t q, std::size_t at,
                                    std::size_t count) {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> cipher(EVP_CIPHER_CTX_new(),
                                                                               EVP_CIPHER_CTX_free);
  EXPECT_EQ(EVP_EncryptInit_ex(cipher.get(), EVP_aes_128_ecb(), nullptr, seed.data(), nullptr), 1);
  unsigned bits = 0;
  while (q >> bits != 0) ++bits;
  while (bits < 52 && (std::uint64_t{1} << bits) % q * 1024 > std::uint64_t{1} << bits) ++bits;
  const std::uint64_t end = (std::uint64_t{1} << bits) / q * q;
  std::vector<std::uint64_t> words;
  for (std::size_t p = at; p < at + count; ++p)
    for (std::uint64_t draw = 0;; ++draw) {
      std::uint64_t block[2] = {p / 2 + (draw << 32), row}, tweak[2];
      std::memcpy(tweak, seed.data() + 16, 16);
      for (std::size_t half = 0; half < 2; ++half) block[half] ^= tweak[half];
      int written = 0;
      unsigned char cipher_text[16];
      EXPECT_EQ(EVP_EncryptUpdate(cipher.get(), cipher_text, &written, reinterpret_cast<unsigned char*>(block), 16), 1);
      std::memcpy(block, cipher_text, 16);
      const std::uint64_t drawn = block[p % 2] >> (64 - bits);
      if (drawn >= end) continue;
      words.push_back(drawn % q);
      break;
    }
  return words;
}

TEST(UniformRows, AreFirstDrawsBelowTheLargestMultiple) {
  base::Seed seed;
  for (std::size_t i = 0; i < seed.size(); ++i) seed[i] = static_cast<std::uint8_t>(11 + 53 * i);
  std::vector<Modulus> primes{Modulus((std::uint64_t{1} << 52) / 5)};
  for (const int bits : {20, 31, 48, 49, 50}) {
    primes.push_back(testing::smallest_prime(bits, 64));
    primes.push_back(testing::largest_primes(bits, 64, 1)[0]);
  }
  for (const Modulus& q : primes)
    for (const base::Isa isa : {base::Isa::portable, base::Isa::avx2, base::Isa::avx512ifma}) {
      if (!base::isa_supported(isa)) continue;
      for (const std::uint64_t row : {std::uint64_t{0}, std::uint64_t{7} << 32 | 3, ~std::uint64_t{0}}) {
        const UniformRow uniform(seed, row, q, isa);
        for (const auto& [at, count] : {std::pair<std::size_t, std::size_t>{0, 8}, {8, 16}, {120, 200}, {1024, 32}}) {
          std::vector<std::uint64_t> words(count);
          uniform.fill(at, words);
          ASSERT_EQ(words, expanded(seed, row, q.value(), at, count))
              << base::isa_name(isa) << ", q " << q.value() << ", row " << row << ", at " << at;
        }
      }
    }
}

}  // namespace
}  // namespace tacit::ring
