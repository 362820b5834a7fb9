#pragma once

#include "app/python/bindings.h"

namespace tacit::app::python {

/// Adds the functions of <tacit/search.h> to the module tacit._core.
void bind_search(py::module_& core);

}  // namespace tacit::app::python
