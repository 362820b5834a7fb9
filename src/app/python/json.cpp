#include "app/python/json.h"

#include <nlohmann/json.hpp>

#include "app/report_page.h"

namespace tacit::app::python {

namespace py = pybind11;

py::object parsed(const std::string& json) { return py::module_::import("json").attr("loads")(json); }

std::string notebook_frame(const std::string& title, const std::string& kind, const std::string& json) {
  const std::string page = report_page({{"title", title}, {kind, nlohmann::ordered_json::parse(json)}});
  const auto escaped = py::module_::import("html").attr("escape")(page).cast<std::string>();
  return "<iframe sandbox=\"allow-scripts\" style=\"width: 100%; height: 45em; border: 0\" srcdoc=\"" + escaped +
         "\"></iframe>";
}

}  // namespace tacit::app::python
