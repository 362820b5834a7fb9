#pragma once

#include <immintrin.h>

#include <cstdint>

#include "merkle/goldilocks.h"

/// The field of p = 2^64 - 2^32 + 1 with 52-bit multiply-add instructions, for vectors of 512 and of 256 bits. p
/// divides 2^96 + 1. An element is therefore low + high W with W = 2^48 and W^2 = -1, and products are those of complex
/// numbers:
///   (a + b W)^2 = (a + b)(a - b) + 2 a b W.
///
/// An element is not unique. Every operation takes and gives
///   high in [0, 2^48 + 2^10],  low in [high, 2^49 + 2^48 + 2^10].
///
/// This keeps operands below 2^52 and a - b non-negative.
namespace tacit::merkle::simd {

/// Eight 64-bit lanes.
struct Bits512 {
  using Vector = __m512i;
  static constexpr int kLanes = 8;
  static Vector broadcast(std::uint64_t a) { return _mm512_set1_epi64(static_cast<long long>(a)); }
  static Vector load(const std::uint64_t* from) { return _mm512_loadu_si512(from); }
  static void store(std::uint64_t* to, Vector a) { _mm512_storeu_si512(to, a); }
  static Vector plus(Vector a, Vector b) { return _mm512_add_epi64(a, b); }
  static Vector minus(Vector a, Vector b) { return _mm512_sub_epi64(a, b); }
  template <int kBits>
  static Vector shift_left(Vector a) {
    return _mm512_slli_epi64(a, kBits);
  }
  template <int kBits>
  static Vector shift_right(Vector a) {
    return _mm512_srli_epi64(a, kBits);
  }
  template <int kBits>
  static Vector shift_right_signed(Vector a) {
    return _mm512_srai_epi64(a, kBits);
  }
  static Vector both(Vector a, Vector b) { return _mm512_and_si512(a, b); }
  /// (a & b) | c.
  static Vector both_or(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0xea); }
  /// Return sum + the low, or the high, 52 bits of the product of the low 52 bits of a and b.
  static Vector add_low(Vector sum, Vector a, Vector b) { return _mm512_madd52lo_epu64(sum, a, b); }
  static Vector add_high(Vector sum, Vector a, Vector b) { return _mm512_madd52hi_epu64(sum, a, b); }
  static Vector product_of_halves(Vector a, Vector b) { return _mm512_mul_epu32(a, b); }
  /// Returns sum + increment in the lanes with a < b, and sum in the others.
  static Vector plus_where_less(Vector a, Vector b, Vector sum, Vector increment) {
    return _mm512_mask_add_epi64(sum, _mm512_cmplt_epu64_mask(a, b), sum, increment);
  }
  static Vector smaller(Vector a, Vector b) { return _mm512_min_epu64(a, b); }
};

/// Four 64-bit lanes.
struct Bits256 {
  using Vector = __m256i;
  static constexpr int kLanes = 4;
  static Vector broadcast(std::uint64_t a) { return _mm256_set1_epi64x(static_cast<long long>(a)); }
  static Vector load(const std::uint64_t* from) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(from)); }
  static void store(std::uint64_t* to, Vector a) { _mm256_storeu_si256(reinterpret_cast<Vector*>(to), a); }
  static Vector plus(Vector a, Vector b) { return _mm256_add_epi64(a, b); }
  static Vector minus(Vector a, Vector b) { return _mm256_sub_epi64(a, b); }
  template <int kBits>
  static Vector shift_left(Vector a) {
    return _mm256_slli_epi64(a, kBits);
  }
  template <int kBits>
  static Vector shift_right(Vector a) {
    return _mm256_srli_epi64(a, kBits);
  }
  template <int kBits>
  static Vector shift_right_signed(Vector a) {
    return _mm256_srai_epi64(a, kBits);
  }
  static Vector both(Vector a, Vector b) { return _mm256_and_si256(a, b); }
  static Vector both_or(Vector a, Vector b, Vector c) { return _mm256_ternarylogic_epi64(a, b, c, 0xea); }
  static Vector add_low(Vector sum, Vector a, Vector b) { return _mm256_madd52lo_epu64(sum, a, b); }
  static Vector add_high(Vector sum, Vector a, Vector b) { return _mm256_madd52hi_epu64(sum, a, b); }
  static Vector product_of_halves(Vector a, Vector b) { return _mm256_mul_epu32(a, b); }
  static Vector plus_where_less(Vector a, Vector b, Vector sum, Vector increment) {
    return _mm256_mask_add_epi64(sum, _mm256_cmplt_epu64_mask(a, b), sum, increment);
  }
  static Vector smaller(Vector a, Vector b) { return _mm256_min_epu64(a, b); }
  static Vector product(Vector a, Vector b) { return _mm256_mullo_epi64(a, b); }
  /// Returns one lane in all lanes. `lane` is known at compile time.
  static Vector spread(Vector a, int lane) {
    switch (lane) {
      case 0: return _mm256_permute4x64_epi64(a, 0x00);
      case 1: return _mm256_permute4x64_epi64(a, 0x55);
      case 2: return _mm256_permute4x64_epi64(a, 0xaa);
      default: return _mm256_permute4x64_epi64(a, 0xff);
    }
  }
};

template <class Bits>
struct IfmaField {
  using Vector = typename Bits::Vector;
  struct Word {
    Vector low, high;
  };
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;

  /// The lift of carried sums: 2^49 is added to the low sum, so that it stays above the high one. An offset completes
  /// all additions to p. It also keeps the low sum non-negative, down to -kUnits 2^48.
  static constexpr std::uint64_t kLift = std::uint64_t{1} << 49;
  template <std::uint64_t kUnits>
  struct Offset {
    static constexpr std::uint64_t kLow = (kUnits << 48) + (goldilocks::kModulus & kMask),
                                   kHigh = (goldilocks::kModulus >> 48) - 2 - kUnits;
  };

  /// Multiplies by 16: the high halves of products weigh 2^52, which is 16 W.
  static Vector times_16(Vector a) { return Bits::template shift_left<4>(a); }
  /// Carries low + high W, with |low| below 2^58 and high from -2^20 to 2^58, less 2^49.
  static Word carry(Vector low, Vector high) {
    const Vector mask = Bits::broadcast(kMask);
    return {Bits::minus(Bits::both_or(low, mask, Bits::broadcast(kLift)), Bits::template shift_right_signed<48>(high)),
            Bits::plus(Bits::both(high, mask), Bits::template shift_right_signed<48>(low))};
  }
  /// Returns the start of a sum: an added number and the offset. carry then makes the sum a word.
  static Word start_of_sum(Vector added) {
    return {Bits::plus(Bits::both(added, Bits::broadcast(kMask)), Bits::broadcast(Offset<29>::kLow)),
            Bits::plus(Bits::template shift_right<48>(added), Bits::broadcast(Offset<29>::kHigh))};
  }
  /// Converts any 64-bit words.
  static Word from_integers(Vector a) {
    return {Bits::plus(Bits::both(a, Bits::broadcast(kMask)), Bits::broadcast(goldilocks::kModulus & kMask)),
            Bits::plus(Bits::template shift_right<48>(a), Bits::broadcast(goldilocks::kModulus >> 48))};
  }
  static Vector canonical(Word x) {
    const Vector epsilon = Bits::broadcast(goldilocks::kEpsilon);
    // x = low + upper 2^64, with 2^64 = 2^32 - 1 and 2^96 = -1; upper is hardly above 2^32.
    const Vector low = Bits::plus(x.low, Bits::template shift_left<48>(x.high));
    const Vector upper = Bits::plus_where_less(low, x.low, Bits::template shift_right<16>(x.high), Bits::broadcast(1));
    const Vector top = Bits::template shift_right<32>(upper), difference = Bits::minus(low, top);
    const Vector corrected = Bits::plus_where_less(low, top, difference, Bits::broadcast(0 - goldilocks::kEpsilon));
    const Vector product = Bits::product_of_halves(upper, epsilon), sum = Bits::plus(corrected, product);
    const Vector reduced = Bits::plus_where_less(sum, product, sum, epsilon);
    return Bits::smaller(reduced, Bits::minus(reduced, Bits::broadcast(goldilocks::kModulus)));
  }

  static Word square(Word x) {
    const Vector sum = Bits::plus(x.low, x.high), difference = Bits::minus(x.low, x.high),
                 twice = Bits::plus(x.low, x.low);
    const Vector real = Bits::add_low(Bits::broadcast(Offset<29>::kLow), sum, difference),
                 real_high = Bits::add_high(Bits::broadcast(Offset<29>::kHigh / 16), sum, difference),
                 imaginary_high = Bits::add_high(Bits::broadcast(0), twice, x.high);
    return carry(Bits::minus(real, times_16(imaginary_high)), Bits::add_low(times_16(real_high), twice, x.high));
  }
  static Word multiply(Word x, Word y) {
    const Vector none = Bits::broadcast(0);
    const Vector real = Bits::minus(Bits::add_low(Bits::broadcast(Offset<29>::kLow), x.low, y.low),
                                    Bits::add_low(none, x.high, y.high)),
                 real_high = Bits::minus(Bits::add_high(Bits::broadcast(Offset<29>::kHigh / 16), x.low, y.low),
                                         Bits::add_high(none, x.high, y.high)),
                 imaginary_high = Bits::add_high(Bits::add_high(none, x.low, y.high), x.high, y.low);
    return carry(Bits::minus(real, times_16(imaginary_high)),
                 Bits::add_low(Bits::add_low(times_16(real_high), x.low, y.high), x.high, y.low));
  }
  /// Sums of entries of a matrix times words, in the pieces of from_products. An entry is entry48 + entry16 W.
  struct Sums {
    Vector real, real_high, lost, lost_high, imaginary, imaginary_high;
    /// Starts with a number that is added. The offset covers twelve low halves of `lost`.
    explicit Sums(Vector added) {
      const Vector mask = Bits::broadcast(kMask);
      real = Bits::plus(Bits::both(added, mask), Bits::broadcast(Offset<512>::kLow));
      imaginary = Bits::plus(Bits::template shift_right<48>(added), Bits::broadcast(Offset<512>::kHigh));
      real_high = lost = lost_high = imaginary_high = Bits::broadcast(0);
    }
    void add(Word x, Vector entry48, Vector entry16) {
      real = Bits::add_low(real, x.low, entry48);
      real_high = Bits::add_high(real_high, x.low, entry48);
      lost = Bits::add_low(lost, x.high, entry16);
      lost_high = Bits::add_high(lost_high, x.high, entry16);
      imaginary = Bits::add_low(imaginary, x.low, entry16);
      imaginary_high = Bits::add_high(imaginary_high, x.low, entry16);
      imaginary = Bits::add_low(imaginary, x.high, entry48);
      imaginary_high = Bits::add_high(imaginary_high, x.high, entry48);
    }
    Word word() const {
      return carry(Bits::minus(Bits::minus(real, lost), times_16(imaginary_high)),
                   Bits::plus(imaginary, times_16(Bits::minus(real_high, lost_high))));
    }
  };
};

}  // namespace tacit::merkle::simd
