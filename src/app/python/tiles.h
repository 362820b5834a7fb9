#pragma once

#include <pybind11/pybind11.h>
#include <tacit/tile.h>

namespace tacit::app::python {

using TensorClass = pybind11::class_<tile::Tensor>;

/// Operators of tile tensors, as methods and as Python's own.
void bind_tile_operators(TensorClass& tensor);

/// What runs a computation of the caller's: plan, record, validate.
void bind_tile_computations(pybind11::module_& tiles);

}  // namespace tacit::app::python
