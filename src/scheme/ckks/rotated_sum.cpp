#include "scheme/ckks/rotated_sum.h"

#include <array>
#include <memory>

#include "base/error.h"
#include "scheme/rlwe/inner_product.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::ckks {

void add_rotated(const rlwe::ModulusChain& chain, int level, std::span<const RotatedTerm> terms, std::size_t row,
                 std::uint64_t* total0, std::uint64_t* total1) {
  const auto& tiling = chain.tiling();
  const ring::Modulus& q = chain.modulus(chain.prime_of(level, row));
  rlwe::ScratchRows room(tiling.block_words, 2);
  std::uint64_t* const out[] = {room[0], room[1]};
  std::uint64_t* const totals[] = {total0, total1};
  for (const RotatedTerm& term : terms) {
    TACIT_ASSERT(term.digits->level() == level);
    std::array<rlwe::Combination, 2> add;
    if (term.c0 != nullptr) add[0].multiples.push_back({term.c0, 1});
    rlwe::InnerProduct product(chain, *term.digits, term.key->key, add, row);
    for (std::size_t b = 0; b < tiling.blocks; ++b) {
      const std::uint64_t* made[2];
      product(b, out, made);
      for (std::size_t k = 0; k < 2; ++k)
        term.key->automorphism.add_run(totals[k], {made[k], tiling.block_words}, b * tiling.block_words, q);
    }
  }
}

void divide_rotated_sum(const rlwe::ModulusChain& chain, int level, const RowStart& start,
                        std::span<const RotatedTerm> terms, rlwe::Divisor divisor, const rlwe::RunSink& sink) {
  const auto source = [&](std::size_t row) -> rlwe::BlockProducer {
    const auto totals = std::make_shared<rlwe::ScratchRows>(chain.n(), 2);
    start(row, (*totals)[0], (*totals)[1]);
    add_rotated(chain, level, terms, row, (*totals)[0], (*totals)[1]);
    return [totals, words = chain.tiling().block_words](std::size_t block, std::uint64_t* const* /*room*/,
                                                        const std::uint64_t** values) {
      for (std::size_t k = 0; k < 2; ++k) values[k] = (*totals)[k] + block * words;
    };
  };
  rlwe::divide(chain, level, 2, source, divisor, sink);
}

}  // namespace tacit::scheme::ckks
