#pragma once

#include <pybind11/pybind11.h>
#include <tacit/progress.h>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace tacit::app::python {

/// Carries out `body` on another thread. The caller, who holds the GIL, gives it to other Python threads
/// meanwhile, and takes it several times a second to let Python handle signals and to call `report(stage, done, total)`
/// (None: nobody is told). An exception of a signal handler (KeyboardInterrupt) or of the report cancels the work and
/// is thrown once it has unwound. `body` touches no Python object.
void work(const pybind11::object& report, const std::function<void(Progress&)>& body);

/// The same for work that returns something.
template <class Body>
auto result_of_work(const pybind11::object& report, Body&& body) {
  std::optional<std::invoke_result_t<Body&, Progress&>> result;
  work(report, [&](Progress& progress) { result.emplace(body(progress)); });
  return *std::move(result);
}

}  // namespace tacit::app::python
