#pragma once

#include "params/ckks_parameters.h"
#include "params/sharing.h"

/// The flood of results that several owners decrypt together. Each part of the secret key contributes a whole flood,
/// because its holders may be the only honest owners. Nobody sees exact slots, so the flood is that of twice the noise
/// that the compiler modelled.
namespace tacit::params {

/// Returns the deviation of the flood of one part, for one coefficient of the ciphertext. `noise` is the modelled
/// deviation of a decrypted slot (program::ClientOutput::noise), in units of the message.
double part_flood(const CkksParameters& parameters, double noise, double scale, const Sharing& sharing);

/// Returns the deviation of the floods of all parts together, for one slot, in the units of `noise`.
double owners_flood(double noise, int parts, const Sharing& sharing);

}  // namespace tacit::params
