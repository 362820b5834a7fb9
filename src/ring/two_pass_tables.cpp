#include "ring/two_pass_tables.h"

#include <bit>

#include "ring/bit_reversal.h"
#include "ring/simd/kernels.h"

namespace tacit::ring {
namespace {

constexpr std::size_t kRoots = 16;  // roots of one radix-16 step, and their companions after them

void put(const Modulus& q, std::uint64_t* at, std::size_t companion, std::uint64_t value) {
  at[0] = value;
  at[companion] = q.shoup(value);
}

}  // namespace

TwoPassShape two_pass_shape(std::size_t n) {
  return {n / simd::kTwoPassRow * simd::kRowWords, simd::kTwistWords + 2 * kRoots};
}

void fill_two_pass(const Modulus& q, std::size_t n, std::uint64_t psi, std::uint64_t shift, std::uint64_t factor,
                   std::uint64_t* rows, std::uint64_t* twist) {
  const std::size_t columns = n / simd::kTwoPassRow;
  const auto log_n = static_cast<unsigned>(std::countr_zero(n));
  const auto log_columns = static_cast<unsigned>(std::countr_zero(columns));
  // What a shift of the evaluations is at the roots of a stage: its 2^t blocks take square roots of X^(n / 2^t).
  std::uint64_t shifts[4];
  for (std::size_t stage = 0; stage < 4; ++stage) shifts[stage] = q.pow(shift, n / (2 * columns << stage));
  for (std::size_t row = 0; row < columns; ++row) {
    std::uint64_t* entry = rows + row * simd::kRowWords;
    const std::uint64_t step = q.mul(shift, q.pow(psi, 2 * reverse_bits(row, log_columns) + 1));
    const std::uint64_t first_root = q.mul(shifts[0], q.pow(psi, reverse_bits(columns + row, log_n)));
    std::uint64_t scale = factor;
    for (std::size_t j = 0; j < 16; ++j, scale = q.mul(scale, step)) {
      std::uint64_t* vectors = entry + j / 8 * 32 + j % 8;
      put(q, vectors, 8, scale);
      put(q, vectors + 16, 8, q.mul(scale, first_root));
    }
    std::uint64_t* roots = entry + simd::kRowScaleWords;
    put(q, roots, kRoots, 0);
    put(q, roots + 1, kRoots, 0);
    for (std::size_t stage = 1; stage < 4; ++stage)
      for (std::size_t u = 0; u < std::size_t{1} << stage; ++u)
        put(q, roots + (std::size_t{1} << stage) + u, kRoots,
            q.mul(shifts[stage], q.pow(psi, reverse_bits(((columns + row) << stage) + u, log_n))));
  }
  for (std::size_t block = 0; block < 16; ++block) {
    const std::uint64_t step = q.pow(psi, 2 * columns * reverse_bits(block, 4));
    std::uint64_t value = 1;
    for (std::size_t j = 0; j < 16; ++j, value = q.mul(value, step))
      put(q, twist + (block / 8 * 16 + j) * 16 + block % 8, 8, value);
  }
  std::uint64_t* roots = twist + simd::kTwistWords;
  const std::uint64_t sixteenth = q.pow(psi, n / 8);
  put(q, roots, kRoots, 0);
  for (unsigned stage = 0; stage < 4; ++stage)
    for (std::size_t u = 0; u < std::size_t{1} << stage; ++u)
      put(q, roots + (std::size_t{1} << stage) + u, kRoots, q.pow(sixteenth, reverse_bits(u, stage) << (3 - stage)));
}

}  // namespace tacit::ring
