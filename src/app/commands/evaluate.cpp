#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output_files.h"
#include "app/progress_bar.h"
#include "app/warnings.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/process_memory.h"
#include "program/cost.h"
#include "runtime/artefact.h"
#include "runtime/ciphertext_file.h"
#include "runtime/executor.h"
#include "runtime/key_store.h"
#include "runtime/receipt.h"
#include "runtime/server_model.h"
#include "session/sentence.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct Options {
  std::filesystem::path server, keys, input, output, receipt;
  ComputeOptions compute;
};

std::vector<std::string> output_names(const program::Program& program) {
  std::vector<std::string> names;
  for (const program::Instruction& instruction : program.instructions)
    if (const auto* output = std::get_if<program::Output>(&instruction.operation)) names.push_back(output->name);
  return names;
}

std::vector<std::string> input_names(const program::Program& program) {
  std::vector<std::string> names;
  for (const program::Instruction& instruction : program.instructions)
    if (const auto* input = std::get_if<program::Input>(&instruction.operation)) names.push_back(input->name);
  return names;
}

/// Roots of what is read, taken before reading and compared when all is done.
struct ReadRoots {
  base::Digest model, keys, input;
  explicit ReadRoots(const Options& options)
      : model(runtime::artefact_root(options.server)),
        keys(runtime::artefact_root(options.keys)),
        input(runtime::artefact_root(options.input)) {}
  bool operator==(const ReadRoots&) const = default;
};

int evaluate(const Options& options) {
  options.compute.apply();
  // Whatever the option it comes under: a server has no business with a secret key.
  for (const auto& file : {options.server, options.keys, options.input}) runtime::refuse_secret_key(file, "evaluate");
  std::filesystem::path receipt_file = options.receipt;
  if (receipt_file.empty()) (receipt_file = options.output) += ".receipt";
  check_output_files({options.output, receipt_file}, {options.server, options.keys, options.input});
  ProgressBar bar(stderr, isatty(STDERR_FILENO));
  base::Progress& progress = bar;

  const ReadRoots roots(options);
  // Taken before the keys are read: they belong to what the executor counts.
  const base::MemoryBudget memory = options.compute.memory_budget();
  runtime::ServerModel model = runtime::load_server_model(options.server);
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(model.literal));
  warn_if_insecure(context->parameters());
  runtime::Binding binding;
  // For its bytes, which no price changes.
  const program::ProgramCost cost = program::price(model.program, model.literal, params::CostTable{});
  if (const double least = cost.memory.keys + cost.memory.values; least >= static_cast<double>(memory.available()))
    throw base::InputError(memory.shortfall("keys and ciphertexts of model '" + model.name + "' need", least));
  progress.begin("reading keys", 0);
  auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
      runtime::load_evaluation_keys(options.keys, context, &model.id, binding));
  progress.end();
  const runtime::CiphertextReader inputs(options.input, context, runtime::CiphertextRole::inputs);
  runtime::require_same_keys(binding, options.keys.string(), inputs.binding(), options.input.string());
  if (inputs.names() != input_names(model.program))
    throw base::InputError(fmt::format(
        "{} holds other tensors than the network's inputs; give the file that encrypt wrote", options.input.string()));

  runtime::CiphertextWriter outputs(options.output, context, runtime::CiphertextRole::results, inputs.binding(),
                                    output_names(model.program));
  const std::uint64_t key_bytes = keys->bytes();
  const auto prepared = std::make_shared<const runtime::PreparedProgram>(
      context, std::move(model.program),
      runtime::PrepareOptions{.memory = memory, .key_bytes = key_bytes, .progress = &progress});
  const runtime::Executor executor(prepared, std::move(keys));
  prepared->encode();
  progress.begin("evaluating", inputs.samples());
  double seconds = 0;
  for (std::size_t i = 0; i < inputs.samples(); ++i) {
    const std::vector<runtime::CiphertextArray> sample = inputs.read(i);
    const session::Stopwatch watch;
    const runtime::RunResult result = executor.run(sample);
    seconds += watch.seconds() / static_cast<double>(inputs.samples());
    outputs.add(result.outputs);
    progress.advance(1);
  }
  outputs.finish();
  progress.end();
  if (ReadRoots(options) != roots)
    throw base::InputError("the model, the keys or the inputs were replaced while they were evaluated; evaluate again");
  const runtime::Receipt receipt{TACIT_VERSION, context->parameters().hash(),          roots.model, roots.keys,
                                 roots.input,   runtime::artefact_root(options.output)};
  runtime::save(receipt, receipt_file);
  if (options.compute.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"model", model.name},
                                              {"security_bits", context->parameters().security_bits()},
                                              {"images", inputs.samples()},
                                              {"threads", base::thread_limit()},
                                              {"output", options.output.string()},
                                              {"bytes", std::filesystem::file_size(options.output)},
                                              {"root", base::hexadecimal(receipt.output)},
                                              {"receipt", receipt_file.string()},
                                              {"seconds", {{"evaluate", seconds}}},
                                              {"key_bytes", key_bytes},
                                              {"peak_memory_bytes", base::peak_resident_bytes()}}
                           .dump(2));
  else
    fmt::print("  {} evaluated to {}, {:.3f} s each, peak memory {}\n  root {}, receipt {}\n",
               session::counted(inputs.samples(), "input"), options.output.string(), seconds,
               base::byte_size_text(static_cast<double>(base::peak_resident_bytes())),
               base::hexadecimal(receipt.output), receipt_file.string());
  return kSuccess;
}

}  // namespace

void add_evaluate(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("evaluate", "Run a network on ciphertexts, without any secret");
  command->add_option("server", options->server, "The server's half of a compiled network")->required();
  command->add_option("--keys", options->keys, "The client's evaluation keys (a secret key is refused)")->required();
  command->add_option("--input", options->input, "Ciphertexts from encrypt")->required();
  command->add_option("-o,--output", options->output, "File for the encrypted results")->required();
  command->add_option("--receipt", options->receipt,
                      "File for the receipt, the roots of all that was computed with; the output's name and .receipt "
                      "when absent");
  options->compute.add_to(*command);
  command->footer("Example:\n  tacit evaluate lenet/server.tacit --keys my.evaluation --input x.ct -o y.ct\n");
  command->callback([options, &status] { status = evaluate(*options); });
}

}  // namespace tacit::app::commands
