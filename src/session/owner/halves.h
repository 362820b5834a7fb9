#pragma once

#include "runtime/compiled_model.h"
#include "session/owner/compilation.h"

namespace tacit::session {

/// What a compiled model is handed out as: one half a party.
struct Halves {
  runtime::ServerModel server;
  runtime::ClientModel client;
};

/// Both halves of a compilation, bound by one id; the client's carries the plan without its instructions.
Halves halves_of(const Compilation& compilation);

}  // namespace tacit::session
