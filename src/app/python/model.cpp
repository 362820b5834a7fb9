#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <tacit/model.h>
#include <tacit/score.h>
#include <tacit/secrets.h>

#include <map>
#include <string_view>
#include <variant>

#include "app/python/arrays.h"
#include "app/python/bindings.h"
#include "app/python/bytes.h"
#include "app/python/json.h"
#include "app/python/work.h"

namespace tacit::app::python {
namespace {

const char* name_of(Scheme scheme) { return scheme == Scheme::tfhe ? "tfhe" : "ckks"; }

CompileOptions options_of(const std::map<std::string, std::vector<std::string>>& given,
                          const std::vector<Array>& calibration, std::uint64_t memory, bool allow_insecure) {
  CompileOptions options;
  for (const auto& [option, words] : given) set_option(options, option, words);
  options.calibration = rows_of(calibration);
  options.memory_bytes = memory;
  options.insecure = permission(allow_insecure);
  return options;
}

using Explanations = std::vector<std::pair<std::string, std::string>>;

std::pair<CompiledModel, Explanations> compile_model(const std::variant<py::bytes, Path>& model,
                                                     const std::string& name,
                                                     const std::map<std::string, std::vector<std::string>>& given,
                                                     const std::vector<Array>& calibration, std::uint64_t memory,
                                                     bool allow_insecure, const std::vector<std::string>& explain,
                                                     const py::object& report) {
  CompileOptions options = options_of(given, calibration, memory, allow_insecure);
  Explanations explanations;
  if (!explain.empty()) {
    if (explain != std::vector<std::string>{"all"}) options.explained_passes = explain;
    options.explain = [&](const std::string& pass, const std::string& text) { explanations.emplace_back(pass, text); };
  }
  const auto* bytes = std::get_if<py::bytes>(&model);
  const auto content = bytes != nullptr ? std::string_view(*bytes) : std::string_view();
  CompiledModel compiled = result_of_work(report, [&](Progress& progress) {
    options.progress = &progress;
    return bytes != nullptr ? compile_bytes(content, name, options) : compile(std::get<Path>(model), options);
  });
  return {std::move(compiled), std::move(explanations)};
}

std::string calibrate_model(const std::variant<py::bytes, Path>& model, const std::string& name,
                            const std::map<std::string, std::vector<std::string>>& given,
                            const std::vector<Array>& calibration, std::uint64_t memory, bool allow_insecure,
                            const py::object& report) {
  CompileOptions options = options_of(given, calibration, memory, allow_insecure);
  const auto* bytes = std::get_if<py::bytes>(&model);
  const auto content = bytes != nullptr ? std::string_view(*bytes) : std::string_view();
  return result_of_work(report, [&](Progress& progress) {
    options.progress = &progress;
    return bytes != nullptr ? calibrate_bytes(content, name, options) : calibrate(std::get<Path>(model), options);
  });
}

Score cross_fit_model(const std::variant<py::bytes, Path>& model, const std::vector<Array>& inputs,
                      const std::string& name, const std::map<std::string, std::vector<std::string>>& given,
                      const std::vector<Array>& calibration, std::uint64_t memory, bool allow_insecure,
                      const std::vector<double>& labels, std::int64_t parts, std::int64_t most_samples,
                      const py::object& report) {
  CompileOptions options = options_of(given, calibration, memory, allow_insecure);
  const CrossFitOptions division{.labels = labels, .parts = parts, .most_samples = most_samples};
  const std::vector<Tensors> rows = rows_of(inputs);
  const auto* bytes = std::get_if<py::bytes>(&model);
  const auto content = bytes != nullptr ? std::string_view(*bytes) : std::string_view();
  return result_of_work(report, [&](Progress& progress) {
    options.progress = &progress;
    return bytes != nullptr ? cross_fit_bytes(content, name, rows, options, division)
                            : cross_fit(std::get<Path>(model), rows, options, division);
  });
}

py::list table_of_options() {
  py::list table;
  for (const OptionRow& row : option_table()) {
    py::dict option;
    option["name"] = row.name;
    option["form"] = row.form;
    option["absent"] = row.absent;
    option["help"] = row.help;
    option["slots"] = row.slots;
    option["integers"] = row.integers;
    option["repeats"] = row.repeats;
    table.append(std::move(option));
  }
  return table;
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
          "load", [](const Source& path, bool insecure) { return ClientModel::load(path, permission(insecure)); },
          arg("path"), arg("allow_insecure"), Unlocked())
      .def("save", &ClientModel::save, arg("path"), Unlocked())
      .def(
          "to_bytes", [](const ClientModel& self) { return saved_bytes([&](const Sink& sink) { self.save(sink); }); },
          "The bytes that save() writes.")
      .def("input_shapes", &ClientModel::input_shapes)
      .def("output_shapes", &ClientModel::output_shapes)
      .def("output_columns", &ClientModel::output_columns)
      .def("parameters", &ClientModel::parameters)
      .def("scheme", [](const ClientModel& model) { return name_of(model.scheme()); })
      .def("id", &ClientModel::id)
      .def("plan", &ClientModel::plan);
  py::class_<ServerModel>(core, "ServerModel")
      .def_static(
          "load", [](const Source& path, bool insecure) { return ServerModel::load(path, permission(insecure)); },
          arg("path"), arg("allow_insecure"), Unlocked())
      .def("save", &ServerModel::save, arg("path"), Unlocked())
      .def(
          "to_bytes", [](const ServerModel& self) { return saved_bytes([&](const Sink& sink) { self.save(sink); }); },
          "The bytes that save() writes.");
  py::class_<CompiledModel>(core, "CompiledModel", "Both halves, and what validation compares with.")
      .def_readonly("client", &CompiledModel::client)
      .def_readonly("server", &CompiledModel::server);
}

void bind_public_key(py::module_& core) {
  py::class_<ModelPublicKey>(core, "PublicKey")
      .def("save", &ModelPublicKey::save, arg("path"), Unlocked())
      .def(
          "to_bytes",
          [](const ModelPublicKey& self) { return saved_bytes([&](const Sink& sink) { self.save(sink); }); },
          "The bytes that save() writes.")
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
      .def(py::init<const ClientModel&, const Source&>(), arg("model"), arg("secret_key"), Unlocked())
      .def("save_secret_key", &Client::save_secret_key, arg("path"), Unlocked())
      .def("secret_key_bytes",
           [](const Client& self) { return saved_secret([&](const Sink& sink) { self.save_secret_key(sink); }); })
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
      .def(
          "to_bytes",
          [](const EncryptedTensors& self) { return saved_bytes([&](const Sink& sink) { self.save(sink); }); },
          "The bytes that save() writes.")
      .def_static("load_results", py::overload_cast<const ClientModel&, const Source&>(&EncryptedTensors::load),
                  arg("model"), arg("path"), Unlocked())
      .def_static("load_inputs", py::overload_cast<const ServerModel&, const Source&>(&EncryptedTensors::load),
                  arg("model"), arg("path"), Unlocked())
      .def_static(
          "load_questions",
          [](const ClientModel& model, const Source& path, const py::object& kept) {
            const HeldBuffer values(kept);
            const py::gil_scoped_release unlocked;
            return EncryptedTensors::load_questions(model, path, values.bytes());
          },
          arg("model"), arg("path"), arg("kept") = py::bytes())
      .def(
          "kept_values",
          [](const EncryptedTensors& self) {
            const std::vector<std::byte> kept = self.kept_values();
            return py::bytes(reinterpret_cast<const char*>(kept.data()), kept.size());
          },
          "The values that the client keeps of these inputs, in the clear. Empty for most models.")
      .def("require_answers_to", &EncryptedTensors::require_answers_to, arg("questions"),
           "KeyMismatch unless these are results, one of each of the questions and in their order.");
  py::class_<ModelKeys>(core, "EvaluationKeys", "What a server needs of a client: keys to multiply and rotate with.")
      .def("save", &ModelKeys::save, arg("path"), Unlocked())
      .def(
          "to_bytes", [](const ModelKeys& self) { return saved_bytes([&](const Sink& sink) { self.save(sink); }); },
          "The bytes that save() writes.")
      .def_static("load", &ModelKeys::load, arg("model"), arg("path"), Unlocked());
}

void bind_score(py::module_& core) {
  py::class_<Score>(core, "Score", "A compiled model compared with the plaintext network. It prints as a table.")
      .def_readonly("inputs", &Score::inputs)
      .def_property_readonly(
          "misses",
          [](const Score& score) {
            py::dict misses;
            for (const Miss& miss : score.misses) misses[py::int_(miss.input)] = miss.why;
            return misses;
          },
          "Inputs without an answer: the reason by input.")
      .def_readonly("agreement", &Score::agreement, "The share of inputs with the plaintext's answer in every output.")
      .def_readonly("accuracy", &Score::accuracy, "Of answered inputs, by the labels; R2 for a regression.")
      .def_readonly("plain_accuracy", &Score::plain_accuracy)
      .def_readonly("seconds", &Score::seconds, "Of evaluation, per answered input.")
      .def(
          "to_dict", [](const Score& score) { return parsed(score.json); }, "With the errors of every output.")
      .def("__str__", [](const Score& score) { return score.text; });
  core.def(
      "score",
      [](const CompiledModel& model, const std::vector<Array>& inputs, const std::vector<double>& labels,
         bool encrypted, std::uint64_t memory, const py::object& report) {
        const std::vector<Tensors> rows = rows_of(inputs);
        ScoreOptions options{.labels = labels, .encrypted = encrypted, .memory_bytes = memory};
        return result_of_work(report, [&](Progress& progress) {
          options.progress = &progress;
          return score(model, rows, options);
        });
      },
      arg("model"), arg("inputs"), py::kw_only(), arg("labels"), arg("encrypted"), arg("memory"), arg("report"));
}

}  // namespace

void bind_model(py::module_& core) {
  bind_score(core);
  bind_plan(core);
  bind_halves(core);
  bind_values(core);
  bind_public_key(core);
  bind_client(core);
  bind_server(core);
  core.def("compile", &compile_model, arg("model"), py::kw_only(), arg("name"), arg("options"), arg("calibration"),
           arg("memory"), arg("allow_insecure"), arg("explain"), arg("report"));
  core.def("calibrate", &calibrate_model, arg("model"), py::kw_only(), arg("name"), arg("options"), arg("calibration"),
           arg("memory"), arg("allow_insecure"), arg("report"));
  core.def("cross_fit", &cross_fit_model, arg("model"), arg("inputs"), py::kw_only(), arg("name"), arg("options"),
           arg("calibration"), arg("memory"), arg("allow_insecure"), arg("labels"), arg("parts"), arg("most_samples"),
           arg("report"));
  core.def("option_table", &table_of_options);
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
