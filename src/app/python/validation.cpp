#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <tacit/validation.h>

#include "app/python/arrays.h"
#include "app/python/bindings.h"
#include "app/python/json.h"
#include "app/python/work.h"

namespace tacit::app::python {
namespace {

Validation validate_model(const CompiledModel& model, const std::vector<Array>& inputs, const std::string& operators,
                          double epsilon, bool strict, bool end_to_end, bool fail_fast, const Path& secret,
                          const Path& evaluation, std::uint64_t memory, const py::object& report) {
  const std::vector<Tensors> samples = rows_of(inputs);
  ValidationOptions options{operators, epsilon, strict, end_to_end, fail_fast, memory, nullptr, secret, evaluation};
  return result_of_work(report, [&](Progress& progress) {
    options.progress = &progress;
    return validate(model, samples, options);
  });
}

}  // namespace

void bind_validation(py::module_& core) {
  py::class_<ValidatedOperator>(core, "ValidatedOperator", "What comparing one operator found, over all inputs.")
      .def_readonly("node", &ValidatedOperator::node, "Of the model.")
      .def_readonly("operators", &ValidatedOperator::operators, "What it was compared with.")
      .def_readonly("worst_error", &ValidatedOperator::worst_error)
      .def_readonly("mean_error", &ValidatedOperator::mean_error)
      .def_readonly("tolerance", &ValidatedOperator::tolerance)
      .def_readonly("failed", &ValidatedOperator::failed)
      .def_readonly("index", &ValidatedOperator::index, "Of the first element that is off.")
      .def_readonly("encrypted", &ValidatedOperator::encrypted, "That element.")
      .def_readonly("message", &ValidatedOperator::message, "What it should be.")
      .def_readonly("cause", &ValidatedOperator::cause,
                    "On slots 'none', 'noise', 'range', 'scale', 'approximation', 'bug', 'drift' or 'grid'; on "
                    "integers in words.")
      .def_readonly("origin", &ValidatedOperator::origin, "The node that made the error.")
      .def_readonly("moved", &ValidatedOperator::moved,
                    "On integers: lookups that took the box beside their own, which rounding allows.")
      .def_readonly("noise_share", &ValidatedOperator::noise_share,
                    "On integers: the largest noise of a result, as a share of what it may have.");
  py::class_<Validation>(core, "Validation", "Every encrypted operator beside the operator of the model.")
      .def_readonly("operators", &Validation::operators, "In program order.")
      .def_readonly("failed", &Validation::failed)
      .def_readonly("text", &Validation::text, "A table for people.")
      .def_readonly("json", &Validation::json, "What `tacit validate --json` prints.")
      .def("to_dict", [](const Validation& validation) { return parsed(validation.json); })
      .def("__str__", [](const Validation& validation) { return validation.text; });
  core.def("validate", &validate_model, arg("model"), arg("inputs"), py::kw_only(), arg("operators"), arg("epsilon"),
           arg("strict"), arg("end_to_end"), arg("fail_fast"), arg("secret"), arg("evaluation"), arg("memory"),
           arg("report"));
  py::class_<DryRun>(core, "DryRun", "What a program on slots does to levels, scales and ranges.")
      .def_readonly("failed", &DryRun::failed, "A value leaves its range or its level.")
      .def_readonly("text", &DryRun::text, "A table for people.")
      .def_readonly("json", &DryRun::json, "What `tacit validate --dry --json` prints.")
      .def("to_dict", [](const DryRun& run) { return parsed(run.json); })
      .def("__str__", [](const DryRun& run) { return run.text; });
  core.def("dry_run", &dry_run, arg("model"), py::call_guard<py::gil_scoped_release>());
}

}  // namespace tacit::app::python
