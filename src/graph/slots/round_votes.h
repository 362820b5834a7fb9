#pragma once

#include "graph/client_parts.h"
#include "program/client_interface.h"

namespace tacit::graph::passes {

/// Lets the client round the scores of trees before it labels them. Leaves often give two classes the same score, and
/// noise would then choose the class. The unit is the power of two from 16 deviations of the noise on, so that equal
/// scores stay equal unless they are just between two multiples. Scores that nothing labels stay as they are, and so do
/// scores with unknown noise, or with noise above a thousandth of their range. The outputs of `client` are the first
/// inputs of `parts.after`.
void round_votes(ClientParts& parts, const program::ClientInterface& client);

}  // namespace tacit::graph::passes
