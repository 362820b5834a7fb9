#pragma once

#include "graph/client_parts.h"
#include "graph/compile.h"
#include "graph/passes/answers.h"

namespace tacit::graph::passes {

/// Judges results that several owners decrypt, by the outputs of calibration samples: exact[s][o] is output o of the
/// encrypted part for sample s. Throws InputError, naming the output, in these cases:
/// - Slots beside the output's elements are not zero. Decryption would show them.
/// - The model has labels, and the flood changes more than kManyChanged of them.
/// - It has none, and the deviation of the flood exceeds a 16th of an output's range.
void judge_owners(const program::ClientInterface& client, const ClientParts& parts, const std::vector<Numbers>& exact,
                  const ForOwners& owners);

}  // namespace tacit::graph::passes
