#include <pybind11/stl/filesystem.h>
#include <tacit/receipt.h>

#include "app/python/bindings.h"
#include "app/python/work.h"

namespace tacit::app::python {

void bind_receipt(py::module_& core) {
  py::class_<Receipt>(core, "Receipt", "What an evaluation says it computed with. It is no proof.")
      .def_readonly("version", &Receipt::version, "Of the library that evaluated.")
      .def_readonly("parameters", &Receipt::parameters, "Hash of the parameter set.")
      .def_readonly("model_id", &Receipt::model_id, "That both halves of the model compute from their content.")
      .def_readonly("model", &Receipt::model, "Root of the server's half.")
      .def_readonly("keys", &Receipt::keys, "Root of the evaluation keys.")
      .def_readonly("input", &Receipt::input, "Root of the encrypted inputs.")
      .def_readonly("output", &Receipt::output, "Root of the encrypted results.")
      .def_readonly("commitment", &Receipt::commitment, "One digest for all of the above.")
      .def_readonly("json", &Receipt::json, "All of it, as its file holds it. load_receipt reads it.")
      .def_readonly("signer", &Receipt::signer, "The Ed25519 key that signed it, checked; empty: nobody did.");
  core.def(
      "evaluate_files",
      [](const Path& model, const Path& keys, const Path& input, const Path& output, const Path& receipt,
         const Path& signing_key, const Path& checkpoint, std::uint64_t memory, bool allow_insecure,
         const py::object& report) {
        const EvaluationFiles files{model, keys, input, output, receipt, signing_key, checkpoint};
        return result_of_work(report, [&](Progress& progress) {
          return evaluate_files(files, memory, progress, permission(allow_insecure));
        });
      },
      arg("model"), arg("keys"), arg("input"), arg("output"), py::kw_only(), arg("receipt"), arg("signing_key"),
      arg("checkpoint"), arg("memory"), arg("allow_insecure"), arg("report"));
  core.def("load_receipt", &load_receipt, arg("path"));
  core.def("root_of", &root_of, arg("path"), py::call_guard<py::gil_scoped_release>());
}

}  // namespace tacit::app::python
