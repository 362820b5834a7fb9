#pragma once

#include <tacit/tile.h>

#include "app/python/bindings.h"

namespace tacit::app::python {

using TensorClass = py::class_<tile::Tensor>;

/// Adds the operators of tile tensors, as methods and as Python operators.
void bind_tile_operators(TensorClass& tensor);

/// Adds the functions that run a computation of the caller: plan, record, validate.
void bind_tile_computations(py::module_& tiles);

}  // namespace tacit::app::python
