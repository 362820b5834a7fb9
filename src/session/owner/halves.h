#pragma once

#include "runtime/compiled_model.h"
#include "runtime/integers/compiled_integers.h"
#include "session/owner/integers/compilation.h"

namespace tacit::session {

/// The two halves of a compiled model, one per party.
template <class Server, class Client>
struct HalvesOf {
  Server server;
  Client client;
};
using Halves = HalvesOf<runtime::ServerModel, runtime::ClientModel>;
using IntegerHalves = HalvesOf<runtime::IntegerServerModel, runtime::IntegerClientModel>;

/// Returns both halves of a compilation, bound by one id. The client's half carries the plan without its instructions.
Halves halves_of(const Compilation& compilation);
IntegerHalves halves_of(const IntegerCompilation& compilation);

}  // namespace tacit::session
