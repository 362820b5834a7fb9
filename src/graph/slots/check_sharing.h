#pragma once

#include "params/sharing.h"
#include "program/client_interface.h"

namespace tacit::graph::passes {

/// The most noise that outputs may have for results to be shared, in the model's units, with room for a ciphertext that
/// has somewhat more than was modelled.
double most_noise_to_share(const params::Sharing& sharing);
/// The most bits behind the binary point that outputs with this modelled noise can be shared with, by the same margin.
int most_bits_to_share(double noise, const params::Sharing& sharing);

/// Throws InputError, naming the output, its noise and the most bits that it can be shared with, unless the noise of
/// every output leaves the bits.
void check_sharing(const program::ClientInterface& client, const params::Sharing& sharing);

}  // namespace tacit::graph::passes
