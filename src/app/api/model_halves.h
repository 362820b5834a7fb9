#pragma once

#include <tacit/model.h>

#include "session/owner/compilation.h"

namespace tacit::app::api {

/// The two halves of a compiled model, which belong together by its id.
CompiledModel halves_of(session::Compilation compilation, InsecureParameters insecure);

}  // namespace tacit::app::api
