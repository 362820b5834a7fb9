#pragma once

#include <pybind11/numpy.h>
#include <tacit/model.h>

#include <vector>

namespace tacit::app::python {

/// Row-major doubles; anything else is converted.
using Array = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

/// An array [rows, elements] for every input of a model, as one Tensors a row. InputError for arrays of another rank,
/// and of different numbers of rows.
std::vector<Tensors> rows_of(const std::vector<Array>& arrays);

/// The other way: results row by row become an array [rows, elements] an output.
std::vector<Array> arrays_of(const std::vector<Tensors>& rows);

/// All elements, row-major.
std::vector<double> elements_of(const Array& array);

}  // namespace tacit::app::python
