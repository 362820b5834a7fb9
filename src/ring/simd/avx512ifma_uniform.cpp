#include "ring/simd/avx512ifma_draws.h"
#include "ring/simd/tables.h"

namespace tacit::ring::simd {
namespace {

template <int kConstant>
TACIT_INLINE __m128i next_key(__m128i key) {
  const __m128i word = _mm_shuffle_epi32(_mm_aeskeygenassist_si128(key, kConstant), 0xff);
  key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
  key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
  return _mm_xor_si128(key, word);
}

constexpr std::size_t kVectors = kUniformTile / 8;

}  // namespace

/// The key schedule of AES-128 (FIPS 197, section 5.2).
void uniform_prepare_avx512ifma(UniformWords& words) {
  auto* keys = reinterpret_cast<__m128i*>(words.round_keys);
  __m128i key[kRounds + 1];
  key[0] = _mm_loadu_si128(keys);
  key[1] = next_key<0x01>(key[0]);
  key[2] = next_key<0x02>(key[1]);
  key[3] = next_key<0x04>(key[2]);
  key[4] = next_key<0x08>(key[3]);
  key[5] = next_key<0x10>(key[4]);
  key[6] = next_key<0x20>(key[5]);
  key[7] = next_key<0x40>(key[6]);
  key[8] = next_key<0x80>(key[7]);
  key[9] = next_key<0x1b>(key[8]);
  key[10] = next_key<0x36>(key[9]);
  for (int r = 1; r <= kRounds; ++r) _mm_storeu_si128(keys + r, key[r]);
}

void uniform_avx512ifma(std::uint64_t* out, std::size_t at, std::size_t n, const UniformWords& words) {
  const Draws draws(words);
  const Field f(words.modulus);
  const auto nothing = [](std::size_t) {};
  const auto singly = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; i += 8) {
      Vector x[1];
      draws.draw<1>(at + i, x, nothing);
      store(out + i, draws.reduce(f, x[0]));
    }
  };
  const std::size_t gap = (kUniformTile - at % kUniformTile) % kUniformTile, first = gap < n ? gap : n;
  singly(0, first);
  std::size_t i = first;
  if (i + kUniformTile <= n) {
    Vector before[kVectors];
    draws.draw<kVectors>(at + i, before, nothing);
    for (i += kUniformTile; i + kUniformTile <= n; i += kUniformTile) {
      Vector x[kVectors];
      draws.draw<kVectors>(
          at + i, x, [&](std::size_t round) __attribute__((always_inline)) {
            if (round % 2 == 0 && round < 2 * kVectors)
              store(out + i - kUniformTile + 4 * round, draws.reduce(f, before[round / 2]));
          });
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) before[v] = x[v];
    }
    for (std::size_t v = 0; v < kVectors; ++v) store(out + i - kUniformTile + 8 * v, draws.reduce(f, before[v]));
  }
  singly(i, n);
}

}  // namespace tacit::ring::simd
