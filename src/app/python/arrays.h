#pragma once

#include <pybind11/numpy.h>
#include <tacit/model.h>

#include <vector>

namespace tacit::app::python {

/// An array of row-major doubles. Other arrays are converted.
using Array = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

/// Converts an array [rows, elements] for every input of a model to one Tensors per row. Throws InputError for arrays
/// of another rank, and of different numbers of rows.
std::vector<Tensors> rows_of(const std::vector<Array>& arrays);

/// Converts results row by row to an array [rows, elements] per output.
std::vector<Array> arrays_of(const std::vector<Tensors>& rows);

/// Returns all elements, row-major.
std::vector<double> elements_of(const Array& array);

}  // namespace tacit::app::python
