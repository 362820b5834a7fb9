#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/progress.h"
#include "base/random.h"
#include "base/secret_memory.h"
#include "scheme/tfhe/secret_key.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {

/// The evaluation keys of a set, made some rows at a time. Memory holds a few MiB of them. Every walk through the
/// series gives the same bodies, because their errors come from seeds in secret memory. Immutable, thread safe.
class KeySeries {
 public:
  /// Draws the seeds. Throws KeyMismatch on a secret of another set.
  KeySeries(ContextPtr context, const SecretKey& secret);

  const Context& context() const { return *context_; }
  const base::Seed& key_switch_seed() const { return key_switch_seed_; }
  const base::Seed& bootstrap_seed() const { return bootstrap_seed_; }
  /// The bits of the small key, which count for progress.
  std::size_t steps() const { return context_->small(); }

  /// Call `give` with the bodies of SeededKeySwitchKey and SeededBootstrapKey, in order.
  void key_switch_bodies(const std::function<void(std::span<const std::uint32_t>)>& give) const;
  /// Advances `progress` by steps().
  void bootstrap_bodies(const std::function<void(std::span<const Torus>)>& give, base::Progress& progress) const;

 private:
  ContextPtr context_;
  SecretKey secret_;
  base::Seed key_switch_seed_, bootstrap_seed_;  ///< of masks, public
  base::SecretVector<base::Seed> noise_;         ///< of the errors of both keys
};

}  // namespace tacit::scheme::tfhe
