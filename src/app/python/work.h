#pragma once

#include <pybind11/pybind11.h>
#include <tacit/progress.h>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace tacit::app::python {

/// Carries out `body` on another thread. Meanwhile the caller, who holds the GIL, gives it to other Python threads.
/// Several times a second it takes the GIL to let Python handle signals and to call `report(stage, done, total)` (None:
/// no reports). An exception of a signal handler (KeyboardInterrupt) or of the report cancels the work. It is thrown
/// when the work has unwound. `body` touches no Python object.
void work(const pybind11::object& report, const std::function<void(Progress&)>& body);

/// Carries out work that returns a value, as `work` does.
template <class Body>
auto result_of_work(const pybind11::object& report, Body&& body) {
  std::optional<std::invoke_result_t<Body&, Progress&>> result;
  work(report, [&](Progress& progress) { result.emplace(body(progress)); });
  return *std::move(result);
}

}  // namespace tacit::app::python
