#pragma once

#include <pybind11/pybind11.h>

namespace tacit::app::python {

/// Gives the same rules to all classes of `module`, once their methods are defined:
/// - A use of an object that no constructor has filled is a TypeError. pybind11 alone lends uninitialised memory.
/// - Copying and pickling are a TypeError, except for classes that define `__reduce__`.
/// - The classes have no subclasses and do not change, and an object keeps its class.
void guard_objects(const pybind11::module_& module);

}  // namespace tacit::app::python
