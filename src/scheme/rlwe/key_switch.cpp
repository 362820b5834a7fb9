#include "scheme/rlwe/key_switch.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/rlwe/key_row.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::rlwe {

namespace limb = ring::limb;

namespace {

/// The values of one block of an extended row: made in room[poly], or where they lie, which values[poly] then says.
using BlockProducer = std::function<void(std::size_t block, std::uint64_t* const* room, const std::uint64_t** values)>;

/// Extended polynomials that are made row by row: thread safe; what it returns is for one thread.
using RowSource = std::function<BlockProducer(std::size_t row)>;

void check_key(const SwitchingKey& key, const Digits& digits) {
  if (key.level() < digits.level())
    throw base::InternalError("a switching key for level " + std::to_string(key.level()) + " was used at level " +
                              std::to_string(digits.level()));
  if (key.digits() < digits.count())
    throw base::InternalError("a switching key of " + std::to_string(key.digits()) + " digits was used for " +
                              std::to_string(digits.count()));
}

/// Words that are multiplied with the key at a time: what is expanded of it stays in the first cache.
constexpr std::size_t kRun = 1024;

/// One row of <digits, key> + P_level * add.
class InnerProduct {
 public:
  InnerProduct(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
               const std::array<Combination, 2>& add, std::size_t row)
      : digits_(digits),
        q_(&chain.modulus(chain.prime_of(digits.level(), row))),
        row_(row),
        words_(chain.tiling().block_words),
        run_(std::min(kRun, words_)),
        last_(chain.n() - run_),
        left_(digits.count()),
        room_(std::make_shared<ScratchRows>(words_, digits.count())),
        key_room_(std::make_shared<ScratchRows>(run_, digits.count())),
        key_(chain, key, digits.count(), digits.level(), row) {
    for (std::size_t d = 0; d < digits.count(); ++d)
      if (digits.hoisted() || digits.owns(d, row)) lying_.push_back(digits.row(d, row));
    if (row >= ModulusChain::rows(digits.level()) || (add[0].empty() && add[1].empty())) return;
    for (const Combination& sum : add)
      sum_.push_back(std::make_shared<RowSum>(*q_, sum, row, chain.special_product(digits.level(), row), run_));
  }
  void operator()(std::size_t block, std::uint64_t* const* room, const std::uint64_t** values) {
    for (std::size_t d = 0; d < left_.size(); ++d) left_[d] = digits_.block(d, row_, block, (*room_)[d]);
    for (std::size_t k = 0; k < 2; ++k) values[k] = room[k];
    for (std::size_t in_block = 0; in_block < words_; in_block += run_) {
      const std::size_t at = block * words_ + in_block, next = std::min(at + run_, last_);
      next_.clear();
      for (const std::uint64_t* row : lying_) next_.push_back(row + next);
      key_.append_b(next, next_);
      key_.read(at, run_, *key_room_, next_);
      if (sum_.empty()) {
        limb::dot_pair(room[0] + in_block, room[1] + in_block, left_, key_.b(), key_.a(), run_, *q_);
      } else {
        sum_[0]->run(at, run_, left_, key_.b(), room[0] + in_block);
        sum_[1]->run(at, run_, left_, key_.a(), room[1] + in_block);
      }
      for (const std::uint64_t*& words : left_) words += run_;
    }
  }

 private:
  const Digits& digits_;
  const ring::Modulus* q_;
  std::size_t row_, words_, run_, last_;
  std::vector<const std::uint64_t*> left_;
  std::vector<const std::uint64_t*> lying_;  ///< rows of digits that are read where they lie
  std::vector<const std::uint64_t*> next_;
  std::shared_ptr<ScratchRows> room_, key_room_;
  KeyRow key_;
  std::vector<std::shared_ptr<RowSum>> sum_;  ///< by polynomial; empty where nothing is added
};

/// Division with rounding: the rows of the divisor's primes, as coefficients, are converted to every other prime,
/// subtracted, and the rest is divided exactly.
class Division {
 public:
  Division(const ModulusChain& chain, int level, std::size_t polys, Divisor divisor, Contents contents = Contents::open)
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

void switch_key_extended(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                         const RunSink& sink) {
  check_key(key, digits);
  const std::array<Combination, 2> nothing;
  const auto& tiling = chain.tiling();
  base::parallel_for(0, chain.extended_rows(digits.level()), [&](std::size_t row) {
    ScratchRows room(tiling.block_words, 2);
    std::uint64_t* const out[] = {room[0], room[1]};
    InnerProduct product(chain, digits, key, nothing, row);
    for (std::size_t b = 0; b < tiling.blocks; ++b) {
      const std::uint64_t* made[2];
      product(b, out, made);
      for (std::size_t k = 0; k < 2; ++k) sink({k, row, b * tiling.block_words, {out[k], tiling.block_words}});
    }
  });
}

void switch_key(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                const std::array<Combination, 2>& add, Divisor divisor, const RunSink& sink) {
  check_key(key, digits);
  Division(chain, digits.level(), 2, divisor)
      .run([&](std::size_t row) { return InnerProduct(chain, digits, key, add, row); }, sink);
}

void divide(const ModulusChain& chain, int level, std::span<const ring::NttPoly* const> polys, Divisor divisor,
            const RunSink& sink, Contents contents) {
  const auto given = [&](std::size_t row) {
    return [&, row](std::size_t block, std::uint64_t* const* /*room*/, const std::uint64_t** values) {
      for (std::size_t k = 0; k < polys.size(); ++k)
        values[k] = polys[k]->limb(row) + block * chain.tiling().block_words;
    };
  };
  Division(chain, level, polys.size(), divisor, contents).run(given, sink);
}

void rescale(const ModulusChain& chain, int level, std::span<const Combination> combinations, const RunSink& sink) {
  const std::size_t n = chain.n();
  const auto top = static_cast<std::size_t>(level);
  std::vector<ring::CoefficientPoly> last;
  for (std::size_t k = 0; k < combinations.size(); ++k) last.emplace_back(n, 1);
  base::parallel_for(0, combinations.size(), [&](std::size_t k) {
    evaluate_row(chain, combinations[k], top, last[k].limb(0));
    chain.ntt(top).inverse(last[k].limb(0));
  });
  base::parallel_for(0, top * combinations.size(), [&](std::size_t task) {
    const std::size_t row = task / combinations.size(), k = task % combinations.size();
    const ring::Modulus& q = chain.modulus(row);
    ScratchRows scratch(n, 2);
    limb::switch_modulus_centered(scratch[1], last[k].limb(0), n, chain.modulus(top), q);
    chain.ntt(row).forward(scratch[1]);
    evaluate_row(chain, combinations[k], row, scratch[0]);
    limb::sub_multiply_scalar(scratch[0], scratch[0], scratch[1], chain.rescale_factor(level, row), n, q);
    sink({k, row, 0, {scratch[0], n}});
  });
}

}  // namespace tacit::scheme::rlwe
