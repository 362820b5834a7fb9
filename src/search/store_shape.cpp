#include "search/store_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/json_fields.h"
#include "runtime/description.h"

namespace tacit::search {
namespace {

constexpr std::array<std::string_view, 3> kMetricNames{"cosine", "dot", "euclid"};
constexpr double kLargestScore = 0x1p48;
constexpr double kRangeOfNumbers = 0x1p100;
constexpr double kMostSteps = 127, kRoundedNorms = 1.01;

std::uint64_t bounded_number(base::JsonFields& fields, const char* name, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t number = fields.number(name);
  if (number < least || number > most)
    base::refuse("the description of a store: \"{}\" is {}, outside {} to {}", name, number, least, most);
  return number;
}

double positive(base::JsonFields& fields, const char* name) {
  const nlohmann::json& value = fields.take(name);
  const double number = value.is_number() ? value.get<double>() : 0;
  if (!(number > 1 / kRangeOfNumbers && number < kRangeOfNumbers))
    base::refuse("the description of a store: \"{}\" is no positive number", name);
  return number;
}

}  // namespace

std::string_view metric_name(Metric metric) { return kMetricNames[static_cast<std::size_t>(metric)]; }

Metric metric_from(std::string_view name) {
  const auto* const found = std::ranges::find(kMetricNames, name);
  if (found == kMetricNames.end())
    base::refuse("there is no metric '{:.32}'; the metrics are {}", name, fmt::join(kMetricNames, ", "));
  return static_cast<Metric>(found - kMetricNames.begin());
}

PayloadShape payload_shape(std::uint64_t records, std::uint64_t bytes) {
  const std::uint64_t of_one_tile = std::max<std::uint64_t>(1, kTileNumbers / bytes);
  const std::uint64_t groups = std::clamp<std::uint64_t>((records + of_one_tile - 1) / of_one_tile, 1, kMostDimensions);
  const std::uint64_t per_group = std::max<std::uint64_t>(1, (records + groups - 1) / groups);
  return {.bytes = bytes,
          .per_group = per_group,
          .groups = std::max<std::uint64_t>(1, (records + per_group - 1) / per_group)};
}

double StoreShape::largest_integer_norm() const {
  return largest_norm / step + std::sqrt(static_cast<double>(dimensions)) / 2;
}

double StoreShape::query_scale() const {
  const double norm = largest_integer_norm();
  if (metric == Metric::euclid) return kLargestScore / (norm * (largest_query_norm() + norm * step / 2));
  return kLargestScore / norm;
}

nlohmann::json to_json(const StoreShape& shape) {
  nlohmann::json json{
      {"store", base::hexadecimal(shape.id)}, {"version", shape.version}, {"metric", metric_name(shape.metric)},
      {"dimensions", shape.dimensions},       {"records", shape.records}, {"step", shape.step},
      {"largest_norm", shape.largest_norm}};
  if (shape.payload)
    json["payload"] = {
        {"bytes", shape.payload->bytes}, {"per_group", shape.payload->per_group}, {"groups", shape.payload->groups}};
  return json;
}

StoreShape shape_from_json(const nlohmann::json& json) {
  constexpr std::string_view kWhat = "the description of a store";
  if (!json.is_object()) base::refuse("{} is no JSON object", kWhat);
  base::JsonFields fields(json, kWhat);
  StoreShape shape;
  runtime::from_hexadecimal(fields.text("store"), shape.id);
  shape.version = bounded_number(fields, "version", 1, std::uint64_t{1} << 62);
  shape.metric = metric_from(fields.text("metric"));
  shape.dimensions = bounded_number(fields, "dimensions", 1, kMostDimensions);
  shape.records = bounded_number(fields, "records", 1, kMostRecords);
  shape.step = positive(fields, "step");
  shape.largest_norm = positive(fields, "largest_norm");
  // No vector of int8 numbers is longer, and scales stay in the range of integers.
  const double longest = kMostSteps * std::sqrt(static_cast<double>(shape.dimensions)) * shape.step;
  if (shape.largest_norm > longest * kRoundedNorms)
    base::refuse("{}: its largest norm is {:.4g}, and int8 numbers reach {:.4g}", kWhat, shape.largest_norm, longest);
  if (fields.has("payload")) {
    const nlohmann::json& payload = fields.take("payload");
    if (!payload.is_object()) base::refuse("{}: \"payload\" is no JSON object", kWhat);
    base::JsonFields parts(payload, "the payload of a store");
    shape.payload.emplace();
    shape.payload->bytes = bounded_number(parts, "bytes", 1, kMostPayloadBytes);
    shape.payload->per_group = bounded_number(parts, "per_group", 1, kMostRecords);
    shape.payload->groups = bounded_number(parts, "groups", 1, kMostDimensions);
    parts.require_no_others();
    if (shape.payload->per_group * shape.payload->groups < shape.records)
      base::refuse("{}: its payload has room for fewer records than it states", kWhat);
  }
  fields.require_no_others();
  return shape;
}

}  // namespace tacit::search
