#include "session/owner/integers/ranges_file.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/naming.h"
#include "graph/quant/choose_parameters.h"
#include "session/output_files.h"
#include "session/owner/ranges_parts.h"

namespace tacit::session {
namespace ranges {
namespace {

using base::JsonFields;
using graph::Range;
using graph::quant::MeasuredChoices;
using graph::quant::MeasuredElements;
using graph::quant::MeasuredGrid;
using graph::quant::MeasuredProgram;
using graph::quant::Measurements;
using graph::quant::Rounding;

constexpr std::size_t kMostGrids = 4096;

// What is written. JSON has no infinity, which becomes null.

nlohmann::ordered_json json_of(const MeasuredChoices& choices) {
  nlohmann::ordered_json result{{"bits", choices.bits},
                                {"rounding", choices.rounding == Rounding::exact ? "exact" : "approximate"},
                                {"log2_failure", choices.log2_failure},
                                {"client_before", choices.client_before},
                                {"keep_private", choices.keep_private}};
  if (choices.parameters) result["parameters"] = nlohmann::ordered_json::parse(params::to_json(*choices.parameters));
  return result;
}

nlohmann::ordered_json json_of(const std::vector<MeasuredElements>& values) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  for (const MeasuredElements& value : values) {
    std::vector<double> lowest, highest;
    for (const Range& range : value.ranges) {
      constexpr double kNone = std::numeric_limits<double>::infinity();
      lowest.push_back(range.known() ? range.lowest : kNone);
      highest.push_back(range.known() ? range.highest : kNone);
    }
    result.push_back({{"node", value.node}, {"lowest", lowest}, {"highest", highest}, {"means", value.means}});
  }
  return result;
}

nlohmann::ordered_json json_of(const std::vector<MeasuredGrid>& grids) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  for (const MeasuredGrid& grid : grids)
    result.push_back({{"input", grid.input}, {"bits", grid.bits}, {"borders", grid.borders}, {"points", grid.points}});
  return result;
}

nlohmann::ordered_json json_of(const MeasuredProgram& program) {
  return {{"digest", base::hexadecimal(program.digest)},
          {"neighbour_rates", program.neighbour_rates},
          {"errors", program.errors},
          {"answer_moves", program.answer_moves}};
}

// What is read.

/// Reads the range of an element. Both ends are null if every sample misses it.
Range range_of_element(const nlohmann::json& lowest, const nlohmann::json& highest, const std::string& what) {
  if (lowest.is_null() && highest.is_null()) return {};
  return range_of(bounded_number(lowest, what), bounded_number(highest, what), what);
}

std::vector<MeasuredElements> elements_from(const nlohmann::json& list, const std::string& name) {
  std::vector<MeasuredElements> values;
  for (const nlohmann::json& item : list) {
    const std::string what = fmt::format("{} {}", name, values.size());
    JsonFields fields(object(item, what), what);
    MeasuredElements value;
    value.node = node_from(fields, what);
    const nlohmann::json &lowest = fields.list("lowest"), &highest = fields.list("highest");
    if (lowest.size() != highest.size())
      refuse(fmt::format("{}: {} lowest and {} highest numbers, where there must be as many of either", what,
                         lowest.size(), highest.size()));
    for (std::size_t e = 0; e < lowest.size(); ++e)
      value.ranges.push_back(range_of_element(lowest[e], highest[e], what));
    value.means = numbers(fields.list("means"), what);
    fields.require_no_others();
    values.push_back(std::move(value));
  }
  return values;
}

int bits_from(JsonFields& fields, const std::string& what) {
  constexpr std::uint64_t kFewest = graph::quant::kFewestBits, kMost = graph::quant::kMostBits;
  const std::uint64_t bits = fields.number("bits");
  if (bits < kFewest || bits > kMost)
    refuse(fmt::format("{}: tables of {} bits, outside {} to {}", what, bits, kFewest, kMost));
  return static_cast<int>(bits);
}

std::vector<MeasuredGrid> grids_from(const nlohmann::json& list) {
  if (list.size() > kMostGrids) refuse(fmt::format("grids: more than {}", kMostGrids));
  std::vector<MeasuredGrid> grids;
  for (const nlohmann::json& item : list) {
    const std::string what = fmt::format("grid {}", grids.size());
    JsonFields fields(object(item, what), what);
    MeasuredGrid grid;
    grid.input = fields.number("input");
    grid.bits = bits_from(fields, what);
    grid.borders = numbers(fields.list("borders"), what);
    grid.points = numbers(fields.list("points"), what);
    fields.require_no_others();
    grids.push_back(std::move(grid));
  }
  return grids;
}

MeasuredChoices measured_choices_from(const nlohmann::json& value) {
  JsonFields fields(object(value, "choices"), "choices");
  MeasuredChoices choices;
  choices.bits = bits_from(fields, "choices");
  const std::string rounding = fields.text("rounding");
  if (rounding != "exact" && rounding != "approximate")
    refuse("choices: 'rounding' is neither \"exact\" nor \"approximate\"");
  choices.rounding = rounding == "exact" ? Rounding::exact : Rounding::approximate;
  choices.log2_failure = bounded_number(fields.take("log2_failure"), "log2_failure");
  choices.client_before = flag(fields, "client_before");
  choices.keep_private = kept_private_from(fields);
  if (fields.has("parameters")) choices.parameters = params::tfhe_literal_from_json(fields.take("parameters").dump());
  fields.require_no_others();
  return choices;
}

MeasuredProgram program_from(const nlohmann::json& value) {
  JsonFields fields(object(value, "program"), "program");
  MeasuredProgram program;
  program.digest = digest_from(fields.text("digest"), "program");
  program.neighbour_rates = numbers(fields.list("neighbour_rates"), "neighbour_rates");
  for (const double rate : program.neighbour_rates)
    if (!(rate >= 0 && rate <= 1)) refuse(fmt::format("neighbour_rates: a rate of {}, outside 0 to 1", rate));
  program.errors = deviations(fields.list("errors"), "errors", true);
  program.answer_moves = deviations(fields.list("answer_moves"), "answer_moves", true);
  fields.require_no_others();
  return program;
}

Measurements measurements_from(const nlohmann::json& value) {
  JsonFields fields(object(value, "the file"), "the file");
  const std::string format = fields.text("format");
  if (format == kOnSlots)
    refuse(
        "they were measured for --scheme ckks and lack the ranges of all elements, which integers need: run 'tacit "
        "calibrate' with --scheme tfhe, or give --scheme ckks");
  if (format != kOnIntegers) refuse(fmt::format("'format' is not \"{}\"; calibrate again", kOnIntegers));
  Measurements measured;
  measured.model = digest_from(fields.text("model"), "model");
  measured.samples = samples_from(fields);
  measured.choices = measured_choices_from(fields.take("choices"));
  if (fields.has("input_range")) {
    const Range range = pair(fields.take("input_range"), "input_range");
    measured.input_range = {range.lowest, range.highest};
  }
  if (fields.has("far_rows")) measured.far_rows = far_rows_from(fields.take("far_rows"));
  if (fields.has("factors")) measured.factors = elements_from(fields.list("factors"), "factor");
  measured.values = elements_from(fields.list("values"), "value");
  if (fields.has("grids")) measured.grids = grids_from(fields.list("grids"));
  measured.program = program_from(fields.take("program"));
  fields.require_no_others();
  return measured;
}

std::string written(const Measurements& measured) {
  nlohmann::ordered_json result{{"format", kOnIntegers},
                                {"model", base::hexadecimal(measured.model)},
                                {"samples", measured.samples},
                                {"choices", json_of(measured.choices)}};
  if (const auto& range = measured.input_range) result["input_range"] = {range->first, range->second};
  if (!measured.far_rows.rows.empty()) result["far_rows"] = far_rows_json(measured.far_rows);
  if (!measured.factors.empty()) result["factors"] = json_of(measured.factors);
  result["values"] = json_of(measured.values);
  if (!measured.grids.empty()) result["grids"] = json_of(measured.grids);
  result["program"] = json_of(measured.program);
  return text_of(result);
}

}  // namespace
}  // namespace ranges

using graph::quant::Measurements;

std::string ranges_to_json(const Measurements& measured) { return ranges::written(measured); }

Measurements integer_ranges_from_json(std::string_view text) {
  return ranges::measurements_from(base::json_from(text, "ranges", ranges::kBounds));
}

Measurements read_integer_ranges(const std::filesystem::path& file) {
  const std::string text = ranges::text_of_file(file);
  return base::naming(file.string(), [&] { return integer_ranges_from_json(text); });
}

void write_ranges(const std::filesystem::path& file, const Measurements& measured) {
  const std::string text = ranges_to_json(measured);
  ranges::require_read_again([&] { return integer_ranges_from_json(text) == measured; });
  write_file(file, text + "\n");
}

}  // namespace tacit::session
