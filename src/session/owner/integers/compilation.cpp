#include "session/owner/integers/compilation.h"

#include <memory>

#include "base/error.h"
#include "base/naming.h"
#include "base/process_memory.h"
#include "graph/labels.h"
#include "runtime/integers/prepared_integers.h"
#include "session/owner/disclosure.h"
#include "session/owner/integers/expect_errors.h"
#include "session/owner/integers/ranges_file.h"
#include "session/owner/integers/sharing.h"
#include "session/owner/options/compile_option.h"
#include "session/owner/options/content.h"
#include "session/owner/options/insecure_parameters.h"
#include "session/sentence.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

params::TfheLiteral tfhe_parameters_of(const std::string& given) {
  const std::optional<std::string> text = parameters_text(given, params::named_tfhe_literals());
  return text ? base::naming(content_name(given), [&] { return params::tfhe_literal_from_json(*text); })
              : params::named_tfhe_literal(given);
}

graph::quant::Measurements integer_ranges_of(const std::string& given) {
  if (!is_json(given)) return read_integer_ranges(given);
  return base::naming("the ranges in the options", [&] { return integer_ranges_from_json(given); });
}

}  // namespace

void require_options(const graph::Graph& graph, const graph::quant::CompileOptions& options) {
  require_range(options.input_range);
  graph::quant::require_options(graph, options);
}

IntegerCompilation compile_graph_on_integers(const std::string& name, graph::Graph graph,
                                             const graph::quant::CompileOptions& options,
                                             const base::MemoryBudget& memory, base::Progress& progress) {
  const Stopwatch watch;
  session::require_options(graph, options);
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
  const CompileOptions& given = request.options;
  require_heeded(given);
  graph::quant::CompileOptions options;
  if (given.bits != 0) options.bits = given.bits;
  if (given.log2_failure != 0) options.log2_failure = given.log2_failure;
  if (given.exact_rounding) options.rounding = graph::quant::Rounding::exact;
  if (!given.parameters.empty()) {
    options.parameters = tfhe_parameters_of(given.parameters);
    require_permitted(params::TfheParameters::check(*options.parameters).identity(), given.insecure);
  }
  if (given.share) params::check(sharing_of(*given.share).value());
  options.client_before = given.client_before;
  options.keep_private = {given.keep_private.begin(), given.keep_private.end()};
  options.keep_measurements = request.keep_calibration;
  if (const std::string& ranges = given.ranges; !ranges.empty()) {
    if (!request.rows.files.empty() || !request.calibration.empty())
      throw base::InputError("--ranges and --calibrate both say what values the network takes: give one of them");
    options.measured = std::make_shared<const graph::quant::Measurements>(integer_ranges_of(ranges));
  }
  options.calibration = read_calibration(request);
  options.trim = given.calibration_trim;
  options.first_sample = request.rows.first.value_or(0);
  options.input_range = public_input_range(request);
  if (!options.input_range && options.measured) options.input_range = options.measured->input_range;
  options.passes = pass_control(given);
  return options;
}

IntegerCompilation compile_integers(CompileRequest request, base::Progress& progress) {
  const graph::quant::CompileOptions options = options_on_integers(request);
  return compile_integers(std::move(request), options, progress);
}

IntegerCompilation compile_integers(CompileRequest request, const graph::quant::CompileOptions& options,
                                    base::Progress& progress) {
  const Stopwatch watch;
  IntegerCompilation compilation = compile_graph_on_integers(
      request.model.filename().string(), std::move(request.graph), options, request.memory, progress);
  if (const auto& share = request.options.share)
    require_shared(
        shared_numbers_json(compilation.model.program, params::TfheParameters::check(compilation.model.parameters)),
        sharing_of(*share).value(), graph::has_labels(compilation.model.parts));
  if (!request.keep_calibration) state_errors(compilation, options.calibration, request.options.max_error, progress);
  compilation.seconds = watch.seconds();
  return compilation;
}

}  // namespace tacit::session
