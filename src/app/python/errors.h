#pragma once

#include <pybind11/pybind11.h>

#include <functional>

namespace tacit::app::python {

/// Exceptions of the library become those of tacit.errors, which has to be importable.
void translate_errors();

/// Calls what calls Python. A tacit.InputError that comes out of it is thrown as InputError, which the library's own
/// code between two layers of Python catches by that name.
void rethrow_input_errors(const std::function<void()>& call);

}  // namespace tacit::app::python
