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
#include "session/owner/disclosure.h"
#include "session/owner/options/compile_option.h"
#include "session/owner/options/content.h"
#include "session/owner/options/insecure_parameters.h"
#include "session/owner/ranges_file.h"
#include "session/owner/shardings.h"
#include "session/owner/slots/expect_errors.h"
#include "session/sentence.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

params::CkksLiteral parameters_of(const std::string& given) {
  std::vector<std::string> names = params::named_literals();
  std::ranges::copy(params::bootstrapping_literals(), std::back_inserter(names));
  const std::optional<std::string> text = parameters_text(given, names);
  return text ? base::naming(content_name(given), [&] { return params::literal_from_json(*text); })
              : params::named_literal(given);
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

graph::Calibration ranges_of(const std::string& given) {
  if (!is_json(given)) return read_ranges(given);
  return base::naming("the ranges in the options", [&] { return ranges_from_json(given); });
}

params::CostTable costs_of(const std::string& given) {
  if (!is_json(given)) return read_costs(given);
  return base::naming("the costs in the options", [&] { return params::cost_table_from_json(given); });
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
        "none of the calibration rows has an answer in a simulation of the encrypted run; the first of them: {}; "
        "give other rows, or take the other scheme (--scheme)",
        expected.first_miss);
  if (most) require_errors(expected, *most, way_out);
  expected.warnings = error_warnings(expected, way_out);
  head.expected = std::move(expected);
}

std::optional<std::string> parameters_text(const std::string& given, const std::vector<std::string>& names) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  if (std::ranges::find(names, given) != names.end()) return std::nullopt;
  std::error_code error;
  if (!is_json(given) && !std::filesystem::is_regular_file(given, error))
    base::refuse("--parameters {} is neither a file nor one of {}", given, fmt::join(names, ", "));
  return content_of(given, kMostBytes);
}

std::vector<std::vector<graph::Tensor>> read_calibration(const CompileRequest& request) {
  const SampleRows& rows_of_files = request.rows;
  if (!request.calibration.empty() || rows_of_files.files.empty()) return request.calibration;
  const Dataset samples(rows_of_files.files, request.graph, request.preprocessing);
  const char* const option = request.keep_calibration ? "--" : "--calibrate-";
  const std::int64_t begin = rows_of_files.first.value_or(0);
  const std::int64_t most = rows_of_files.count.value_or(kMostSamples);
  if (begin < 0 || begin >= samples.size())
    base::refuse("{}first {} lies outside {}, which holds {} samples", option, begin,
                 rows_of_files.files.front().string(), samples.size());
  if (most < 1) base::refuse("{}count {} must be at least 1", option, most);
  const std::int64_t end = std::min(samples.size(), begin + std::min(most, samples.size()));
  bool shares_rows = false;
  if (const auto& rows = request.private_rows)
    for (const auto& sample_file : rows_of_files.files)
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
  const bool named = rows_of_files.first || rows_of_files.count;
  const std::int64_t count = end - begin, all = named || shares_rows ? count : samples.size();
  for (std::int64_t i = 0; i < count; ++i) calibration.push_back(samples.sample(begin + i * all / count));
  return calibration;
}

std::optional<std::pair<double, double>> public_input_range(const CompileRequest& request) {
  if (request.options.input_range) return request.options.input_range;
  if (request.public_range) return request.public_range;
  if (request.rows.files.empty()) return std::nullopt;
  return Dataset(request.rows.files, request.graph, request.preprocessing).public_range();
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

graph::PassControl pass_control(const CompileOptions& options) {
  return {.skipped = {options.skipped_passes.begin(), options.skipped_passes.end()},
          .explain = options.explain,
          .explained = {options.explained_passes.begin(), options.explained_passes.end()}};
}

graph::CompileOptions options_of_slots(const CompileOptions& options, const base::MemoryBudget& memory) {
  graph::CompileOptions result;
  if (!options.parameters.empty()) {
    result.parameters = parameters_of(options.parameters);
    const params::ParameterIdentity set = params::CkksParameters::check(*result.parameters).identity();
    require_permitted(set, options.insecure);
  }
  result.memory = memory;
  if (options.max_degree < 0) base::refuse("the highest degree (--max-degree) is {}, below 0", options.max_degree);
  if (options.max_degree > 0) result.max_degree = result.max_value_degree = options.max_degree;
  result.max_error = options.max_polynomial_error;
  if (options.precision != 0) result.precision = options.precision;
  if (options.share) {
    result.sharing = sharing_of(*options.share);
    params::check(result.sharing.value());
  }
  if (options.owners)
    result.owners =
        graph::ForOwners{.parts = params::OwnerParts(options.owners->owners, options.owners->threshold), .promise = {}};
  result.client_before = options.client_before;
  result.keep_private = {options.keep_private.begin(), options.keep_private.end()};
  result.costs = costs_of(options.costs);
  result.batch = options.batch == kCheapestBatch ? std::nullopt : std::optional(options.batch);
  result.trim = options.calibration_trim;
  result.passes = pass_control(options);
  result.shardings = read_shardings(options.shard);
  return result;
}

graph::CompileOptions options_on_slots(const CompileRequest& request) {
  require_heeded(request.options);
  if (request.options.bits != 0 && request.options.scheme == Scheme::ckks && !compares_features(request.graph))
    base::refuse("--bits belongs to networks on integers: give --scheme tfhe as well");
  graph::CompileOptions options = options_of_slots(request.options, request.memory);
  if (request.options.bits != 0 && compares_features(request.graph)) options.feature_bits = request.options.bits;
  options.first_sample = request.rows.first.value_or(0);
  options.keep_calibration = request.keep_calibration;
  if (const std::string& ranges = request.options.ranges; !ranges.empty()) {
    if (!request.rows.files.empty() || !request.calibration.empty())
      throw base::InputError("--ranges and --calibrate both say what values the network takes: give one of them");
    options.measured = std::make_shared<const graph::Calibration>(ranges_of(ranges));
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
  Compilation compilation =
      compile_graph(request.model.filename().string(), std::move(request.graph), options, progress);
  if (!request.keep_calibration) state_errors(compilation, options.calibration, request.options.max_error, progress);
  compilation.seconds = watch.seconds();
  return compilation;
}

}  // namespace tacit::session
