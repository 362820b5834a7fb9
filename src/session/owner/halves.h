#pragma once

#include "graph/compile.h"
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

/// The id that both halves of a model carry.
runtime::ModelId id_of(const graph::CompiledModel& model);

}  // namespace tacit::session
