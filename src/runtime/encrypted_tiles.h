#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "params/cost_table.h"
#include "program/tile_evaluator.h"
#include "runtime/encoded_maps.h"
#include "runtime/model_id.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/decryptor.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::runtime {

/// The encrypted reading of tile arithmetic. Levels are counted above `base_level`, the level at which values are
/// decrypted (more than 0 where one prime is too small for their integer part). Every array of a level has one scale,
/// s_top = parameters.scale() and s_(l-1) = s_l^2 / q_l, so that all arrays of a level add (Kim, Papadimitriou,
/// Polyakov 2022, section 3). Tiles are carried out on threads; the object is thread safe. Encoded linear maps are
/// kept, up to program::kKeptMapBytes.
class EncryptedTiles final : public program::TileEvaluator {
 public:
  /// Throws InputError if the scales of a deep chain leave what the parameters can hold, KeyMismatch on objects of
  /// another set. `keys` may be null: what needs one is then refused. Linear maps are split by the prices of `costs`:
  /// those of the cost reading that asked for the keys.
  EncryptedTiles(scheme::ckks::ContextPtr context, std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
                 int base_level, const params::CostTable& costs);
  /// What encrypts and decrypts here; without it, both are refused.
  void set_secret(const scheme::ckks::SecretKey& secret);

  /// What the keys belong to: carried by files of keys and tiles.
  const Binding& binding() const { return binding_; }
  void set_binding(const Binding& binding) { binding_ = binding; }
  const scheme::ckks::ContextPtr& context() const { return context_; }
  /// The tiles of a view, in order.
  std::vector<scheme::ckks::Ciphertext> ciphertexts(const program::TileView& a) const;
  /// Tiles from elsewhere. Throws InputError unless there is one at least and all are at one level of this reading, at
  /// its scale.
  program::TileArrayPtr array_of(std::vector<scheme::ckks::Ciphertext> tiles) const;

  layout::Index slots() const override;
  int max_level() const override;
  double tile_bytes(int level) const override;

  program::TileArrayPtr encrypt(layout::Index count, const program::TileSlots& slots, int level) override;
  std::vector<std::vector<double>> decrypt(const program::TileView& a) override;
  program::TileArrayPtr encode_factor(layout::Index count, const program::TileSlots& slots, int level) override;
  program::TileArrayPtr encode_addend(layout::Index count, const program::TileSlots& slots, int level) override;
  program::TileArrayPtr add(const program::TileView& a, const program::TileView& b) override;
  program::TileArrayPtr subtract(const program::TileView& a, const program::TileView& b) override;
  program::TileArrayPtr add_plain(const program::TileView& a, const program::TileView& plain) override;
  program::TileArrayPtr sum_tiles(const program::TileView& a, layout::Index terms) override;
  program::TileArrayPtr multiply_sum(const program::TileView& a, const program::TileView& b,
                                     layout::Index terms) override;
  program::TileArrayPtr multiply_plain_sum(const program::TileView& a, const program::TileView& plain,
                                           layout::Index terms) override;
  program::TileArrayPtr rotate(const program::TileView& a, std::int64_t steps) override;
  program::TileArrayPtr rotate_sum(const program::TileView& a, std::span<const std::int64_t> steps) override;
  program::TileArrayPtr gather(std::span<const program::TileView> parts) override;
  program::TileArrayPtr linear(std::span<const program::TileView> inputs,
                               std::span<const layout::LinearMap> maps) override;
  program::TileArrayPtr lower(const program::TileView& a, int level) override;

 private:
  double scale(int level) const { return scales_[static_cast<std::size_t>(base_level_ + level)]; }
  double prime(int level) const;
  template <class Body>
  program::TileArrayPtr each(layout::Index count, int level, const Body& body) const;
  program::TileArrayPtr encode(layout::Index count, const program::TileSlots& slots, int level, double scale) const;
  EncodedMap encoded(const layout::LinearMap& map, int level) const;
  std::vector<scheme::ckks::Ciphertext> apply(const program::TileView& input, const layout::LinearMap& map);

  scheme::ckks::ContextPtr context_;
  int base_level_;
  params::CostTable costs_;
  scheme::ckks::Encoder encoder_;
  scheme::ckks::Evaluator evaluator_;
  std::optional<scheme::ckks::Encryptor> encryptor_;
  std::optional<scheme::ckks::Decryptor> decryptor_;
  std::vector<double> scales_;  ///< by level of the parameters
  EncodedMaps maps_{program::kKeptMapBytes};
  Binding binding_;
};

}  // namespace tacit::runtime
