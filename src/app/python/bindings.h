#pragma once

#include <pybind11/pybind11.h>
#include <tacit/insecure.h>

#include <filesystem>

namespace tacit::app::python {

namespace py = pybind11;
using py::arg;
using Path = std::filesystem::path;
using Unlocked = py::call_guard<py::gil_scoped_release>;

inline InsecureParameters permission(bool allowed) {
  return allowed ? InsecureParameters::allow : InsecureParameters::refuse;
}

/// Each function adds the classes and functions of one header of include/tacit to the module tacit._core. The package
/// in python/ adds NumPy's shapes, progress and defaults to them.
void bind_model(py::module_& core);
void bind_validation(py::module_& core);
void bind_receipt(py::module_& core);
void bind_merkle(py::module_& core);
void bind_tiles(py::module_& core);

}  // namespace tacit::app::python
