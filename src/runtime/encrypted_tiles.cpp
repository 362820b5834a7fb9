#include "runtime/encrypted_tiles.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "layout/diagonals.h"
#include "program/tile_cost.h"

namespace tacit::runtime {

using layout::Index;
using program::TileArray;
using program::TileArrayPtr;
using program::TileView;
using scheme::ckks::Ciphertext;
using scheme::ckks::DiagonalMatrix;
using scheme::ckks::Plaintext;

namespace {

template <class Content>
struct Tiles final : TileArray {
  using Tile = std::shared_ptr<const Content>;
  Tiles(std::vector<Tile> tiles, int level)
      : TileArray(static_cast<Index>(tiles.size()), level), content(std::move(tiles)) {}
  std::vector<Tile> content;
};

template <class Content>
const std::shared_ptr<const Content>& shared(const TileView& view, Index position) {
  return static_cast<const Tiles<Content>&>(*view.array).content[static_cast<std::size_t>(view.at(position))];
}

const Ciphertext& tile(const TileView& view, Index position) { return *shared<Ciphertext>(view, position); }

/// The terms of one sum.
template <class Content>
std::vector<const Content*> terms_of(const TileView& view, Index sum, Index terms) {
  std::vector<const Content*> list;
  for (Index k = 0; k < terms; ++k) list.push_back(shared<Content>(view, sum * terms + k).get());
  return list;
}

}  // namespace

EncryptedTiles::EncryptedTiles(scheme::ckks::ContextPtr context,
                               std::shared_ptr<const scheme::ckks::EvaluationKeys> keys, int base_level,
                               const params::CostTable& costs)
    : context_(context),
      base_level_(base_level),
      costs_(costs),
      encoder_(context),
      evaluator_(context, std::move(keys)) {
  const params::CkksParameters& parameters = context_->parameters();
  if (base_level < 0 || base_level > parameters.max_level())
    throw base::InputError(fmt::format("a base level of {} is outside 0 to {}", base_level, parameters.max_level()));
  scales_.assign(static_cast<std::size_t>(parameters.max_level()) + 1, parameters.scale());
  for (int level = parameters.max_level(); level > base_level; --level) {
    const auto l = static_cast<std::size_t>(level);
    scales_[l - 1] = scales_[l] * scales_[l] / static_cast<double>(parameters.q()[l]);
    if (!(std::abs(std::log2(scales_[l - 1] / parameters.scale())) < 1))
      throw base::InputError(
          fmt::format("parameter set {}: products drift from the scale by more than a bit at level {}; use "
                      "primes of the size of the scale",
                      parameters.literal().name, level - 1));
  }
}

void EncryptedTiles::set_secret(const scheme::ckks::SecretKey& secret) {
  encryptor_.emplace(context_, secret);
  decryptor_.emplace(context_, secret);
}

std::vector<Ciphertext> EncryptedTiles::ciphertexts(const TileView& a) const {
  std::vector<Ciphertext> result;
  for (Index i = 0; i < a.count(); ++i) result.push_back(tile(a, i));
  return result;
}

TileArrayPtr EncryptedTiles::array_of(std::vector<Ciphertext> tiles) const {
  if (tiles.empty()) throw base::InputError("tiles: there is none");
  const int level = tiles.front().level - base_level_;
  if (level < 0 || level > max_level())
    throw base::InputError(fmt::format("tiles: they are at level {} of the parameters, outside {} to {}",
                                       tiles.front().level, base_level_, base_level_ + max_level()));
  std::vector<std::shared_ptr<const Ciphertext>> content;
  for (Ciphertext& tile : tiles) {
    if (tile.level != base_level_ + level)
      throw base::InputError(
          fmt::format("tiles: one is at level {} and another at {}", tile.level, base_level_ + level));
    if (!(std::abs(tile.scale / scale(level) - 1) < 0x1p-30))
      throw base::InputError(fmt::format("tiles: one is at scale {:.17g}, and at level {} it is {:.17g}", tile.scale,
                                         tile.level, scale(level)));
    tile.scale = scale(level);
    content.push_back(std::make_shared<const Ciphertext>(std::move(tile)));
  }
  return std::make_shared<const Tiles<Ciphertext>>(std::move(content), level);
}

Index EncryptedTiles::slots() const { return static_cast<Index>(context_->parameters().slots()); }
int EncryptedTiles::max_level() const { return context_->parameters().max_level() - base_level_; }
double EncryptedTiles::tile_bytes(int level) const {
  return 2.0 * (base_level_ + level + 1) * static_cast<double>(context_->parameters().n() * sizeof(std::uint64_t));
}
double EncryptedTiles::prime(int level) const {
  return static_cast<double>(context_->parameters().q()[static_cast<std::size_t>(base_level_ + level)]);
}

template <class Body>
TileArrayPtr EncryptedTiles::each(Index count, int level, const Body& body) const {
  std::vector<std::shared_ptr<const Ciphertext>> tiles(static_cast<std::size_t>(count));
  base::parallel_for(0, tiles.size(), [&](std::size_t i) {
    Ciphertext made = body(static_cast<Index>(i));
    TACIT_ASSERT(made.level == base_level_ + level && std::abs(made.scale / scale(level) - 1) < 0x1p-30);
    made.scale = scale(level);  // but for rounding it is that already
    tiles[i] = std::make_shared<const Ciphertext>(std::move(made));
  });
  return std::make_shared<const Tiles<Ciphertext>>(std::move(tiles), level);
}

TileArrayPtr EncryptedTiles::encrypt(Index count, const program::TileSlots& slots, int level) {
  if (!encryptor_) throw base::InputError("encrypt: this session has no key to encrypt with");
  std::vector<std::vector<double>> values;
  for (Index i = 0; i < count; ++i) values.push_back(slots(i));
  return each(count, level, [&](Index i) {
    return encryptor_->encrypt(encoder_.encode(values[static_cast<std::size_t>(i)], base_level_ + level, scale(level)));
  });
}

std::vector<std::vector<double>> EncryptedTiles::decrypt(const TileView& a) {
  if (!decryptor_) throw base::InputError("decrypt: this session has no secret key");
  std::vector<std::vector<double>> result(static_cast<std::size_t>(a.count()));
  base::parallel_for(0, result.size(), [&](std::size_t i) {
    for (const auto& z : encoder_.decode(decryptor_->decrypt(tile(a, static_cast<Index>(i)))))
      result[i].push_back(z.real());
  });
  return result;
}

TileArrayPtr EncryptedTiles::encode(Index count, const program::TileSlots& slots, int level, double at_scale) const {
  std::vector<std::vector<double>> values;
  for (Index i = 0; i < count; ++i) values.push_back(slots(i));
  std::vector<std::shared_ptr<const Plaintext>> tiles(values.size());
  base::parallel_for(0, tiles.size(), [&](std::size_t i) {
    tiles[i] = std::make_shared<const Plaintext>(encoder_.encode(values[i], base_level_ + level, at_scale));
  });
  return std::make_shared<const Tiles<Plaintext>>(std::move(tiles), level);
}

TileArrayPtr EncryptedTiles::encode_factor(Index count, const program::TileSlots& slots, int level) {
  return encode(count, slots, level, scale(level - 1) * prime(level) / scale(level));
}

TileArrayPtr EncryptedTiles::encode_addend(Index count, const program::TileSlots& slots, int level) {
  return encode(count, slots, level, scale(level));
}

TileArrayPtr EncryptedTiles::add(const TileView& a, const TileView& b) {
  return each(a.count(), a.level(), [&](Index i) { return evaluator_.add(tile(a, i), tile(b, i)); });
}

TileArrayPtr EncryptedTiles::subtract(const TileView& a, const TileView& b) {
  return each(a.count(), a.level(), [&](Index i) { return evaluator_.sub(tile(a, i), tile(b, i)); });
}

TileArrayPtr EncryptedTiles::add_plain(const TileView& a, const TileView& plain) {
  return each(a.count(), a.level(),
              [&](Index i) { return evaluator_.add_plain(tile(a, i), *shared<Plaintext>(plain, i)); });
}

TileArrayPtr EncryptedTiles::sum_tiles(const TileView& a, Index terms) {
  if (terms == 1) return gather({&a, 1});
  return each(a.count() / terms, a.level(), [&](Index i) {
    Ciphertext sum = evaluator_.add(tile(a, i * terms), tile(a, i * terms + 1));
    for (Index k = 2; k < terms; ++k) evaluator_.add_in_place(sum, tile(a, i * terms + k));
    return sum;
  });
}

TileArrayPtr EncryptedTiles::multiply_sum(const TileView& a, const TileView& b, Index terms) {
  return each(a.count() / terms, a.level() - 1, [&](Index i) {
    return evaluator_.multiply_sum(terms_of<Ciphertext>(a, i, terms), terms_of<Ciphertext>(b, i, terms));
  });
}

TileArrayPtr EncryptedTiles::multiply_plain_sum(const TileView& a, const TileView& plain, Index terms) {
  return each(a.count() / terms, a.level() - 1, [&](Index i) {
    return evaluator_.multiply_plain_sum(terms_of<Ciphertext>(a, i, terms), terms_of<Plaintext>(plain, i, terms));
  });
}

TileArrayPtr EncryptedTiles::rotate(const TileView& a, std::int64_t steps) {
  return each(a.count(), a.level(), [&](Index i) { return evaluator_.rotate(tile(a, i), steps); });
}

TileArrayPtr EncryptedTiles::rotate_sum(const TileView& a, std::span<const std::int64_t> steps) {
  return each(a.count(), a.level(), [&](Index i) { return evaluator_.rotate_sum(tile(a, i), steps); });
}

TileArrayPtr EncryptedTiles::gather(std::span<const TileView> parts) {
  std::vector<std::shared_ptr<const Ciphertext>> tiles;
  for (const TileView& part : parts)
    for (Index i = 0; i < part.count(); ++i) tiles.push_back(shared<Ciphertext>(part, i));
  return std::make_shared<const Tiles<Ciphertext>>(std::move(tiles), parts.front().level());
}

EncodedMap EncryptedTiles::encoded(const layout::LinearMap& map, int level) const {
  const layout::DiagonalSet set = layout::diagonal_set(map);
  EncodedMap result;
  result.schedule = program::plan_tile_linear(map, set, context_->parameters().literal(), costs_, base_level_ + level);
  for (Index j = 0; j < map.out.ciphertexts(); ++j) {
    layout::Diagonals raw = layout::diagonals(map, j);
    auto& row = result.blocks.emplace_back(static_cast<std::size_t>(map.in.ciphertexts()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      const layout::DiagonalBlock& block = raw.blocks[static_cast<std::size_t>(j)][i];
      if (block.empty()) continue;
      std::vector<std::vector<double>> diagonals;
      for (const params::DiagonalStep& step : result.schedule.steps)
        diagonals.push_back(layout::weights_of(raw.set, block, step.diagonal));
      result.matrices.push_back(std::make_unique<DiagonalMatrix>(
          encoder_.encode_diagonals(result.schedule.steps, diagonals, base_level_ + level, scale(level),
                                    scale(level - 1), evaluator_.rotation_top())));
      row[i] = result.matrices.back().get();
    }
  }
  return result;
}

std::vector<Ciphertext> EncryptedTiles::apply(const TileView& input, const layout::LinearMap& map) {
  const auto matrix = maps_.get(map, input.level(), [&] { return encoded(map, input.level()); });
  std::vector<Ciphertext> inputs;
  for (Index i = 0; i < input.count(); ++i) inputs.push_back(tile(input, i));
  return evaluator_.linear(inputs, matrix->blocks, matrix->schedule);
}

TileArrayPtr EncryptedTiles::linear(std::span<const TileView> inputs, std::span<const layout::LinearMap> maps) {
  std::vector<Ciphertext> sum = apply(inputs[0], maps[0]);
  for (std::size_t t = 1; t < maps.size(); ++t) {
    const std::vector<Ciphertext> part = apply(inputs[t], maps[t]);
    for (std::size_t i = 0; i < sum.size(); ++i) evaluator_.add_in_place(sum[i], part[i]);
  }
  return each(static_cast<Index>(sum.size()), inputs[0].level() - 1,
              [&](Index i) { return std::move(sum[static_cast<std::size_t>(i)]); });
}

TileArrayPtr EncryptedTiles::lower(const TileView& a, int level) {
  const double factor_scale = scale(level) * prime(level + 1) / scale(a.level());
  const std::vector<double> ones(static_cast<std::size_t>(slots()), 1.0);
  const Plaintext one = encoder_.encode(ones, base_level_ + level + 1, factor_scale);
  return each(a.count(), level, [&](Index i) {
    return evaluator_.multiply_plain_rescale(evaluator_.drop_to_level(tile(a, i), base_level_ + level + 1), one);
  });
}

}  // namespace tacit::runtime
