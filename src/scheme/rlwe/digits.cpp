#include "scheme/rlwe/digits.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"

namespace tacit::scheme::rlwe {

namespace limb = ring::limb;

namespace {

// Targets of a conversion whose tiles stay in the first cache until the first phase of their transform.
constexpr std::size_t kTargets = 4;

// Less than this, written and read, stays in the caches of one core, beside what is read meanwhile.
constexpr std::size_t kCachedBytes = std::size_t{2} << 20;

}  // namespace

bool goes_around(std::size_t words) { return words * sizeof(std::uint64_t) >= kCachedBytes; }

TileConverter::TileConverter(const ModulusChain& chain, const ring::BaseConverter& converter, Contents contents)
    : tiling_(chain.tiling()),
      converter_(converter),
      contents_(contents),
      coefficients_(tiling_.tile_words, std::max(converter.from().size(), kTargets), contents),
      prepared_(converter.prepared_words(tiling_.tile_words), 1, contents) {}

void TileConverter::run(std::size_t tile, std::span<const Limb> from, std::span<const Limb> to) {
  const std::size_t offset = tile * tiling_.tile_stride;
  std::vector<const std::uint64_t*> sources;
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i].ntt->inverse_tile(from[i].tiled.words + offset, coefficients_[i]);
    sources.push_back(coefficients_[i]);
  }
  converter_.prepare(sources, prepared_[0], tiling_.tile_words);
  const auto convert = [&](std::size_t first, ScratchRows& room) {
    std::uint64_t* out[kTargets];
    const std::size_t count = std::min(kTargets, to.size() - first);
    for (std::size_t i = 0; i < count; ++i) out[i] = room[i];
    converter_.convert_prepared(prepared_[0], first, std::span(out, count), tiling_.tile_words);
    for (std::size_t i = 0; i < count; ++i) to[first + i].ntt->forward_tile(out[i], to[first + i].tiled + offset);
  };
  if (tiling_.tiles > 1) {
    for (std::size_t first = 0; first < to.size(); first += kTargets) convert(first, coefficients_);
    return;
  }
  // One tile only: its targets are what threads can share.
  base::parallel_for(0, (to.size() + kTargets - 1) / kTargets, [&](std::size_t i) {
    ScratchRows room(tiling_.tile_words, kTargets, contents_);
    convert(i * kTargets, room);
  });
}

Digits::Digits(const ModulusChain& chain, const ring::NttPoly& source, int level)
    : chain_(&chain), source_(&source), level_(level) {
  TACIT_ASSERT(source.limbs() >= ModulusChain::rows(level));
  const auto& tiling = chain.tiling();
  const std::size_t rows = ModulusChain::rows(level), digits = count();
  const bool around = goes_around(digits * chain.extended_rows(level) * chain.n());
  tiled_ = std::make_unique<ScratchRows>(tiling.words(), digits * chain.extended_rows(level));
  const auto tiled = [&](std::size_t digit, std::size_t row) {
    return ring::Destination((*tiled_)[at(digit, row)], around);
  };
  // A digit's own rows are where its sources lie.
  base::parallel_for(0, rows, [&](std::size_t row) {
    const std::size_t digit = chain.digit_of(row);
    for (std::size_t b = 0; b < tiling.blocks; ++b)
      chain.ntt(row).inverse_block(source.limb(row) + b * tiling.block_words, b, tiled(digit, row));
  });
  std::vector<std::vector<TileConverter::Limb>> from(digits), to(digits);
  for (std::size_t digit = 0; digit < digits; ++digit)
    for (std::size_t row = 0; row < chain.extended_rows(level); ++row)
      (owns(digit, row) ? from : to)[digit].push_back({&chain.ntt(chain.prime_of(level, row)), tiled(digit, row)});
  base::parallel_for(0, tiling.tiles * digits, [&](std::size_t task) {
    const std::size_t digit = task / tiling.tiles;
    TileConverter(chain, chain.mod_up(level, digit)).run(task % tiling.tiles, from[digit], to[digit]);
  });
}

Digits::Digits(const ModulusChain& chain, const ring::NttPoly& source, const ring::NttPoly& special, int level)
    : chain_(&chain), source_(&source), special_(&special), level_(level) {
  TACIT_ASSERT(count() == 1 && !scaled());
  TACIT_ASSERT(source.limbs() >= ModulusChain::rows(level) && special.limbs() == chain.special_primes(level));
}

void Digits::hoist() {
  if (hoisted()) return;
  const auto& tiling = chain_->tiling();
  const std::size_t rows = chain_->extended_rows(level_);
  std::vector<ring::NttPoly> extended;
  for (std::size_t digit = 0; digit < count(); ++digit) extended.emplace_back(chain_->n(), rows);
  base::parallel_for(0, rows * count(), [&](std::size_t task) {
    const std::size_t row = task / count(), digit = task % count();
    std::uint64_t* out = extended[digit].limb(row);
    if (owns(digit, row)) {
      own(row, 0, chain_->n(), out);
      return;
    }
    for (std::size_t b = 0; b < tiling.blocks; ++b)
      chain_->ntt(chain_->prime_of(level_, row))
          .forward_block((*tiled_)[at(digit, row)], b, out + b * tiling.block_words);
  });
  extended_ = std::move(extended);
  tiled_.reset();
}

const std::uint64_t* Digits::own(std::size_t row, std::size_t first, std::size_t count, std::uint64_t* room) const {
  const std::uint64_t* words = source_->limb(row) + first;
  if (!scaled()) return words;
  limb::multiply_scalar(room, words, chain_->digit_factor(level_, row), count, chain_->modulus(row));
  return room;
}

const std::uint64_t* Digits::finished(std::size_t digit, std::size_t row, std::uint64_t* room) const {
  if (hoisted()) return this->row(digit, row);
  if (owns(digit, row)) return own(row, 0, chain_->n(), room);
  const auto& tiling = chain_->tiling();
  for (std::size_t b = 0; b < tiling.blocks; ++b) block(digit, row, b, room + b * tiling.block_words);
  return room;
}

const std::uint64_t* Digits::block(std::size_t digit, std::size_t row, std::size_t block, std::uint64_t* room) const {
  const std::size_t words = chain_->tiling().block_words;
  if (hoisted()) return this->row(digit, row) + block * words;
  if (owns(digit, row)) return own(row, block * words, words, room);
  chain_->ntt(chain_->prime_of(level_, row)).forward_block_lazy((*tiled_)[at(digit, row)], block, room);
  return room;
}

}  // namespace tacit::scheme::rlwe
