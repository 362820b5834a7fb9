#pragma once

#include "session/owner/compilation.h"
#include "tensor/recording.h"

namespace tacit::session {

/// Returns a recorded computation on tiles as a compiled model. The client encrypts the tensors that were encrypted in
/// the recording, and decrypts its outputs. The values belong to no tensor of a network. Validations therefore compare
/// with the clear reading of instructions (details `vector` and `instruction`).
Compilation recorded_model(const tensor::RecordingSession& session, const params::CkksLiteral& parameters);

}  // namespace tacit::session
