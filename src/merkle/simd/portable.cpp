#include "merkle/goldilocks.h"
#include "merkle/simd/permutation.h"

namespace tacit::merkle::simd {
namespace {

__extension__ using Wide = unsigned __int128;

/// One state at a time in ordinary registers.
struct Lanes {
  using Word = std::uint64_t;
  using Integer = Word;
  static constexpr int kLanes = 1, kGroup = 6;
  static constexpr std::size_t kFewest = 1;
  static void permute_one(const RoundConstants&, std::uint64_t*) {}  // one is a full vector

  static Word load(const std::uint64_t* from) { return *from; }
  static void store(std::uint64_t* to, Word a) { *to = goldilocks::canonical(a); }
  static Word broadcast(std::uint64_t a) { return a; }
  static Word plus(Word a, Word b) { return a + b; }
  static Word minus(Word a, Word b) { return a - b; }
  template <int kBits>
  static Word shift_left(Word a) {
    return a << kBits;
  }
  static Word negative(Word a) { return 0 - a; }
  static Word low_part(Word a) { return a & goldilocks::kEpsilon; }
  static Word high_part(Word a) { return a >> 32; }
  static Word square(Word a) { return goldilocks::multiply(a, a); }
  static Word multiply(Word a, Word b) { return goldilocks::multiply(a, b); }
  /// low + high 2^32 + added for parts below 2^40.
  static Word sum_of_parts(Word low, Word high, std::uint64_t added) {
    low += added & goldilocks::kEpsilon;
    high += added >> 32;
    const Word top = high >> 32, shifted = high << 32, sum = low + (top << 32) - top + shifted;
    return sum < shifted ? sum + goldilocks::kEpsilon : sum;
  }
  static void dense_product(const RoundConstants& constants, const RoundConstants::Half& added, Word* state) {
    Word result[kStateWords];
    for (int i = 0; i < kStateWords; ++i) {
      Wide low = added[i], high = 0;
      for (int j = 0; j < kStateWords; ++j) {
        const Wide product = static_cast<Wide>(constants.matrix[i][j]) * state[j];
        low += static_cast<Word>(product);
        high += static_cast<Word>(product >> 64);
      }
      // low + high 2^64 with both below 2^68; what reaches 2^128 weighs -2^32.
      high += static_cast<Word>(low >> 64);
      const Word folded = goldilocks::reduce(static_cast<Word>(low), static_cast<Word>(high));
      result[i] = goldilocks::subtract(folded, static_cast<Word>(high >> 64) << 32);
    }
    std::copy(result, result + kStateWords, state);
  }
};

}  // namespace

const Kernels kPortableKernels{permute_states<Lanes>, merge_pairs<Lanes>};

}  // namespace tacit::merkle::simd
