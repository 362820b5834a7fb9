#pragma once

#include "session/owner/compilation.h"
#include "tensor/recording.h"

namespace tacit::session {

/// A recorded computation on tiles as a compiled model: the client encrypts the tensors that were encrypted while it
/// was recorded, and decrypts its outputs. No tensor of a network stands behind its values, so that validations compare
/// with the clear reading of instructions (details `vector` and `instruction`).
Compilation recorded_model(const tensor::RecordingSession& session, const params::CkksLiteral& parameters);

}  // namespace tacit::session
