#include "app/python/guarded_objects.h"

#include <cstddef>
#include <string>

namespace tacit::app::python {
namespace {

namespace py = pybind11;

/// pybind11 asks for memory where a call gets an object without a value: after X.__new__(X), and in a subclass that has
/// not called super().__init__() yet.
void* refuse_memory(std::size_t) {
  throw py::type_error(
      "an object without a value: its constructor has not run; make objects by constructors, loaders and functions of "
      "tacit, not by __new__");
}

void refuse_reduction(const py::object& self) {
  const auto name = py::type::of(self).attr("__name__").cast<std::string>();
  throw py::type_error("objects of type " + name +
                       " are neither copied nor pickled; share the object, or write a file where it has a save method");
}

}  // namespace

void guard_objects(const py::module_& module) {
  // Assigning to __class__ would read the memory of one type as another's.
  constexpr unsigned long kSubclassed = Py_TPFLAGS_BASETYPE;
#if PY_VERSION_HEX >= 0x030A0000
  constexpr unsigned long kImmutable = Py_TPFLAGS_IMMUTABLETYPE;
#else
  constexpr unsigned long kImmutable = 0;
#endif
  for (const auto& [key, value] : module.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(value)) continue;
    auto* const type = reinterpret_cast<PyTypeObject*>(value.ptr());
    py::detail::type_info* const info = py::detail::get_type_info(type);
    if (info == nullptr) continue;
    info->operator_new = &refuse_memory;
    if (!value.attr("__dict__").contains("__reduce__"))
      value.attr("__reduce__") = py::cpp_function(&refuse_reduction, py::name("__reduce__"), py::is_method(value));
    type->tp_flags = (type->tp_flags & ~kSubclassed) | kImmutable;
    PyType_Modified(type);
  }
}

}  // namespace tacit::app::python
