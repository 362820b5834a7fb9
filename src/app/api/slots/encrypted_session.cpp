#include <utility>

#include "app/api/slots/tile_impl.h"
#include "base/error.h"
#include "program/slots/landing_rules.h"

namespace tacit::tile {

EncryptedSession::EncryptedSession(const scheme::ckks::ContextPtr& context, int base_level,
                                   const scheme::ckks::SecretKey* secret,
                                   std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
                                   const runtime::Binding& binding)
    : EncryptedSession(runtime::EncryptedEvaluator::make(context, std::move(keys)), base_level, binding) {
  if (secret != nullptr) reading_->set_secret(*secret);
}

EncryptedSession::EncryptedSession(std::shared_ptr<runtime::EncryptedEvaluator> reading, int base_level,
                                   const runtime::Binding& binding)
    : tensor::Session(reading, tensor::TileLevels::of(reading->context()->parameters(), base_level),
                      tensor::cheapest_schedules(reading->context()->parameters().literal(), params::CostTable{})),
      reading_(std::move(reading)),
      binding_(binding) {}

runtime::CiphertextArray EncryptedSession::ciphertexts(const program::View& a) const {
  const runtime::SharedCiphertexts& all = runtime::ciphertexts_of(a.array);
  runtime::CiphertextArray result;
  for (layout::Index i = 0; i < a.count(); ++i) result.push_back(*all[static_cast<std::size_t>(a.at(i))]);
  return result;
}

program::ArrayPtr EncryptedSession::array_of(runtime::CiphertextArray tiles) const {
  if (tiles.empty()) throw base::InputError("tiles: there is none");
  const int level = tiles.front().level, lowest = levels().base, highest = lowest + max_level();
  if (level < lowest || level > highest)
    base::refuse("tiles: they are at level {} of the parameters, outside {} to {}", level, lowest, highest);
  const slots::Landing at = levels().at(level - lowest);
  for (scheme::ckks::Ciphertext& tile : tiles) {
    if (tile.level != level) base::refuse("tiles: one is at level {} and another at {}", tile.level, level);
    if (!slots::same_scale(tile.scale, at.scale))
      base::refuse("tiles: one is at scale {:.17g}, and at level {} it is {:.17g}", tile.scale, tile.level, at.scale);
    tile.scale = at.scale;
  }
  return runtime::array_of(tiles);
}

}  // namespace tacit::tile
