#pragma once

#include <tacit/tile.h>

#include "app/python/bindings.h"

namespace tacit::app::python {

using TensorClass = py::class_<tile::Tensor>;

/// Operators of tile tensors, as methods and as Python's own.
void bind_tile_operators(TensorClass& tensor);

/// What runs a computation of the caller's: plan, record, validate.
void bind_tile_computations(py::module_& tiles);

}  // namespace tacit::app::python
