#pragma once

#include <memory>

#include "session/owner/compiled_network.h"
#include "session/owner/integers/compilation.h"

namespace tacit::session {

std::unique_ptr<CompiledNetwork> network_on_integers(IntegerCompilation compilation);

}  // namespace tacit::session
