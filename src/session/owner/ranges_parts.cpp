#include "session/owner/ranges_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/naming.h"
#include "graph/limits.h"
#include "runtime/description.h"
#include "session/bounded_file.h"

namespace tacit::session::ranges {

using base::JsonFields;
using graph::FarRows;
using graph::Range;

[[noreturn]] void refuse(const std::string& why) { throw base::InputError(why); }

nlohmann::ordered_json both(const Range& range) { return {range.lowest, range.highest}; }

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

std::string node_from(JsonFields& fields, const std::string& what) {
  std::string node = fields.text("node");
  if (node.size() > graph::kLongestName) refuse(what + ": its name is too long");
  return node;
}

std::set<std::string> kept_private_from(JsonFields& fields) {
  constexpr std::size_t kMostNodes = 4096;
  std::set<std::string> kept;
  for (const nlohmann::json& node : fields.list("keep_private")) {
    if (!node.is_string() || node.get_ref<const std::string&>().size() > graph::kLongestName)
      refuse("choices: 'keep_private' names no nodes");
    kept.insert(node.get<std::string>());
  }
  if (kept.size() > kMostNodes) refuse("choices: 'keep_private' names too many nodes");
  return kept;
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

std::size_t samples_from(JsonFields& fields) {
  const std::uint64_t samples = fields.number("samples");
  if (samples < 1 || samples > kMostSamples) refuse("'samples' must be at least 1");
  return samples;
}

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

namespace {

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

}  // namespace

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

std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string text_of_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    base::refuse(
        "--ranges {} is no file; 'tacit calibrate MODEL --input SAMPLES.npy -o {}' measures samples and writes it",
        file.string(), file.string());
  return read_bounded(file, kBounds.bytes);
}

void require_read_again(const std::function<bool()>& reads) {
  const std::string why = "the ranges of this model cannot be handed on; compile with the samples themselves";
  if (!base::naming(why, reads)) throw base::InputError(why + ": a name in it is not UTF-8");
}

}  // namespace tacit::session::ranges
