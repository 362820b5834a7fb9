#pragma once

#include <pybind11/pybind11.h>

namespace tacit::app::python {

/// What one header of include/tacit offers, as classes and functions of the module tacit._core. The package in python/
/// puts NumPy's shapes, progress and defaults around them.
void bind_model(pybind11::module_& core);
void bind_validation(pybind11::module_& core);
void bind_receipt(pybind11::module_& core);
void bind_merkle(pybind11::module_& core);
void bind_tiles(pybind11::module_& core);

}  // namespace tacit::app::python
