#pragma once

#include <memory>

#include "session/owner/compiled_network.h"

namespace tacit::session {

/// A network on slots. Times of its plan are by the prices that `shown_costs` chooses.
std::unique_ptr<CompiledNetwork> network_on_slots(Compilation compilation, const CompileChoices& choices);

}  // namespace tacit::session
