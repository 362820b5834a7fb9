#include "app/python/errors.h"

#include <tacit/error.h>
#include <tacit/progress.h>

#include <exception>
#include <string>
#include <string_view>

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

/// Bytes that are no UTF-8, of paths for example, appear as \xff: without a text there would be no reason.
void raise(PyObject* type, const std::exception& error) {
  const std::string_view text = error.what();
  const auto size = static_cast<Py_ssize_t>(text.size());
  const auto decoded = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(text.data(), size, "backslashreplace"));
  if (decoded) PyErr_SetObject(type, decoded.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    raise(types().input_error, error);
  } catch (const KeyMismatch& error) {
    raise(types().key_mismatch, error);
  } catch (const InternalError& error) {
    raise(types().internal_error, error);
  } catch (const Cancelled& error) {
    raise(types().cancelled, error);
  } catch (const Error& error) {
    raise(types().error, error);
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
  // Lone surrogates, which names of files may hold, have no UTF-8.
  const py::object text = py::str(error.value()).attr("encode")("utf-8", "backslashreplace");
  throw InputError(text.cast<std::string>());
}

}  // namespace tacit::app::python
