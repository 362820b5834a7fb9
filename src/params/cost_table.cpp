#include "params/cost_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"

namespace tacit::params {
namespace {

constexpr const char* kMachine = "machine";
constexpr std::size_t kMostNameBytes = 200;
/// A millisecond a word is a machine that computes nothing in a lifetime, and no cache holds a tebibyte.
constexpr double kMostNanoseconds = 1e6, kMostCache = 1 << 20, kMostThreads = 4096;

constexpr CostField kCostFields[] = {
    {"ntt_ns", "ns", "a word and stage of a transform", kMostNanoseconds, &CostTable::ntt_ns},
    {"mac_ns", "ns", "a word of a multiply-accumulate in the caches", kMostNanoseconds, &CostTable::mac_ns},
    {"key_ns", "ns", "a word of a product with a key", kMostNanoseconds, &CostTable::key_ns},
    {"product_ns", "ns", "a word of a product of two operands", kMostNanoseconds, &CostTable::product_ns},
    {"far_ns", "ns", "more for a word of a long sum from memory", kMostNanoseconds, &CostTable::far_ns},
    {"embed_ns", "ns", "a slot and stage of an embedding", kMostNanoseconds, &CostTable::embed_ns},
    {"touch_ns", "ns", "more for a word in fresh memory", kMostNanoseconds, &CostTable::touch_ns},
    {"threads", "threads", "that share the work", kMostThreads, &CostTable::threads},
    {"cache_mib", "MiB", "the largest cache", kMostCache, &CostTable::cache_mib}};

std::string names() {
  std::vector<std::string_view> list{kMachine};
  for (const CostField& field : kCostFields) list.push_back(field.name);
  return fmt::format("{}", fmt::join(list, ", "));
}

}  // namespace

std::span<const CostField> cost_fields() { return kCostFields; }

std::string to_json(const CostTable& table) {
  nlohmann::ordered_json json{{kMachine, table.machine}};
  for (const CostField& field : kCostFields) json[std::string(field.name)] = table.*field.value;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

CostTable cost_table_from_json(std::string_view text) {
  static constexpr const char* kWayOut = "`tacit bench cost --output FILE` writes a whole table";
  const auto json = base::json_from(text, fmt::format("cost table ({})", kWayOut));
  if (!json.is_object()) base::refuse("cost table: not a JSON object; {}", kWayOut);
  for (const auto& [key, value] : json.items())
    if (key != kMachine && std::ranges::find(kCostFields, key, &CostField::name) == std::end(kCostFields))
      base::refuse("cost table: unknown field '{}'; the fields are {}", key.substr(0, 50), names());
  CostTable table;
  const auto machine = json.find(kMachine);
  if (machine == json.end() || !machine->is_string() || machine->get_ref<const std::string&>().size() > kMostNameBytes)
    base::refuse("cost table: '{}' must be a name of at most {} bytes; {}", kMachine, kMostNameBytes, kWayOut);
  table.machine = machine->get<std::string>();
  for (const CostField& field : kCostFields) {
    const auto found = json.find(std::string(field.name));
    if (found == json.end()) base::refuse("cost table: the field '{}' is missing; {}", field.name, kWayOut);
    const double value = found->is_number() ? found->get<double>() : 0;
    if (!(value > 0 && value <= field.most))
      base::refuse("cost table: '{}' ({}) must be a number of {} above 0 and at most {:.0f}; {}", field.name,
                   field.meaning, field.unit, field.most, kWayOut);
    table.*field.value = value;
  }
  return table;
}

}  // namespace tacit::params
