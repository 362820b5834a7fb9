#include "session/owner/integers/compilation.h"

#include "base/error.h"
#include "base/naming.h"
#include "base/process_memory.h"
#include "runtime/integers/prepared_integers.h"
#include "session/owner/integers/expect_errors.h"
#include "session/sentence.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

params::TfheLiteral tfhe_parameters_of(const std::string& choice) {
  const std::optional<std::string> text = parameters_text(choice, params::named_tfhe_literals());
  return text ? base::naming(choice, [&] { return params::tfhe_literal_from_json(*text); })
              : params::named_tfhe_literal(choice);
}

/// Options that say something about slots alone.
void require_no_slots(const CompileChoices& choices) {
  const auto refuse = [](const char* option) {
    base::refuse("{} belongs to --scheme ckks, not to integers (--scheme tfhe)", option);
  };
  if (choices.scheme == Scheme::automatic) return;  // for the other scheme
  if (choices.max_degree) refuse("--max-degree");
  if (choices.max_polynomial_error) refuse("--max-polynomial-error");
  if (choices.sharing) refuse("--share");
  if (!choices.costs.empty()) refuse("--costs");
  if (!choices.ranges.empty()) refuse("--ranges");
  if (!choices.shardings.empty()) refuse("--shard");
  if (choices.batch != std::optional<std::int64_t>(1)) refuse("--batch");
}

}  // namespace

void require_options(const graph::quant::CompileOptions& options) {
  require_range(options.input_range);
  graph::quant::require_options(options);
}

IntegerCompilation compile_graph_on_integers(const std::string& name, graph::Graph graph,
                                             const graph::quant::CompileOptions& options,
                                             const base::MemoryBudget& memory, base::Progress& progress) {
  const Stopwatch watch;
  session::require_options(options);
  IntegerCompilation compilation{{printable(name), std::move(graph)}, {}};
  compilation.model = graph::quant::compile(compilation.graph, options, progress);
  memory.require(
      "keys, tables and ciphertexts of model '" + compilation.name + "' need",
      runtime::memory_need(compilation.model.program, params::TfheParameters::check(compilation.model.parameters)));
  compilation.warnings = graph::warnings_of(compilation.model.far_rows);
  for (const std::string& warning : compilation.model.warnings) compilation.warnings.push_back(warning);
  base::release_kept_memory();
  compilation.seconds = watch.seconds();
  return compilation;
}

graph::quant::CompileOptions options_on_integers(const CompileRequest& request) {
  const CompileChoices& choices = request.choices;
  require_no_slots(choices);
  graph::quant::CompileOptions options;
  if (choices.bits) options.bits = *choices.bits;
  if (choices.log2_failure) options.log2_failure = *choices.log2_failure;
  if (choices.rounding) options.rounding = *choices.rounding;
  if (!choices.parameters.empty()) options.parameters = tfhe_parameters_of(choices.parameters);
  options.client_before = choices.client_before;
  options.keep_private = {choices.keep_private.begin(), choices.keep_private.end()};
  options.calibration = read_calibration(request);
  options.trim = choices.calibration_trim;
  options.first_sample = choices.calibration_first.value_or(0);
  options.input_range = public_input_range(request);
  options.passes = choices.passes;
  return options;
}

IntegerCompilation compile_integers(CompileRequest request, base::Progress& progress) {
  const graph::quant::CompileOptions options = options_on_integers(request);
  return compile_integers(std::move(request), options, progress);
}

IntegerCompilation compile_integers(CompileRequest request, const graph::quant::CompileOptions& options,
                                    base::Progress& progress) {
  const Stopwatch watch;
  const CompileChoices& choices = request.choices;
  IntegerCompilation compilation = compile_graph_on_integers(
      request.model.filename().string(), std::move(request.graph), options, request.memory, progress);
  state_errors(compilation, options.calibration, choices.max_error, progress);
  compilation.seconds = watch.seconds();
  return compilation;
}

}  // namespace tacit::session
