#pragma once

#include <pybind11/pybind11.h>

namespace tacit::app::python {

/// Turns exceptions of the library into those of tacit.errors. That module must be importable.
void translate_errors();

/// Call it inside a handler. Throws a tacit.InputError as InputError, and any other exception unchanged.
[[noreturn]] void rethrow(pybind11::error_already_set& error);

/// Runs `call`, which calls Python. A tacit.InputError that leaves it is thrown as InputError. The library's code
/// between two layers of Python catches that type.
template <class Call>
auto with_input_errors(const Call& call) {
  try {
    return call();
  } catch (pybind11::error_already_set& error) {
    rethrow(error);
  }
}

}  // namespace tacit::app::python
