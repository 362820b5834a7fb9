#include "scheme/rlwe/division.h"

#include <utility>

#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/rlwe/digits.h"

namespace tacit::scheme::rlwe {

namespace limb = ring::limb;

namespace {

/// Division with rounding: the rows of the divisor's primes, as coefficients, are converted to every other prime,
/// subtracted, and the rest is divided exactly.
class Division {
 public:
  Division(const ModulusChain& chain, int level, std::size_t polys, Divisor divisor, Contents contents)
      : chain_(chain),
        level_(level),
        polys_(polys),
        contents_(contents),
        rescaling_(divisor == Divisor::special_and_last),
        kept_(ModulusChain::rows(level) - (rescaling_ ? 1 : 0)) {}

  void run(const RowSource& source, const RunSink& sink) {
    const std::size_t rows = chain_.extended_rows(level_);
    ScratchRows tiled(chain_.tiling().words(), polys_ * rows, contents_);
    const bool around = goes_around(polys_ * rows * chain_.n());
    std::vector<Limbs> kept(polys_), dropped(polys_);
    for (std::size_t k = 0; k < polys_; ++k)
      for (std::size_t row = 0; row < rows; ++row)
        (row < kept_ ? kept : dropped)[k].push_back(
            {&chain_.ntt(chain_.prime_of(level_, row)), {tiled[k * rows + row], around}});
    drop(source, dropped);
    convert(dropped, kept);
    keep(source, kept, sink);
  }

 private:
  using Limbs = std::vector<TileConverter::Limb>;

  void drop(const RowSource& source, const std::vector<Limbs>& dropped) const {
    const auto& tiling = chain_.tiling();
    base::parallel_for(0, dropped[0].size(), [&](std::size_t i) {
      ScratchRows room(tiling.block_words, polys_, contents_);
      std::vector<std::uint64_t*> out;
      for (std::size_t k = 0; k < polys_; ++k) out.push_back(room[k]);
      std::vector<const std::uint64_t*> values(polys_);
      const BlockProducer produce = source(kept_ + i);
      for (std::size_t b = 0; b < tiling.blocks; ++b) {
        produce(b, out.data(), values.data());
        for (std::size_t k = 0; k < polys_; ++k) dropped[k][i].ntt->inverse_block(values[k], b, dropped[k][i].tiled);
      }
    });
  }

  void convert(const std::vector<Limbs>& dropped, const std::vector<Limbs>& kept) const {
    const std::size_t tiles = chain_.tiling().tiles;
    base::parallel_for(0, tiles * polys_, [&](std::size_t task) {
      const std::size_t k = task / tiles;
      TileConverter(chain_, rescaling_ ? chain_.divide_rescale(level_) : chain_.divide(level_), contents_)
          .run(task % tiles, dropped[k], kept[k]);
    });
  }

  void keep(const RowSource& source, const std::vector<Limbs>& kept, const RunSink& sink) const {
    const auto& tiling = chain_.tiling();
    base::parallel_for(0, kept_, [&](std::size_t row) {
      const ring::NttTables& ntt = chain_.ntt(row);
      const std::uint64_t factor =
          rescaling_ ? chain_.divide_rescale_factor(level_, row) : chain_.divide_factor(level_, row);
      ScratchRows room(tiling.block_words, polys_ + 1, contents_);
      std::vector<std::uint64_t*> out;
      for (std::size_t k = 0; k < polys_; ++k) out.push_back(room[k]);
      std::vector<const std::uint64_t*> dividend(polys_);
      const BlockProducer produce = source(row);
      for (std::size_t b = 0; b < tiling.blocks; ++b) {
        produce(b, out.data(), dividend.data());
        for (std::size_t k = 0; k < polys_; ++k) {
          ntt.forward_block(kept[k][row].tiled.words, b, room[polys_]);
          limb::sub_multiply_scalar(out[k], dividend[k], room[polys_], factor, tiling.block_words, ntt.modulus());
          sink({k, row, b * tiling.block_words, {out[k], tiling.block_words}});
        }
      }
    });
  }

  const ModulusChain& chain_;
  int level_;
  std::size_t polys_;
  Contents contents_;
  bool rescaling_;
  std::size_t kept_;  ///< rows that stay
};

}  // namespace

RunSink copy_runs(std::vector<ring::NttPoly*> polys) {
  std::size_t words = 0;
  for (const ring::NttPoly* poly : polys) words += poly->n() * poly->limbs();
  return [polys = std::move(polys), around = goes_around(words)](const Run& run) {
    limb::copy({polys[run.poly]->limb(run.row) + run.at, around}, run.words.data(), run.words.size());
  };
}

void divide(const ModulusChain& chain, int level, std::size_t polys, const RowSource& source, Divisor divisor,
            const RunSink& sink, Contents contents) {
  Division(chain, level, polys, divisor, contents).run(source, sink);
}

void divide(const ModulusChain& chain, int level, std::span<const ring::NttPoly* const> polys, Divisor divisor,
            const RunSink& sink, Contents contents) {
  const auto given = [&](std::size_t row) {
    return [&, row](std::size_t block, std::uint64_t* const* /*room*/, const std::uint64_t** values) {
      for (std::size_t k = 0; k < polys.size(); ++k)
        values[k] = polys[k]->limb(row) + block * chain.tiling().block_words;
    };
  };
  divide(chain, level, polys.size(), given, divisor, sink, contents);
}

}  // namespace tacit::scheme::rlwe
