#pragma once

#include "params/sharing.h"
#include "program/client_interface.h"

namespace tacit::graph::passes {

/// Returns the largest noise of outputs at which results can be shared, in the model's units. It leaves room for a
/// ciphertext with up to 1.25 times the modelled noise.
double most_noise_to_share(const params::Sharing& sharing);
/// Returns the most bits after the binary point that outputs with this modelled noise can be shared with, by the same
/// margin.
int most_bits_to_share(double noise, const params::Sharing& sharing);

/// Throws InputError if the noise of an output is too large to share `sharing.bits` bits. Names the output, its noise
/// and the most bits that it can be shared with. Offers labels in their place if the model has labels.
void check_sharing(const program::ClientInterface& client, const params::Sharing& sharing, bool has_labels);

}  // namespace tacit::graph::passes
