#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/commands.h"
#include "app/compilation.h"
#include "app/options.h"
#include "app/plan_report.h"
#include "app/progress_bar.h"
#include "graph/onnx/import.h"

namespace tacit::app::commands {
namespace {

struct Options {
  std::filesystem::path model;
  PreprocessingOptions preprocessing;
  CompileChoices choices;
  ComputeOptions compute;
};

int plan(const Options& options) {
  options.compute.apply();
  ProgressBar bar(stderr, isatty(STDERR_FILENO));
  const Compilation compilation = compile_network(options.model, graph::onnx::import_model(options.model),
                                                  options.choices, options.preprocessing.preprocessing, std::nullopt,
                                                  std::nullopt, options.compute.memory_budget(), bar);
  const nlohmann::ordered_json json = plan_json(compilation);
  if (options.compute.json)
    fmt::print("{}\n", json.dump(2));
  else
    fmt::print("{}\n{}", plan_text(json), instructions_text(json));
  return kSuccess;
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("plan", "Show how a network would be computed: parameters, layouts, keys, memory and time");
  command->add_option("model", options->model, "The network, an ONNX file")->required();
  options->preprocessing.add_to(*command);
  options->choices.add_to(*command);
  options->compute.add_to(*command);
  command->footer("No key is generated.\n\nExample:\n  tacit plan cryptonets.onnx --input-range 0,1\n");
  command->callback([options, &status] { status = plan(*options); });
}

}  // namespace tacit::app::commands
