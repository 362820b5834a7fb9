#pragma once

namespace tacit::graph::passes {

struct SlotsDraft;

// The last passes of networks on slots: what the client and validation need to know of the program.

/// States how the client packs, checks and reads, and with how much noise results come back. Refuses integers that
/// noise would change, and results that noise keeps from being shared.
void describe_to_client(SlotsDraft& draft);
/// Finds the tensor of the model that every value of the program holds.
void find_meanings(SlotsDraft& draft);
/// Hands the program and the client's parts over, with the errors that guards of the client's part allow.
void settle_client(SlotsDraft& draft);

}  // namespace tacit::graph::passes
