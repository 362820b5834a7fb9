#pragma once

#include <pybind11/pybind11.h>

namespace tacit::app::python {

/// Exceptions of the library become those of tacit.errors, which has to be importable.
void translate_errors();

/// Inside a handler: throws a tacit.InputError as InputError, and what is none as it is.
[[noreturn]] void rethrow(pybind11::error_already_set& error);

/// Calls what calls Python. A tacit.InputError that comes out of it is thrown as InputError, which the library's own
/// code between two layers of Python catches by that name.
template <class Call>
auto with_input_errors(const Call& call) {
  try {
    return call();
  } catch (pybind11::error_already_set& error) {
    rethrow(error);
  }
}

}  // namespace tacit::app::python
