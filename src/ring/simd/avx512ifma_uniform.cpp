#include "ring/simd/avx512ifma_vector.h"
#include "ring/simd/tables.h"

namespace tacit::ring::simd {
namespace {

constexpr int kRounds = 10;

template <int kConstant>
TACIT_INLINE __m128i next_key(__m128i key) {
  const __m128i word = _mm_shuffle_epi32(_mm_aeskeygenassist_si128(key, kConstant), 0xff);
  key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
  key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
  return _mm_xor_si128(key, word);
}

constexpr std::size_t kVectors = 4, kGroup = 8 * kVectors;

/// Counters of the blocks of a group, in the low halves.
struct Counters {
  alignas(64) Word words[kGroup] = {};
  constexpr Counters() {
    for (std::size_t i = 0; i < kGroup; i += 2) words[i] = i / 2;
  }
};
constexpr Counters kCounters;

/// The rows of one seed half: draws, and their reduction.
class Draws {
 public:
  explicit Draws(const UniformWords& words)
      : keys_(reinterpret_cast<const __m128i*>(words.round_keys)),
        row_(words.row ^ words.tweak[1]),
        tweak_(words.tweak[0]),
        end_(words.modulus.ratio64 * words.modulus.q),
        field_(words.modulus),
        ratio_(broadcast(words.modulus.mu)),
        shift_(broadcast(words.modulus.bits - 13)) {
    for (int r = 0; r <= kRounds; ++r) key_[r] = _mm512_broadcast_i32x4(_mm_loadu_si128(keys_ + r));
  }

  /// Draws of words [at, at + 8 kCount) that are not rejected; `at` is a multiple of their number. Ciphers and
  /// reductions use different ports: `between` is called with 0 … 8 once after each round but the last.
  template <std::size_t kCount, class Between>
  TACIT_INLINE void draw(std::size_t at, Word* out, const Between& between) const {
    // The counter's low bits are zero here, and the others are the same for all blocks.
    const Vector mask = _mm512_mask_blend_epi64(kLow, broadcast(row_), broadcast(tweak_ ^ (at / 2)));
    const Vector start = _mm512_xor_si512(mask, key_[0]);
    Vector x[kCount];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kCount; ++v) x[v] = _mm512_xor_si512(start, load(kCounters.words + 8 * v));
#pragma GCC unroll 10
    for (int r = 1; r < kRounds; ++r) {
#pragma GCC unroll 8
      for (Vector& lane : x) lane = _mm512_aesenc_epi128(lane, key_[r]);
      between(static_cast<std::size_t>(r - 1));
    }
    Vector most = field_.zero;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kCount; ++v) {
      x[v] = _mm512_aesenclast_epi128(x[v], key_[kRounds]);
      most = _mm512_max_epu32(most, x[v]);  // of 64 bits it would wait for the ciphers' ports
      store(out + 8 * v, x[v]);
    }
    const Vector high_of_end = broadcast(end_ >> 32 << 32);
    if (__builtin_expect(_mm512_cmpge_epu64_mask(most, high_of_end) != 0, 0)) redraw(at, out, 8 * kCount);
  }
  /// Eight draws to words in [0, q).
  TACIT_INLINE void reduce(Word* words) const {
    const Vector x = load(words);
    // x / 2^12 times 2^(b + 51) / q is the quotient times 2^(b + 39): with b >= 20 its roundings leave less than 2 q.
    const Vector scaled = _mm512_madd52hi_epu64(field_.zero, _mm512_srli_epi64(x, 12), ratio_);
    const Vector quotient = _mm512_srlv_epi64(scaled, shift_);
    store(words, field_.canonical2(_mm512_madd52lo_epu64(x, quotient, field_.neg_q)));
  }

 private:
  static constexpr __mmask8 kLow = 0x55;  ///< the low halves of four blocks

  __attribute__((noinline)) void redraw(std::size_t at, Word* words, std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i)
      for (Word draw = 1; words[i] >= end_; ++draw) words[i] = one(at + i, draw);
  }
  Word one(std::size_t at, Word draw) const {
    __m128i x = _mm_set_epi64x(static_cast<long long>(row_), static_cast<long long>((at / 2 + (draw << 32)) ^ tweak_));
    x = _mm_xor_si128(x, _mm_loadu_si128(keys_));
    for (int r = 1; r < kRounds; ++r) x = _mm_aesenc_si128(x, _mm_loadu_si128(keys_ + r));
    x = _mm_aesenclast_si128(x, _mm_loadu_si128(keys_ + kRounds));
    return static_cast<Word>(at % 2 == 0 ? _mm_cvtsi128_si64(x) : _mm_extract_epi64(x, 1));
  }

  const __m128i* keys_;
  Word row_, tweak_, end_;
  Field field_;
  Vector ratio_, shift_;
  Vector key_[kRounds + 1];
};

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

void uniform_avx512ifma(std::uint64_t* out, std::size_t at, std::size_t n, const UniformWords& words,
                        const std::uint64_t* const* next, std::size_t nexts) {
  const Draws draws(words);
  const auto nothing = [](std::size_t) {};
  const auto singly = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; i += 8) {
      draws.draw<1>(at + i, out + i, nothing);
      draws.reduce(out + i);
    }
  };
  const std::size_t gap = (kGroup - at % kGroup) % kGroup, first = gap < n ? gap : n;
  singly(0, first);
  const auto fetch = [&](std::size_t i) __attribute__((always_inline)) {
    for (std::size_t s = 0; s < nexts; ++s)
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v)
        _mm_prefetch(reinterpret_cast<const char*>(next[s] + i + 8 * v), _MM_HINT_T1);
  };
  std::size_t i = first;
  if (i + kGroup <= n) {
    fetch(i);
    draws.draw<kVectors>(at + i, out + i, nothing);
    for (i += kGroup; i + kGroup <= n; i += kGroup) {
      fetch(i);
      Word* before = out + i - kGroup;
      draws.draw<kVectors>(
          at + i, out + i, [&](std::size_t round) __attribute__((always_inline)) {
            if (round % 2 == 0 && round < 2 * kVectors) draws.reduce(before + 4 * round);
          });
    }
    for (std::size_t v = 0; v < kVectors; ++v) draws.reduce(out + i - kGroup + 8 * v);
  }
  singly(i, n);
}

}  // namespace tacit::ring::simd
