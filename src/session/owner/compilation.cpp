#include "session/owner/compilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/naming.h"
#include "base/process_memory.h"
#include "session/bounded_file.h"
#include "session/cost_file.h"
#include "session/owner/dataset.h"
#include "session/owner/ranges_file.h"
#include "session/owner/shardings.h"
#include "session/owner/slots/expect_errors.h"
#include "session/sentence.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

params::CkksLiteral parameters_of(const std::string& choice) {
  std::vector<std::string> names = params::named_literals();
  std::ranges::copy(params::bootstrapping_literals(), std::back_inserter(names));
  const std::optional<std::string> text = parameters_text(choice, names);
  return text ? base::naming(choice, [&] { return params::literal_from_json(*text); }) : params::named_literal(choice);
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

/// Polynomials that are far from their functions. Many of one operator are one sentence.
std::vector<std::string> rough_polynomials(const std::vector<graph::Approximation>& approximations) {
  constexpr double kWarned = 0.02;
  constexpr std::size_t kMostByName = 2;
  std::map<std::string, std::vector<const graph::Approximation*>> rough;  // by operator
  for (const graph::Approximation& a : approximations)
    if (a.share > kWarned) rough[a.op].push_back(&a);
  std::vector<std::string> warnings;
  for (const auto& [op, list] : rough) {
    if (list.size() > kMostByName) {
      const graph::Approximation& worst = **std::ranges::max_element(list, {}, &graph::Approximation::share);
      warnings.push_back(
          fmt::format("the polynomials for {} operators {} are off by up to {:.1f} % of the function's largest value; "
                      "the worst is '{}', of degree {}",
                      list.size(), op, 100 * worst.share, worst.node, worst.degree));
      continue;
    }
    for (const graph::Approximation* a : list)
      warnings.push_back(fmt::format(
          "the polynomial of degree {} for {} '{}' is off by up to {:.1f} % of the function's largest value", a->degree,
          a->op, a->node, 100 * a->share));
  }
  return warnings;
}

/// Polynomials that are far from their functions, each by itself or all together, and weights that a budget has no room
/// for.
std::vector<std::string> warnings_of(const graph::CompiledModel& model, const base::MemoryBudget& budget) {
  std::vector<std::string> warnings = graph::warnings_of(model.far_rows);
  if (!model.degree_warning.empty()) warnings.push_back(model.degree_warning);
  for (std::string& warning : rough_polynomials(model.approximations)) warnings.push_back(std::move(warning));
  if (model.answers_changed > graph::kManyChanged)
    warnings.push_back(
        fmt::format("errors of polynomials are expected to change {:.0f} % of the answers, judged by the calibration "
                    "samples; higher degrees (--max-degree) change fewer",
                    100 * model.answers_changed));
  if (model.encoded_anew.bytes > 0)
    warnings.push_back(
        fmt::format("{} of the encoded weights do not fit the memory budget and are encoded anew in every run; {} "
                    "(--memory) hold them all",
                    base::byte_size_text(model.encoded_anew.bytes),
                    base::byte_size_text(1.05 * (model.memory.peak() + static_cast<double>(budget.reserved)))));
  return warnings;
}

/// True for a model with trees, whose features have bits on either scheme.
bool compares_features(const graph::Graph& graph) {
  return std::ranges::any_of(graph.nodes,
                             [](const graph::Node& node) { return node.op.starts_with("ai.onnx.ml.TreeEnsemble"); });
}

}  // namespace

std::vector<std::string> CompilationHead::all_warnings() const {
  std::vector<std::string> all = warnings;
  if (expected) std::ranges::copy(expected->warnings, std::back_inserter(all));
  return all;
}

void add_expected(CompilationHead& head, ExpectedErrors expected, const std::optional<double>& most,
                  const std::string& way_out) {
  if (expected.unanswered)
    base::refuse(
        "none of the calibration rows has an answer in a simulation: errors take values out of the intervals that the "
        "network was compiled for; {}, or take the other scheme (--scheme)",
        way_out);
  if (most) require_errors(expected, *most, way_out);
  expected.warnings = error_warnings(expected, way_out);
  head.expected = std::move(expected);
}

std::optional<std::string> parameters_text(const std::string& choice, const std::vector<std::string>& names) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  if (std::ranges::find(names, choice) != names.end()) return std::nullopt;
  std::error_code error;
  if (!std::filesystem::is_regular_file(choice, error))
    base::refuse("--parameters {} is neither a file nor one of {}", choice, fmt::join(names, ", "));
  return read_bounded(choice, kMostBytes);
}

std::vector<std::vector<graph::Tensor>> read_calibration(const CompileRequest& request) {
  const CompileChoices& choices = request.choices;
  if (choices.calibration.empty()) return {};
  const Dataset samples(choices.calibration, request.graph, request.preprocessing);
  const char* const option = choices.keep_calibration ? "--" : "--calibrate-";
  const std::int64_t begin = choices.calibration_first.value_or(0);
  const std::int64_t most = choices.calibration_count.value_or(kMostSamples);
  if (begin < 0 || begin >= samples.size())
    base::refuse("{}first {} lies outside {}, which holds {} samples", option, begin,
                 choices.calibration.front().string(), samples.size());
  if (most < 1) base::refuse("{}count {} must be at least 1", option, most);
  const std::int64_t end = std::min(samples.size(), begin + std::min(most, samples.size()));
  bool shares_rows = false;
  if (const auto& rows = request.private_rows)
    for (const auto& sample_file : choices.calibration)
      for (const auto& private_file : rows->files) {
        if (!same_file(sample_file, private_file)) continue;
        shares_rows = true;
        if (begin < rows->end && rows->begin < end)
          base::refuse(
              "calibration would use private inputs: rows {} to {} of {} and inputs {} to {} overlap; "
              "choose others with --calibrate-first",
              begin, end - 1, sample_file.string(), rows->begin, rows->end - 1);
      }
  std::vector<std::vector<graph::Tensor>> calibration;
  // A file may be sorted. Where nobody named rows, and it holds no private ones, they are taken evenly from all of it.
  const bool named = choices.calibration_first || choices.calibration_count;
  const std::int64_t count = end - begin, all = named || shares_rows ? count : samples.size();
  for (std::int64_t i = 0; i < count; ++i) calibration.push_back(samples.sample(begin + i * all / count));
  return calibration;
}

std::optional<std::pair<double, double>> public_input_range(const CompileRequest& request) {
  const CompileChoices& choices = request.choices;
  if (!choices.input_range.empty()) return std::pair(choices.input_range[0], choices.input_range[1]);
  if (request.public_range) return request.public_range;
  if (choices.calibration.empty()) return std::nullopt;
  return Dataset(choices.calibration, request.graph, request.preprocessing).public_range();
}

void require_range(const std::optional<std::pair<double, double>>& input_range) {
  if (!input_range) return;
  const auto [lowest, highest] = *input_range;
  if (!(lowest < highest) || !std::isfinite(lowest) || !std::isfinite(highest))
    base::refuse("the input range (--input-range) {},{} must go from a smaller to a larger finite number", lowest,
                 highest);
}

void require_options(const graph::Graph& graph, const graph::CompileOptions& options) {
  require_range(options.input_range);
  if (!(options.max_error >= 0 && options.max_error <= 1))
    base::refuse("the largest error of a polynomial (--max-polynomial-error) is {}, outside 0 to 1", options.max_error);
  graph::require_options(graph, options);
}

Compilation compile_graph(const std::string& name, graph::Graph graph, const graph::CompileOptions& options,
                          base::Progress& progress) {
  const Stopwatch watch;
  session::require_options(graph, options);
  Compilation compilation{{printable(name), std::move(graph)}, {}};
  compilation.costs = options.costs;
  compilation.calibrated = options.calibrated();
  compilation.input_bounded = options.input_range.has_value();
  compilation.model = graph::compile(compilation.graph, options, progress);
  base::release_kept_memory();  // what compiling took is more than what stays
  compilation.warnings = warnings_of(compilation.model, options.memory);
  compilation.seconds = watch.seconds();
  return compilation;
}

graph::CompileOptions compile_options(const CompileChoices& choices, const base::MemoryBudget& memory) {
  graph::CompileOptions options;
  if (!choices.parameters.empty()) options.parameters = parameters_of(choices.parameters);
  options.memory = memory;
  if (choices.max_degree) options.max_degree = options.max_value_degree = *choices.max_degree;
  if (choices.max_polynomial_error) options.max_error = *choices.max_polynomial_error;
  options.sharing = choices.sharing;
  options.client_before = choices.client_before;
  options.keep_private = {choices.keep_private.begin(), choices.keep_private.end()};
  options.costs = read_costs(choices.costs);
  options.batch = choices.batch;
  options.trim = choices.calibration_trim;
  options.first_sample = choices.calibration_first.value_or(0);
  options.keep_calibration = choices.keep_calibration;
  options.passes = choices.passes;
  options.shardings = read_shardings(choices.shardings);
  return options;
}

graph::CompileOptions options_on_slots(const CompileRequest& request) {
  const CompileChoices& choices = request.choices;
  const bool bits = choices.bits && !compares_features(request.graph);
  if (choices.scheme == Scheme::ckks && (bits || choices.log2_failure || choices.rounding))
    base::refuse("{} belongs to networks on integers: give --scheme tfhe as well", bits ? "--bits"
                                                                                   : choices.log2_failure
                                                                                       ? "--failure"
                                                                                       : "--rounding");
  graph::CompileOptions options = compile_options(choices, request.memory);
  if (choices.bits) options.feature_bits = *choices.bits;
  if (!choices.ranges.empty()) {
    if (!choices.calibration.empty())
      throw base::InputError("--ranges and --calibrate both say what values the network takes: give one of them");
    options.measured = std::make_shared<const graph::Calibration>(read_ranges(choices.ranges));
  }
  options.calibration = read_calibration(request);
  options.input_range = public_input_range(request);
  if (!options.input_range && options.measured) options.input_range = options.measured->input_range;
  return options;
}

Compilation compile_network(CompileRequest request, base::Progress& progress) {
  const graph::CompileOptions options = options_on_slots(request);
  return compile_network(std::move(request), options, progress);
}

Compilation compile_network(CompileRequest request, const graph::CompileOptions& options, base::Progress& progress) {
  const Stopwatch watch;
  const CompileChoices& choices = request.choices;
  Compilation compilation =
      compile_graph(request.model.filename().string(), std::move(request.graph), options, progress);
  if (!choices.keep_calibration) state_errors(compilation, options.calibration, choices.max_error, progress);
  compilation.seconds = watch.seconds();
  return compilation;
}

}  // namespace tacit::session
