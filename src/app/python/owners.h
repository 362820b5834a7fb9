#pragma once

#include "app/python/bindings.h"

namespace tacit::app::python {

/// Adds the functions of <tacit/owners.h> to the module tacit._core.
void bind_owners(py::module_& core);

}  // namespace tacit::app::python
