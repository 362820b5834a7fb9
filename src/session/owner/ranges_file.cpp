#include "session/owner/ranges_file.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/naming.h"
#include "graph/compile.h"
#include "graph/limits.h"
#include "runtime/description.h"
#include "session/bounded_file.h"
#include "session/output_files.h"
#include "session/sentence.h"

namespace tacit::session {
namespace {

using base::JsonFields;
using graph::CalibratedFunction;
using graph::CalibratedValue;
using graph::Calibration;
using graph::CalibrationChoices;
using graph::FarRows;
using graph::Range;

constexpr std::string_view kRangesFormat = "tacit ranges 1";
constexpr base::JsonBounds kBounds{std::size_t{64} << 20, std::size_t{1} << 22, 8};
constexpr double kLargest = 1e100;
constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 40, kMostDegree = 1023;
constexpr std::size_t kMostPrograms = 1024, kMostOutputs = 4096, kMostNodes = 4096, kLongestWarning = 1 << 13;

[[noreturn]] void refuse(const std::string& why) { throw base::InputError(why); }

// What is written.

nlohmann::ordered_json both(const Range& range) { return {range.lowest, range.highest}; }

nlohmann::ordered_json lists(const std::vector<Range>& all) {
  std::vector<double> lowest, highest;
  for (const Range& range : all) {
    lowest.push_back(range.lowest);
    highest.push_back(range.highest);
  }
  return {{"lowest", lowest}, {"highest", highest}};
}

nlohmann::ordered_json json_of(const CalibratedValue& value) {
  nlohmann::ordered_json result{{"node", value.node}, {"range", both(value.range)}};
  if (!value.elements.empty()) result["elements"] = lists(value.elements);
  if (!value.reached.empty()) result["reached"] = lists(value.reached);
  if (const auto& function = value.function)
    result["function"] = {{"interval", both(function->interval)},
                          {"first_degree", function->first_degree},
                          {"coefficients", function->coefficients}};
  return result;
}

nlohmann::ordered_json json_of(const CalibrationChoices& choices) {
  nlohmann::ordered_json result{{"max_degree", choices.max_degree},     {"max_value_degree", choices.max_value_degree},
                                {"max_error", choices.max_error},       {"client_before", choices.client_before},
                                {"client_after", choices.client_after}, {"keep_private", choices.keep_private}};
  if (choices.batch) result["batch"] = *choices.batch;
  if (choices.parameters) result["parameters"] = nlohmann::ordered_json::parse(params::to_json(*choices.parameters));
  if (choices.precision) result["precision"] = *choices.precision;
  if (const auto& sharing = choices.sharing)
    result["share"] = {{"bits", sharing->bits},
                       {"statistical_bits", sharing->statistical_bits},
                       {"decryptions", sharing->decryptions}};
  return result;
}

// What is read.

double bounded_number(const nlohmann::json& value, std::string_view what) {
  if (!value.is_number()) refuse(fmt::format("{}: a number was expected, not {}", what, value.type_name()));
  const double x = value.get<double>();
  if (!(std::abs(x) <= kLargest))
    refuse(fmt::format("{}: {} is beyond {:g}, the largest that is read", what, x, kLargest));
  return x;
}

std::vector<double> numbers(const nlohmann::json& list, std::string_view what) {
  if (!list.is_array()) refuse(fmt::format("{}: a list was expected, not {}", what, list.type_name()));
  std::vector<double> result;
  result.reserve(list.size());
  for (const nlohmann::json& item : list) result.push_back(bounded_number(item, what));
  return result;
}

const nlohmann::json& object(const nlohmann::json& value, std::string_view what) {
  if (!value.is_object()) refuse(fmt::format("{}: an object was expected, not {}", what, value.type_name()));
  return value;
}

bool flag(JsonFields& fields, const char* name) {
  const nlohmann::json& value = fields.take(name);
  if (!value.is_boolean()) refuse(fmt::format("'{}' must be true or false, not {}", name, value.type_name()));
  return value.get<bool>();
}

int degree(JsonFields& fields, const char* name, std::uint64_t least) {
  const std::uint64_t value = fields.number(name);
  if (value < least || value > kMostDegree)
    refuse(fmt::format("'{}' is {}, outside {} to {}", name, value, least, kMostDegree));
  return static_cast<int>(value);
}

Range range_of(double lowest, double highest, std::string_view what) {
  if (!(lowest <= highest))
    refuse(fmt::format("{}: the lowest, {}, lies above the highest, {}", what, lowest, highest));
  return {lowest, highest};
}

Range pair(const nlohmann::json& list, std::string_view what) {
  const std::vector<double> ends = numbers(list, what);
  if (ends.size() != 2) refuse(fmt::format("{}: two numbers were expected, not {}", what, ends.size()));
  return range_of(ends[0], ends[1], what);
}

std::vector<Range> ranges_from(const nlohmann::json& value, std::string_view what) {
  JsonFields fields(object(value, what), what);
  const std::vector<double> lowest = numbers(fields.list("lowest"), what),
                            highest = numbers(fields.list("highest"), what);
  fields.require_no_others();
  if (lowest.empty() || lowest.size() != highest.size())
    refuse(fmt::format("{}: {} lowest and {} highest numbers, where there must be as many of either and at least one",
                       what, lowest.size(), highest.size()));
  std::vector<Range> result;
  result.reserve(lowest.size());
  for (std::size_t i = 0; i < lowest.size(); ++i) result.push_back(range_of(lowest[i], highest[i], what));
  return result;
}

CalibratedFunction function_from(const nlohmann::json& value, const std::string& what) {
  JsonFields fields(object(value, what), what);
  CalibratedFunction function;
  function.interval = pair(fields.list("interval"), what);
  if (!(function.interval.lowest < function.interval.highest)) refuse(what + ": the interval is empty");
  function.first_degree = degree(fields, "first_degree", 0);
  function.coefficients = numbers(fields.list("coefficients"), what);
  if (function.coefficients.empty() || function.coefficients.size() > kMostDegree + 1)
    refuse(fmt::format("{}: {} coefficients, outside 1 to {}", what, function.coefficients.size(), kMostDegree + 1));
  fields.require_no_others();
  return function;
}

std::string node_from(JsonFields& fields, const std::string& what) {
  std::string node = fields.text("node");
  if (node.size() > graph::kLongestName) refuse(what + ": its name is too long");
  return node;
}

CalibratedValue value_from(const nlohmann::json& item, std::size_t position) {
  const std::string what = fmt::format("value {}", position);
  JsonFields fields(object(item, what), what);
  CalibratedValue value;
  value.node = node_from(fields, what);
  value.range = pair(fields.list("range"), what);
  if (fields.has("elements")) value.elements = ranges_from(fields.take("elements"), what);
  if (fields.has("reached")) value.reached = ranges_from(fields.take("reached"), what);
  if (fields.has("function")) value.function = function_from(fields.take("function"), what + ", function");
  fields.require_no_others();
  return value;
}

/// Positions along the last axis of a mask.
std::vector<std::int64_t> mask_row_from(const nlohmann::json& item, const std::string& what) {
  constexpr double kMostPositions = 1 << 20;
  if (!item.is_array() || item.empty()) refuse(what + ": an entry of 'mask_rows' is not a list of positions");
  std::vector<std::int64_t> row;
  for (const nlohmann::json& number : item) {
    const double position = bounded_number(number, what);
    if (!(position >= 0 && position < kMostPositions && position == std::floor(position)))
      refuse(fmt::format("{}: {} is no position of 'mask_rows'", what, position));
    row.push_back(static_cast<std::int64_t>(position));
  }
  return row;
}

graph::SoftmaxForm softmax_from(const nlohmann::json& item, std::size_t position) {
  constexpr std::size_t kMostKeys = 1 << 20;
  const std::string what = fmt::format("softmax {}", position);
  JsonFields fields(object(item, what), what);
  graph::SoftmaxForm form;
  form.node = node_from(fields, what);
  const std::uint64_t halvings = fields.number("halvings");
  if (halvings > graph::kMostHalvings)
    refuse(fmt::format("{}: {} halvings, more than {}", what, halvings, graph::kMostHalvings));
  form.halvings = static_cast<int>(halvings);
  const auto numbers = [&](const char* name) {
    std::vector<double> result;
    for (const nlohmann::json& number : fields.list(name)) result.push_back(bounded_number(number, what));
    if (result.size() > kMostKeys) refuse(fmt::format("{}: '{}' has more than {} numbers", what, name, kMostKeys));
    return result;
  };
  if (fields.has("keys")) form.keys = numbers("keys");
  if (fields.has("offsets")) form.offsets = numbers("offsets");
  if (fields.has("mask")) {
    form.mask = fields.number("mask") == 0 ? 0 : 1;
    form.hides = bounded_number(fields.take("hides"), what);
    if (!(form.hides < 0)) refuse(what + ": a mask hides elements by a number below 0");
    form.mask_input = fields.number("mask_input");
    form.mask_numbers = numbers("mask_numbers");
    if (fields.has("mask_rows")) {
      form.mask_shows = numbers("mask_shows");
      for (const nlohmann::json& row : fields.list("mask_rows")) form.mask_rows.push_back(mask_row_from(row, what));
    }
  }
  fields.require_no_others();
  return form;
}

nlohmann::ordered_json json_of(const graph::SoftmaxForm& form) {
  nlohmann::ordered_json result{{"node", form.node}, {"halvings", form.halvings}};
  if (!form.keys.empty()) result["keys"] = form.keys;
  if (!form.offsets.empty()) result["offsets"] = form.offsets;
  if (form.mask >= 0) {
    result["mask"] = form.mask;
    result["hides"] = form.hides;
    result["mask_input"] = form.mask_input;
    result["mask_numbers"] = form.mask_numbers;
    if (!form.mask_rows.empty()) {
      result["mask_shows"] = form.mask_shows;
      result["mask_rows"] = form.mask_rows;
    }
  }
  return result;
}

graph::FarRow far_row_from(const nlohmann::json& item, const std::string& what) {
  JsonFields fields(object(item, what), what);
  graph::FarRow far;
  const auto count = [&](const char* name) {
    const std::uint64_t value = fields.number(name);
    if (value > kMostSamples) refuse(fmt::format("{}: '{}' is {}, more than {}", what, name, value, kMostSamples));
    return static_cast<std::int64_t>(value);
  };
  far.row = count("row");
  far.node = node_from(fields, what);
  far.channel = fields.has("channel");
  far.element = count(far.channel ? "channel" : "element");
  far.value = bounded_number(fields.take("value"), what);
  far.others = pair(fields.list("others"), what);
  far.factor = bounded_number(fields.take("factor"), what);
  far.set_aside = flag(fields, "set_aside");
  fields.require_no_others();
  return far;
}

FarRows far_rows_from(const nlohmann::json& value) {
  constexpr std::size_t kMost = 1 << 16;
  JsonFields fields(object(value, "far_rows"), "far_rows");
  FarRows far;
  for (const nlohmann::json& item : fields.list("rows")) {
    far.rows.push_back(far_row_from(item, fmt::format("far row {}", far.rows.size())));
    if (far.rows.size() > kMost) refuse(fmt::format("far_rows: more than {} rows", kMost));
  }
  for (const nlohmann::json& item : fields.list("ranges")) {
    const std::string what = fmt::format("far_rows, range {}", far.ranges.size());
    JsonFields range(object(item, what), what);
    far.ranges.push_back({node_from(range, what), pair(range.list("without"), what), pair(range.list("with"), what)});
    range.require_no_others();
    if (far.ranges.size() > kMost) refuse(fmt::format("far_rows: more than {} ranges", kMost));
  }
  fields.require_no_others();
  return far;
}

params::Sharing sharing_from(const nlohmann::json& value) {
  JsonFields fields(object(value, "share"), "share");
  const std::int64_t bits = base::whole_number(fields.take("bits"));
  if (bits < -1000 || bits > 1000) refuse(fmt::format("share: {} bits, outside -1000 to 1000", bits));
  const params::Sharing sharing{static_cast<int>(bits), bounded_number(fields.take("statistical_bits"), "share"),
                                bounded_number(fields.take("decryptions"), "share")};
  fields.require_no_others();
  params::check(sharing);
  return sharing;
}

CalibrationChoices choices_from(const nlohmann::json& value) {
  JsonFields fields(object(value, "choices"), "choices");
  CalibrationChoices choices;
  choices.max_degree = degree(fields, "max_degree", 1);
  choices.max_value_degree = degree(fields, "max_value_degree", 1);
  choices.max_error = bounded_number(fields.take("max_error"), "max_error");
  choices.client_before = flag(fields, "client_before");
  choices.client_after = flag(fields, "client_after");
  for (const nlohmann::json& node : fields.list("keep_private")) {
    if (!node.is_string() || node.get_ref<const std::string&>().size() > graph::kLongestName)
      refuse("choices: 'keep_private' names no nodes");
    choices.keep_private.insert(node.get<std::string>());
  }
  if (choices.keep_private.size() > kMostNodes) refuse("choices: 'keep_private' names too many nodes");
  choices.batch.reset();
  if (fields.has("batch")) {
    choices.batch = base::whole_number(fields.take("batch"));
    if (*choices.batch < 1 || *choices.batch > graph::kLargestBatch)
      refuse(fmt::format("choices: a batch of {}, outside 1 to {}", *choices.batch, graph::kLargestBatch));
  }
  if (fields.has("parameters")) choices.parameters = params::literal_from_json(fields.take("parameters").dump());
  if (fields.has("precision")) {
    const std::int64_t bits = base::whole_number(fields.take("precision"));
    if (bits < graph::kFewestPrecisionBits || bits > graph::kMostPrecisionBits)
      refuse(fmt::format("choices: a precision of {} bits, outside {} to {}", bits, graph::kFewestPrecisionBits,
                         graph::kMostPrecisionBits));
    choices.precision = static_cast<int>(bits);
  }
  if (fields.has("share")) choices.sharing = sharing_from(fields.take("share"));
  fields.require_no_others();
  return choices;
}

base::Digest digest_from(const std::string& hexadecimal, std::string_view what) try {
  base::Digest digest{};
  runtime::from_hexadecimal(hexadecimal, digest);
  return digest;
} catch (const base::InputError&) {
  refuse(fmt::format("{}: a digest of {} hexadecimal digits was expected", what, 2 * sizeof(base::Digest)));
}

std::vector<double> deviations(const nlohmann::json& list, std::string_view what, bool may_be_infinite) {
  if (!list.is_array() || list.size() > kMostOutputs)
    refuse(fmt::format("{}: a list of at most {} numbers was expected", what, kMostOutputs));
  std::vector<double> result;
  for (const nlohmann::json& item : list) {
    const bool infinite = may_be_infinite && item.is_null();
    result.push_back(infinite ? std::numeric_limits<double>::infinity() : bounded_number(item, what));
    if (!(result.back() >= 0)) refuse(fmt::format("{}: a deviation of {} lies below 0", what, result.back()));
  }
  return result;
}

Calibration calibration_from(const nlohmann::json& value) {
  JsonFields fields(object(value, "the file"), "the file");
  if (fields.text("format") != kRangesFormat)
    refuse(fmt::format("'format' is not \"{}\"; calibrate again", kRangesFormat));
  Calibration calibration;
  calibration.model = digest_from(fields.text("model"), "model");
  calibration.samples = fields.number("samples");
  if (calibration.samples < 1 || calibration.samples > kMostSamples) refuse("'samples' must be at least 1");
  calibration.choices = choices_from(fields.take("choices"));
  if (fields.has("input_range")) {
    const Range range = pair(fields.take("input_range"), "input_range");
    calibration.input_range = {range.lowest, range.highest};
  }
  if (fields.has("far_rows")) calibration.far_rows = far_rows_from(fields.take("far_rows"));
  if (fields.has("softmax"))
    for (const nlohmann::json& item : fields.list("softmax"))
      calibration.softmax.push_back(softmax_from(item, calibration.softmax.size()));
  for (const nlohmann::json& item : fields.list("values"))
    calibration.values.push_back(value_from(item, calibration.values.size()));
  if (fields.has("degree_warning")) calibration.degree_warning = fields.text("degree_warning");
  if (calibration.degree_warning.size() > kLongestWarning) refuse("'degree_warning' is too long");
  calibration.highest_degree = degree(fields, "highest_degree", 0);
  calibration.answers_changed = bounded_number(fields.take("answers_changed"), "answers_changed");
  if (!(calibration.answers_changed >= 0 && calibration.answers_changed <= 1))
    refuse(fmt::format("answers_changed: a share of {}, outside 0 to 1", calibration.answers_changed));
  calibration.allowed_noise = deviations(fields.take("allowed_noise"), "allowed_noise", false);
  if (fields.has("series_errors"))
    calibration.series_errors = deviations(fields.take("series_errors"), "series_errors", false);
  if (fields.has("answer_moves"))
    calibration.answer_moves = deviations(fields.take("answer_moves"), "answer_moves", true);
  const nlohmann::json& noise = object(fields.take("noise"), "noise");
  if (noise.size() > kMostPrograms) refuse(fmt::format("noise: of more than {} programs", kMostPrograms));
  for (const auto& [program, of_outputs] : noise.items()) {
    digest_from(program, "noise");
    calibration.noise[program] = deviations(of_outputs, "noise", true);
  }
  fields.require_no_others();
  return calibration;
}

}  // namespace

nlohmann::ordered_json far_rows_json(const FarRows& far) {
  nlohmann::ordered_json result{{"rows", nlohmann::ordered_json::array()}, {"ranges", nlohmann::ordered_json::array()}};
  for (const graph::FarRow& row : far.rows)
    result["rows"].push_back({{"row", row.row},
                              {"node", row.node},
                              {row.channel ? "channel" : "element", row.element},
                              {"value", row.value},
                              {"others", both(row.others)},
                              {"factor", row.factor},
                              {"set_aside", row.set_aside}});
  for (const graph::RangeWithFarRows& range : far.ranges)
    result["ranges"].push_back({{"node", range.node}, {"without", both(range.without)}, {"with", both(range.with)}});
  return result;
}

std::string ranges_to_json(const Calibration& calibration) {
  nlohmann::ordered_json result{{"format", kRangesFormat},
                                {"model", base::hexadecimal(calibration.model)},
                                {"samples", calibration.samples},
                                {"choices", json_of(calibration.choices)}};
  if (const auto& range = calibration.input_range) result["input_range"] = {range->first, range->second};
  if (!calibration.far_rows.rows.empty()) result["far_rows"] = far_rows_json(calibration.far_rows);
  for (const graph::SoftmaxForm& form : calibration.softmax) result["softmax"].push_back(json_of(form));
  nlohmann::ordered_json& values = result["values"] = nlohmann::ordered_json::array();
  for (const CalibratedValue& value : calibration.values) values.push_back(json_of(value));
  if (!calibration.degree_warning.empty()) result["degree_warning"] = calibration.degree_warning;
  result["highest_degree"] = calibration.highest_degree;
  result["answers_changed"] = calibration.answers_changed;
  result["allowed_noise"] = calibration.allowed_noise;
  if (!calibration.series_errors.empty()) result["series_errors"] = calibration.series_errors;
  if (!calibration.answer_moves.empty()) result["answer_moves"] = calibration.answer_moves;
  result["noise"] = calibration.noise;  // infinity becomes null
  if (calibration.noise.empty()) result["noise"] = nlohmann::ordered_json::object();
  return result.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Calibration ranges_from_json(std::string_view text) {
  return calibration_from(base::json_from(text, "ranges", kBounds));
}

Calibration read_ranges(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    base::refuse(
        "--ranges {} is no file; 'tacit calibrate MODEL --input SAMPLES.npy -o {}' measures samples and writes it",
        file.string(), file.string());
  const std::string text = read_bounded(file, kBounds.bytes);
  return base::naming(file.string(), [&] { return ranges_from_json(text); });
}

void write_ranges(const std::filesystem::path& file, const Calibration& calibration) {
  const std::string text = ranges_to_json(calibration);
  const std::string why = "the ranges of this model cannot be handed on; compile with the samples themselves";
  if (!(base::naming(why, [&] { return ranges_from_json(text); }) == calibration))
    throw base::InputError(why + ": a name in it is not UTF-8");
  write_file(file, text + "\n");
}

}  // namespace tacit::session
