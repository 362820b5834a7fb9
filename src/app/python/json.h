#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace tacit::app::python {

/// Returns JSON as Python objects.
pybind11::object parsed(const std::string& json);

/// Returns a report page for a notebook: a separate frame that holds the page, may run scripts and may do nothing else.
std::string notebook_frame(const std::string& title, const std::string& kind, const std::string& json);

}  // namespace tacit::app::python
