#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace tacit::app::python {

/// JSON as Python's objects.
pybind11::object parsed(const std::string& json);

/// A report page for a notebook: a frame of its own, which holds the page and may run scripts and nothing else.
std::string notebook_frame(const std::string& title, const std::string& kind, const std::string& json);

}  // namespace tacit::app::python
