#include "session/owner/ranges_file.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/naming.h"
#include "graph/compile.h"
#include "graph/limits.h"
#include "session/output_files.h"
#include "session/owner/ranges_parts.h"

namespace tacit::session {
namespace ranges {
namespace {

using base::JsonFields;
using graph::CalibratedFunction;
using graph::CalibratedValue;
using graph::Calibration;
using graph::CalibrationChoices;
using graph::Range;

constexpr std::uint64_t kMostDegree = 1023;
constexpr std::size_t kMostPrograms = 1024, kLongestWarning = 1 << 13;

// What is written.

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

int degree(JsonFields& fields, const char* name, std::uint64_t least) {
  const std::uint64_t value = fields.number(name);
  if (value < least || value > kMostDegree)
    refuse(fmt::format("'{}' is {}, outside {} to {}", name, value, least, kMostDegree));
  return static_cast<int>(value);
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
  choices.keep_private = kept_private_from(fields);
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

Calibration calibration_from(const nlohmann::json& value) {
  JsonFields fields(object(value, "the file"), "the file");
  const std::string format = fields.text("format");
  if (format == kOnIntegers)
    refuse(
        "they were measured for --scheme tfhe and hold no interval of a polynomial: give --scheme tfhe, or run 'tacit "
        "calibrate' with --scheme ckks");
  if (format != kOnSlots) refuse(fmt::format("'format' is not \"{}\"; calibrate again", kOnSlots));
  Calibration calibration;
  calibration.model = digest_from(fields.text("model"), "model");
  calibration.samples = samples_from(fields);
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

std::string written(const Calibration& calibration) {
  nlohmann::ordered_json result{{"format", kOnSlots},
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
  return text_of(result);
}

}  // namespace
}  // namespace ranges

using graph::Calibration;

std::string ranges_to_json(const Calibration& calibration) { return ranges::written(calibration); }

Calibration ranges_from_json(std::string_view text) {
  return ranges::calibration_from(base::json_from(text, "ranges", ranges::kBounds));
}

Calibration read_ranges(const std::filesystem::path& file) {
  const std::string text = ranges::text_of_file(file);
  return base::naming(file.string(), [&] { return ranges_from_json(text); });
}

void write_ranges(const std::filesystem::path& file, const Calibration& calibration) {
  const std::string text = ranges_to_json(calibration);
  ranges::require_read_again([&] { return ranges_from_json(text) == calibration; });
  write_file(file, text + "\n");
}

}  // namespace tacit::session
