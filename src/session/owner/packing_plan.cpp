#include "session/owner/packing_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/byte_size.h"
#include "base/error.h"
#include "session/table.h"

namespace tacit::session {
namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(program::Objective objective) {
  constexpr std::array<std::string_view, 3> kNames{"latency", "throughput", "memory"};
  return kNames.at(static_cast<std::size_t>(objective));
}

}  // namespace

std::string extents_text(const Json& extents, std::size_t dims) {
  const auto all = extents.get<std::vector<layout::Index>>();
  if (dims == 0 || dims > all.size()) dims = all.size();
  std::string text;
  for (auto stage = all.begin(); stage != all.end(); stage += static_cast<std::ptrdiff_t>(dims)) {
    const auto end = stage + static_cast<std::ptrdiff_t>(dims);
    if (stage != all.begin() && std::equal(stage, end, stage - static_cast<std::ptrdiff_t>(dims))) continue;
    text += fmt::format("{}{}", text.empty() ? "" : " > ", fmt::join(stage, end, " x "));
  }
  return text;
}

double parse_duration(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  const double factor = unit == "s" || unit.empty() ? 1 : unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 0;
  const double seconds = value * factor;
  if (error != std::errc() || !(seconds > 0) || !std::isfinite(seconds))
    base::refuse("'{}' is no time; write one above 0 with s, ms or us, as in 0.2s", text.substr(0, 50));
  return seconds;
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

Json plan_packing_json(const tensor::PackedComputation& computation, const program::SearchRequest& request,
                       const program::SearchResult& result) {
  Json best = Json::array();
  for (const program::PricedCandidate& c : result.best)
    best.push_back({{"extents", tensor::extents_of(c.candidate)},
                    {"hoist", tensor::options_of(c.candidate).fold.hoist},
                    {"change", tensor::name_of(tensor::options_of(c.candidate).change)},
                    {"batches", computation.batches(tensor::extents_of(c.candidate))},
                    {"latency", c.cost.latency},
                    {"amortised", c.cost.amortised},
                    {"memory", c.cost.memory}});
  const auto bound = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  return {{"computation", computation.name},
          {"dims", computation.dims},
          {"objective", name_of(request.objective)},
          {"latency_bound", bound(request.latency)},
          {"memory_bound", bound(request.memory)},
          {"priced", result.priced},
          {"feasible", result.feasible},
          {"exhaustive", result.exhaustive},
          {"seconds", result.seconds},
          {"best", std::move(best)}};
}

std::string plan_packing_text(const Json& plan) {
  std::string text = fmt::format("{}: {} candidates priced ({}) in {}, {} within the bounds; the best for {}\n",
                                 plan.at("computation").get<std::string>(), plan.at("priced").get<std::int64_t>(),
                                 plan.at("exhaustive").get<bool>() ? "all there are" : "local search",
                                 duration_text(plan.at("seconds").get<double>()),
                                 plan.at("feasible").get<std::int64_t>(), plan.at("objective").get<std::string>());
  Table table({fmt::format("tile ({})", fmt::join(plan.at("dims").get<std::vector<std::string>>(), " x ")),
               "bits at once", "change", "batches", "latency", "an item", "memory"});
  for (const Json& c : plan.at("best"))
    table.add({extents_text(c.at("extents"), plan.at("dims").size()), fmt::to_string(c.at("hoist").get<int>()),
               c.at("change").get<std::string>(), fmt::to_string(c.at("batches").get<std::int64_t>()),
               duration_text(c.at("latency").get<double>()), duration_text(c.at("amortised").get<double>()),
               base::byte_size_text(c.at("memory").get<double>())});
  return text + (plan.at("best").empty() ? "  no packing keeps the bounds\n" : table.text());
}

}  // namespace tacit::session
