#include "app/python/errors.h"

#include <tacit/error.h>
#include <tacit/progress.h>

#include <exception>

namespace tacit::app::python {
namespace {

namespace py = pybind11;

/// The types of tacit.errors, alive as long as the process: exceptions may be translated while Python ends.
struct Types {
  PyObject *error, *input_error, *key_mismatch, *internal_error, *cancelled;
};

const Types& types() {
  static const Types found = [] {
    const py::module_ errors = py::module_::import("tacit.errors");
    const auto type = [&](const char* name) { return errors.attr(name).cast<py::object>().release().ptr(); };
    return Types{type("Error"), type("InputError"), type("KeyMismatch"), type("InternalError"), type("Cancelled")};
  }();
  return found;
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    PyErr_SetString(types().input_error, error.what());
  } catch (const KeyMismatch& error) {
    PyErr_SetString(types().key_mismatch, error.what());
  } catch (const InternalError& error) {
    PyErr_SetString(types().internal_error, error.what());
  } catch (const Cancelled& error) {
    PyErr_SetString(types().cancelled, error.what());
  } catch (const Error& error) {
    PyErr_SetString(types().error, error.what());
  }
}

}  // namespace

void translate_errors() {
  types();
  py::register_local_exception_translator(translate);
}

void rethrow(py::error_already_set& error) {
  const py::gil_scoped_acquire held;
  if (!error.matches(types().input_error)) throw;
  throw InputError(py::str(error.value()).cast<std::string>());
}

}  // namespace tacit::app::python
