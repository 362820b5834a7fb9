#include "merkle/simd/ifma_field.h"
#include "merkle/simd/permutation.h"

namespace tacit::merkle::simd {
namespace {

/// One state across the lanes of three vectors: what it takes is the chain of squarings, which is as long for one word
/// as for four, and three vectors side by side fill it.
class OneState {
 public:
  static void permute(const RoundConstants& constants, std::uint64_t* state) {
    Word x[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) x[v] = Field::from_integers(Bits256::load(state + 4 * v));
    for (int round = 0; round < kRounds; ++round) {
      seventh_powers<Field, kVectors>(x);
      linear_layer(constants, constants.first[round], x);
      seventh_roots<Field, kVectors>(x);
      linear_layer(constants, constants.second[round], x);
    }
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) Bits256::store(state + 4 * v, Field::canonical(x[v]));
  }

 private:
  using Field = IfmaField<Bits256>;
  using Word = Field::Word;
  using Vector = Field::Vector;
  static constexpr int kVectors = 3;

  static void linear_layer(const RoundConstants& constants, const RoundConstants::Half& added, Word* x) {
    constants.circulant ? circulant(constants, added, x) : dense(constants, added, x);
  }
  static void circulant(const RoundConstants& constants, const RoundConstants::Half& added, Word* x) {
    Word sum[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) sum[v] = Field::start_of_sum(Bits256::load(added + 4 * v));
#pragma GCC unroll 12
    for (int j = 0; j < kStateWords; ++j) {
      const Word word = spread(x, j);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        const Vector column = Bits256::load(constants.column[j] + 4 * v);
        sum[v] = {Bits256::plus(sum[v].low, Bits256::product(word.low, column)),
                  Bits256::plus(sum[v].high, Bits256::product(word.high, column))};
      }
    }
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) x[v] = Field::carry(sum[v].low, sum[v].high);
  }
  static void dense(const RoundConstants& constants, const RoundConstants::Half& added, Word* x) {
    Word result[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      Field::Sums sums(Bits256::load(added + 4 * v));
#pragma GCC unroll 12
      for (int j = 0; j < kStateWords; ++j)
        sums.add(spread(x, j), Bits256::load(constants.column48[j] + 4 * v),
                 Bits256::load(constants.column16[j] + 4 * v));
      result[v] = sums.word();
    }
    std::copy(result, result + kVectors, x);
  }
  /// One word of the state in all lanes.
  static Word spread(const Word* x, int word) {
    return {Bits256::spread(x[word / 4].low, word % 4), Bits256::spread(x[word / 4].high, word % 4)};
  }
};

/// Eight states, one a lane.
struct Lanes : IfmaField<Bits512> {
  using Integer = Vector;
  static constexpr int kLanes = Bits512::kLanes, kGroup = 6;
  static constexpr std::size_t kFewest = 6;
  static void permute_one(const RoundConstants& constants, std::uint64_t* state) {
    OneState::permute(constants, state);
  }

  static Word load(const std::uint64_t* from) { return from_integers(Bits512::load(from)); }
  static void store(std::uint64_t* to, Word a) { Bits512::store(to, canonical(a)); }
  static Word broadcast(std::uint64_t a) { return from_integers(Bits512::broadcast(a)); }
  static Integer plus(Integer a, Integer b) { return Bits512::plus(a, b); }
  static Integer minus(Integer a, Integer b) { return Bits512::minus(a, b); }
  static Integer negative(Integer a) { return Bits512::minus(Bits512::broadcast(0), a); }
  template <int kBits>
  static Integer shift_left(Integer a) {
    return Bits512::shift_left<kBits>(a);
  }
  static Integer low_part(Word a) { return a.low; }
  static Integer high_part(Word a) { return a.high; }
  static Word sum_of_parts(Integer low, Integer high, std::uint64_t added) {
    const Word start = start_of_sum(Bits512::broadcast(added));
    return carry(plus(start.low, low), plus(start.high, high));
  }
  static void dense_product(const RoundConstants& constants, const RoundConstants::Half& added, Word* state) {
    Word result[kStateWords];
    for (int i = 0; i < kStateWords; i += 2) {
      Sums first(Bits512::broadcast(added[i])), second(Bits512::broadcast(added[i + 1]));
#pragma GCC unroll 12
      for (int j = 0; j < kStateWords; ++j) {
        first.add(state[j], Bits512::broadcast(constants.matrix48[i][j]), Bits512::broadcast(constants.matrix16[i][j]));
        second.add(state[j], Bits512::broadcast(constants.matrix48[i + 1][j]),
                   Bits512::broadcast(constants.matrix16[i + 1][j]));
      }
      result[i] = first.word();
      result[i + 1] = second.word();
    }
    std::copy(result, result + kStateWords, state);
  }
};

}  // namespace

const Kernels kAvx512IfmaKernels{permute_states<Lanes>, merge_pairs<Lanes>};

}  // namespace tacit::merkle::simd
