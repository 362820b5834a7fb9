#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "base/progress.h"
#include "base/secret_memory.h"
#include "params/key_manifest.h"
#include "ring/rns_poly.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"
#include "scheme/rlwe/key_seeds.h"

namespace tacit::scheme::ckks {

/// The evaluation keys of a manifest, made one at a time. Memory holds one of them, and two seeds for each: every walk
/// through the series gives the same keys. The seeds are in secret memory. Not thread safe.
class KeySeries {
 public:
  /// Throws InputError on levels or steps out of range and on bootstrapping keys for a leveled set. Throws KeyMismatch
  /// on a secret of another set.
  /// With `randomness`, keys but those around raising a modulus are made from it, by their names, and no seeds are
  /// drawn.
  KeySeries(ContextPtr context, const SecretKey& secret, const params::KeyManifest& manifest,
            RandomnessOfKey randomness = {});

  /// The number of keys that count for progress: rotations, raised ones included.
  std::size_t steps() const { return manifest_.rotations.size() + manifest_.raised_rotations.size(); }
  /// Calls `give` with each key by itself, in the order of EvaluationKeys: relinearisation, conjugation, rotations by
  /// steps, and the keys around raising a modulus. The first walk draws the seeds. Advances `progress` by steps().
  void walk(const std::function<void(EvaluationKeys)>& give, base::Progress& progress);

 private:
  class Walk;
  ContextPtr context_;
  SecretKey secret_;
  params::KeyManifest manifest_;
  RandomnessOfKey randomness_;
  base::SecretVector<rlwe::KeySeeds> seeds_;  ///< in the order of the keys
  std::optional<SecretKey> ephemeral_;        ///< the short-lived secret of raising, from the first walk on
};

}  // namespace tacit::scheme::ckks
