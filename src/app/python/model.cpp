#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <tacit/model.h>
#include <tacit/secrets.h>

#include <map>
#include <string_view>
#include <variant>

#include "app/python/arrays.h"
#include "app/python/bindings.h"
#include "app/python/json.h"
#include "app/python/work.h"

namespace tacit::app::python {
namespace {

Scheme scheme_of(const std::string& name) {
  if (name == "ckks") return Scheme::ckks;
  if (name == "tfhe") return Scheme::tfhe;
  if (name == "auto") return Scheme::automatic;
  throw InputError("scheme '" + name + "' is none of 'ckks', 'tfhe' and 'auto'");
}

const char* name_of(Scheme scheme) { return scheme == Scheme::tfhe ? "tfhe" : "ckks"; }

CompiledModel compile_model(const std::variant<py::bytes, Path>& model, const std::string& name,
                            const std::string& scheme, int bits, double log2_failure, bool exact_rounding,
                            const std::vector<Array>& calibration,
                            const std::optional<std::pair<double, double>>& input_range, const std::string& parameters,
                            bool allow_insecure, std::uint64_t memory, int max_degree, double max_polynomial_error,
                            const std::optional<double>& max_error, bool client_before,
                            const std::vector<std::string>& keep_private, const std::string& costs, std::int64_t batch,
                            const std::vector<std::string>& shard, const std::map<std::string, Shape>& shapes,
                            const std::map<std::string, double>& constants,
                            const std::optional<double>& calibration_trim, const py::object& report) {
  CompileOptions options;
  options.calibration = rows_of(calibration);
  options.input_range = input_range;
  options.parameters = parameters;
  options.insecure = permission(allow_insecure);
  options.memory_bytes = memory;
  options.max_degree = max_degree;
  options.max_polynomial_error = max_polynomial_error;
  options.max_error = max_error;
  options.client_before = client_before;
  options.keep_private = keep_private;
  options.costs = costs;
  options.batch = batch;
  options.shard = shard;
  options.shapes = shapes;
  options.constants = constants;
  options.calibration_trim = calibration_trim;
  options.scheme = scheme_of(scheme);
  options.bits = bits;
  options.log2_failure = log2_failure;
  options.exact_rounding = exact_rounding;
  const auto* bytes = std::get_if<py::bytes>(&model);
  const auto content = bytes != nullptr ? std::string_view(*bytes) : std::string_view();
  return result_of_work(report, [&](Progress& progress) {
    options.progress = &progress;
    return bytes != nullptr ? compile_bytes(content, name, options) : compile(std::get<Path>(model), options);
  });
}

void bind_plan(py::module_& core) {
  py::class_<Plan>(core, "Plan", "How a model will be computed, before any key exists.")
      .def_property_readonly("scheme", [](const Plan& plan) { return name_of(plan.scheme); })
      .def_readonly("lookups", &Plan::lookups, "On integers: of one input.")
      .def_readonly("log2_failure", &Plan::log2_failure, "On integers: of a lookup.")
      .def_readonly("security_bits", &Plan::security_bits, "0: insecure parameters.")
      .def_readonly("log_n", &Plan::log_n, "Of the ring.")
      .def_readonly("log_qp", &Plan::log_qp, "Bits of the largest modulus.")
      .def_readonly("levels", &Plan::levels)
      .def_readonly("rotations", &Plan::rotations)
      .def_readonly("rotation_keys", &Plan::rotation_keys)
      .def_readonly("bootstraps", &Plan::bootstraps)
      .def_readonly("input_ciphertexts", &Plan::input_ciphertexts)
      .def_readonly("output_ciphertexts", &Plan::output_ciphertexts)
      .def_readonly("seconds", &Plan::seconds, "Of one input on so many `threads` of `machine`, by prices.")
      .def_readonly("threads", &Plan::threads)
      .def_readonly("machine", &Plan::machine)
      .def_readonly("key_bytes", &Plan::key_bytes)
      .def_readonly("weight_bytes", &Plan::weight_bytes)
      .def_readonly("ciphertext_bytes", &Plan::ciphertext_bytes)
      .def_readonly("warnings", &Plan::warnings, "What whoever relies on the model should know.")
      .def_readonly("text", &Plan::text, "For people.")
      .def_readonly("json", &Plan::json)
      .def_readonly("batch", &Plan::batch, "Inputs that one run takes; counts are those of a run.")
      .def(
          "to_dict", [](const Plan& plan) { return parsed(plan.json); },
          "All of it, every operation, approximated functions and the client's steps too.")
      .def("__str__", [](const Plan& plan) { return plan.text; })
      .def("_repr_html_", [](const Plan& plan) { return notebook_frame("Plan", "model", plan.json); });
}

void bind_halves(py::module_& core) {
  py::class_<ClientModel>(core, "ClientModel")
      .def_static(
          "load", [](const Path& path, bool insecure) { return ClientModel::load(path, permission(insecure)); },
          arg("path"), arg("allow_insecure"), Unlocked())
      .def("save", &ClientModel::save, arg("path"), Unlocked())
      .def("input_shapes", &ClientModel::input_shapes)
      .def("output_shapes", &ClientModel::output_shapes)
      .def("output_columns", &ClientModel::output_columns)
      .def("parameters", &ClientModel::parameters)
      .def("scheme", [](const ClientModel& model) { return name_of(model.scheme()); })
      .def("id", &ClientModel::id)
      .def("plan", &ClientModel::plan);
  py::class_<ServerModel>(core, "ServerModel")
      .def_static(
          "load", [](const Path& path, bool insecure) { return ServerModel::load(path, permission(insecure)); },
          arg("path"), arg("allow_insecure"), Unlocked())
      .def("save", &ServerModel::save, arg("path"), Unlocked());
  py::class_<CompiledModel>(core, "CompiledModel", "Both halves, and what validation compares with.")
      .def_readonly("client", &CompiledModel::client)
      .def_readonly("server", &CompiledModel::server);
}

void bind_public_key(py::module_& core) {
  py::class_<ModelPublicKey>(core, "PublicKey")
      .def("save", &ModelPublicKey::save, arg("path"), Unlocked())
      .def_static("load", &ModelPublicKey::load, arg("model"), arg("path"), Unlocked())
      .def(
          "encrypt",
          [](const ModelPublicKey& key, const std::vector<Array>& inputs, const py::object& report) {
            const std::vector<Tensors> rows = rows_of(inputs);
            return result_of_work(report, [&](Progress& progress) { return key.encrypt_all(rows, progress); });
          },
          arg("inputs"), arg("report"));
}

void bind_client(py::module_& core) {
  py::class_<Client>(core, "Client")
      .def(py::init<const ClientModel&>(), arg("model"), Unlocked())
      .def(py::init<const ClientModel&, const Path&>(), arg("model"), arg("secret_key"), Unlocked())
      .def("save_secret_key", &Client::save_secret_key, arg("path"), Unlocked())
      .def("public_key", &Client::public_key, Unlocked())
      .def(
          "evaluation_keys",
          [](const Client& client, const py::object& report) {
            return result_of_work(report, [&](Progress& progress) { return client.evaluation_keys(progress); });
          },
          arg("report"))
      .def(
          "encrypt",
          [](const Client& client, const std::vector<Array>& inputs, const py::object& report) {
            const std::vector<Tensors> rows = rows_of(inputs);
            return result_of_work(report, [&](Progress& progress) { return client.encrypt_all(rows, progress); });
          },
          arg("inputs"), arg("report"))
      .def(
          "decrypt",
          [](const Client& client, const EncryptedTensors& outputs, std::optional<int> bits, double statistical_bits,
             double decryptions, bool labels, const py::object& report) {
            const Disclosure disclosure{bits, statistical_bits, decryptions, labels};
            return arrays_of(result_of_work(
                report, [&](Progress& progress) { return client.decrypt_all(outputs, disclosure, progress); }));
          },
          arg("outputs"), arg("bits"), arg("statistical_bits"), arg("decryptions"), arg("labels"), arg("report"));
}

void bind_server(py::module_& core) {
  py::class_<PreparedModel>(core, "PreparedModel")
      .def(py::init([](const ServerModel& model, std::uint64_t memory, int clients, const std::vector<ModelKeys>& held,
                       const py::object& report) {
             return result_of_work(
                 report, [&](Progress& progress) { return PreparedModel(model, memory, clients, progress, held); });
           }),
           arg("model"), arg("memory"), arg("clients"), arg("held"), arg("report"));
  py::class_<Server>(core, "Server")
      .def(py::init<const PreparedModel&, const ModelKeys&>(), arg("model"), arg("keys"), Unlocked())
      .def(
          "evaluate",
          [](Server& server, const EncryptedTensors& inputs, const py::object& report) {
            return result_of_work(report, [&](Progress& progress) { return server.evaluate(inputs, progress); });
          },
          arg("inputs"), arg("report"));
}

void bind_values(py::module_& core) {
  py::class_<EncryptedTensors>(core, "EncryptedTensors",
                               "Encrypted inputs of one evaluation or of many, or their encrypted results.")
      .def("__len__", &EncryptedTensors::size, "How many inputs.")
      .def("save", &EncryptedTensors::save, arg("path"), Unlocked())
      .def_static("load_results", py::overload_cast<const ClientModel&, const Path&>(&EncryptedTensors::load),
                  arg("model"), arg("path"), Unlocked())
      .def_static("load_inputs", py::overload_cast<const ServerModel&, const Path&>(&EncryptedTensors::load),
                  arg("model"), arg("path"), Unlocked())
      .def_static("load_questions", &EncryptedTensors::load_questions, arg("model"), arg("path"), Unlocked())
      .def("require_answers_to", &EncryptedTensors::require_answers_to, arg("questions"),
           "KeyMismatch unless these are results, one of each of the questions and in their order.");
  py::class_<ModelKeys>(core, "EvaluationKeys", "What a server needs of a client: keys to multiply and rotate with.")
      .def("save", &ModelKeys::save, arg("path"), Unlocked())
      .def_static("load", &ModelKeys::load, arg("model"), arg("path"), Unlocked());
}

}  // namespace

void bind_model(py::module_& core) {
  bind_plan(core);
  bind_halves(core);
  bind_values(core);
  bind_public_key(core);
  bind_client(core);
  bind_server(core);
  core.def("compile", &compile_model, arg("model"), py::kw_only(), arg("name"), arg("scheme"), arg("bits"),
           arg("log2_failure"), arg("exact_rounding"), arg("calibration"), arg("input_range"), arg("parameters"),
           arg("allow_insecure"), arg("memory"), arg("max_degree"), arg("max_polynomial_error"), arg("max_error"),
           arg("client_before"), arg("keep_private"), arg("costs"), arg("batch"), arg("shard"), arg("shapes"),
           arg("constants"), arg("calibration_trim"), arg("report"));
  core.def("plan", &plan, arg("model"));
  core.def(
      "simulate",
      [](const CompiledModel& model, const std::vector<Array>& inputs, const py::object& report) {
        const std::vector<Tensors> rows = rows_of(inputs);
        return arrays_of(result_of_work(report, [&](Progress& progress) { return simulate(model, rows, progress); }));
      },
      arg("model"), arg("inputs"), arg("report"));
  core.def("set_threads", &set_threads, arg("threads"), Unlocked());
  core.def("default_costs", &default_costs);
  core.def("forbid_core_dumps", &forbid_core_dumps);
  core.def("show_private_values", &show_private_values, arg("shown"));
}

}  // namespace tacit::app::python
