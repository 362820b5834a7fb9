#pragma once

#include "runtime/integers/compiled_integers.h"
#include "session/owner/integers/compilation.h"

namespace tacit::session {

/// What a compiled model on integers is handed out as: one half a party.
struct IntegerHalves {
  runtime::IntegerServerModel server;
  runtime::IntegerClientModel client;
};

/// Both halves of a compilation, bound by one id; the client's carries the plan without its instructions.
IntegerHalves halves_of(const IntegerCompilation& compilation);

}  // namespace tacit::session
