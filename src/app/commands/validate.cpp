#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/report_page.h"
#include "app/warnings.h"
#include "base/error.h"
#include "check/slots/validation_run.h"
#include "runtime/compiled_model.h"
#include "session/owner/compilation.h"
#include "session/owner/dataset.h"
#include "session/owner/halves.h"
#include "session/owner/integers/compilation.h"
#include "session/owner/integers/validation.h"
#include "session/owner/validation_report.h"
#include "session/sentence.h"

namespace tacit::app::commands {
namespace {

struct ValidateOptions : NetworkOptions {
  InputOptions inputs;
  PrivacyOptions privacy;
  std::string validate = "nn";
  double epsilon = -4;
  bool end_to_end = false, fail_fast = false, strict = false, dry = false;
  std::filesystem::path secret, evaluation, report;
};

int report_dry(const ValidateOptions& options, const std::vector<check::DryValue>& values) {
  const nlohmann::ordered_json json = session::dry_run_json(values);
  print_report(options.compute.json, json, session::dry_run_text(values));
  return json["failed"].get<bool>() ? kValidationFailed : kSuccess;
}

/// A compiled network is the server's half or the folder that holds it.
std::optional<std::filesystem::path> compiled_file(const std::filesystem::path& model) {
  std::error_code error;
  if (std::filesystem::is_directory(model, error)) return model / "server.tacit";
  if (model.extension() == ".tacit") return model;
  return std::nullopt;
}

constexpr const char* kSecretWarning =
    "validate holds the secret key and decrypts every value it looks at, exactly; never run it on a server, and do not "
    "share what it shows";

/// ValidateOptions that compare with other messages than a program on integers has.
void require_integers(const ValidateOptions& options) {
  const auto refuse = [](bool given, const char* option) {
    if (given)
      base::refuse(
          "{} belongs to --scheme ckks: on integers (--scheme tfhe) sums and lookups are compared exactly, with fresh "
          "keys",
          option);
  };
  refuse(options.dry, "--dry");
  refuse(options.end_to_end, "--end-to-end");
  refuse(options.strict, "--strict");
  refuse(!options.report.empty(), "--report");
  refuse(!options.secret.empty(), "--secret");
}

int validate_integers(const ValidateOptions& options, const session::IntegerCompilation& compilation,
                      const session::Dataset& data, std::int64_t end, base::Progress& progress) {
  print_sentence(kSecretWarning);
  std::vector<std::vector<graph::Tensor>> samples;
  for (std::int64_t row = options.inputs.first; row < end; ++row) samples.push_back(data.sample(row));
  const session::IntegerValidation validation =
      session::validate_integers(compilation.model, samples, options.compute.memory_budget(), progress);
  print_report(options.compute.json, session::integer_validation_json(validation),
               session::integer_validation_text(validation));
  return validation.failed() ? kValidationFailed : kSuccess;
}

int validate(const ValidateOptions& options) {
  options.privacy.apply();
  options.compute.apply();
  if (options.dry && !options.report.empty())
    throw base::InputError(
        "--report shows the errors of a run on ciphertexts, and --dry runs nothing; leave one of them out");
  check::Request request = check::parse_request(options.validate, options.epsilon);
  request.strict = options.strict;
  if (options.secret.empty() != options.evaluation.empty())
    throw base::InputError("--secret and --evaluation go together: give both files of one key generation, or neither");
  if (const auto file = compiled_file(options.model)) {
    if (!options.dry)
      base::refuse(
          "{} is a compiled network, which --dry can follow; to validate operators give the ONNX file, whose operators "
          "are what the encrypted ones are compared with",
          options.model.string());
    const runtime::ServerModel model = runtime::load_server_model(*file);
    return report_dry(options, check::dry_run(model.program, model.literal));
  }
  ProgressBar bar;
  graph::Graph graph = options.read(options.inputs.files);
  if (!options.dry && options.inputs.files.empty())
    throw base::InputError("--input is required: validation runs the network on one input; --dry needs none");
  std::optional<session::Dataset> data;
  if (!options.inputs.files.empty()) data.emplace(options.inputs.files, graph, options.preprocessing);
  if (options.choices.scheme == Scheme::automatic)
    throw base::InputError("validate compares in one scheme: --scheme ckks or --scheme tfhe");
  session::CompileRequest asked = options.request(std::move(graph));
  std::int64_t end = 0;  // behind the last row
  if (data) {
    const std::int64_t last = options.inputs.rows(data->size()).second;
    end = options.inputs.count ? last : options.inputs.first + 1;
    asked.private_rows = session::PrivateRows{options.inputs.files, options.inputs.first, end};
  }
  // Keys belong to a model as `compile` made it, which sees no inputs.
  if (data && options.secret.empty()) asked.public_range = data->public_range();
  if (options.choices.scheme == Scheme::tfhe) {
    require_integers(options);
    return validate_integers(options, session::compile_integers(std::move(asked), bar), *data, end, bar);
  }
  const session::Compilation compilation = session::compile_network(std::move(asked), bar);
  warn_of(compilation.warnings);
  if (options.dry) return report_dry(options, check::dry_run(compilation.model.program, compilation.model.parameters));

  print_sentence(kSecretWarning);
  const base::MemoryBudget memory = options.compute.memory_budget();
  const check::OwnerKeys keys =
      options.secret.empty() ? check::OwnerKeys::generate(compilation.model, bar, memory)
                             : check::OwnerKeys::load(compilation.model, session::halves_of(compilation).server.id,
                                                      options.secret, options.evaluation);
  warn_if_insecure(keys.context->parameters().identity());
  std::vector<check::Sample> samples;
  for (std::int64_t row = options.inputs.first; row < end; ++row)
    samples.push_back(graph::numbers_of(graph::run_before(compilation.model.parts, data->sample(row))));
  const check::Report report =
      check::run_validation(compilation.model, request, {options.end_to_end, options.fail_fast}, keys, samples,
                            {.memory = memory, .progress = &bar});
  nlohmann::ordered_json json = session::validation_json(report);
  write_report(options.report, session::validation_page(compilation.name, options.validate, options.end_to_end, json));
  print_report(options.compute.json, json, session::validation_text(report));
  const check::OperatorResult* failure = report.first_failure();
  if (failure && options.fail_fast) fmt::print(stderr, "{}\n", session::printable(check::failure_text(*failure)));
  return failure ? kValidationFailed : kSuccess;
}

}  // namespace

void add_validate(CLI::App& app, int& status) {
  auto [command, options] = add_command(
      app, status, "validate", "Compare every encrypted operator with the operator on the decrypted message", validate,
      "Exit status 3 says that an operator failed.\n\n"
      "Example:\n  tacit validate cryptonets.onnx --input images.npy --scale 256 --validate nn --epsilon -4\n");
  command.add_option("model", options.model, "The network, an ONNX file; with --dry also a compiled one")->required();
  options.inputs.add_to(command);
  command.get_option("--input")->required(false);
  command.get_option("--count")->description("How many inputs, of which the worst is reported; one when absent");
  command
      .add_option("--validate", options.validate,
                  "nn (operators of the model), vector (instructions on tensors) or instruction (on slots); behind a "
                  "colon a pattern over the names of nodes, like nn:conv*")
      ->capture_default_str();
  command.add_option("--epsilon", options.epsilon, "Elements may differ by 10 to this power")->capture_default_str();
  command.add_flag("--strict", options.strict, "Allow approximated functions no more error than other operators");
  command.add_flag(
      "--end-to-end", options.end_to_end,
      "Compare with a run in the clear, so that drift shows, not with each operator on decrypted operands");
  command.add_flag("--fail-fast", options.fail_fast, "Stop at the first failure");
  command.add_flag("--dry", options.dry, "Follow levels, scales and ranges only: no keys, no input");
  command.add_option("--report", options.report,
                     "Write a page with the error along the network (HTML, self-contained)");
  command.add_option("--secret", options.secret, "Your secret key for this model; fresh keys when absent");
  command.add_option("--evaluation", options.evaluation, "The evaluation keys that belong to --secret");
  options.add_to(command);
  options.privacy.add_to(command);
}

}  // namespace tacit::app::commands
