#include "app/packing_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/table.h"
#include "base/byte_size.h"
#include "base/error.h"

namespace tacit::app {
namespace {

using base::byte_size_text;
using Json = nlohmann::ordered_json;

/// Of every stage that changes the tiles.
std::string extents_text(const Json& extents, std::size_t dims = 0) {
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

const char* objective_name(program::Objective objective) {
  switch (objective) {
    case program::Objective::throughput: return "throughput";
    case program::Objective::memory: return "memory";
    case program::Objective::latency: break;
  }
  return "latency";
}

std::string percent_text(double ratio) { return fmt::format("{:+.1f} %", (ratio - 1) * 100); }

Table point_table() {
  return Table({"computation", "way", "tile", "level", "batches", "tiles", "products", "relin", "rotations", "latency",
                "an item", "predicted", "tensors", "process", "predicted"});
}

void add_point(Table& table, const Json& p) {
  const auto seconds = [&](const char* field) { return p.at(field).get<double>(); };
  const auto count = [&](const char* field) { return fmt::to_string(p.at(field).get<std::int64_t>()); };
  table.add({p.at("computation").get<std::string>(), p.at("way").get<std::string>(), extents_text(p.at("extents")),
             count("level"), count("batches"), count("tiles"), count("products"), count("relinearisations"),
             count("rotations"), duration_text(seconds("latency")), duration_text(seconds("amortised")),
             percent_text(seconds("predicted_latency") / seconds("latency")), byte_size_text(seconds("tensor_bytes")),
             byte_size_text(seconds("process_bytes")),
             percent_text(seconds("predicted_process_bytes") / seconds("process_bytes"))});
}

}  // namespace

double parse_duration(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  const double factor = unit == "s" || unit.empty() ? 1 : unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 0;
  const double seconds = value * factor;
  if (error != std::errc() || !(seconds > 0) || !std::isfinite(seconds))
    throw base::InputError(
        fmt::format("'{}' is no time; write one above 0 with s, ms or us, as in 0.2s", text.substr(0, 50)));
  return seconds;
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

Json packing_json(const PackingMeasurement& m) {
  return {{"extents", m.extents},
          {"level", m.level},
          {"all_places", m.options.fold.all_places},
          {"hoist", m.options.fold.hoist},
          {"change", tensor::name_of(m.options.change)},
          {"batches", m.batches},
          {"items", m.items},
          {"tiles", m.tiles},
          {"products", m.products},
          {"relinearisations", m.relinearisations},
          {"rotations", m.rotations},
          {"latency", m.latency},
          {"amortised", m.amortised},
          {"predicted_latency", m.predicted_latency},
          {"tensor_bytes", m.tensor_bytes},
          {"process_bytes", m.process_bytes},
          {"predicted_process_bytes", m.predicted_process_bytes},
          {"error", m.error},
          {"shapes", m.shapes}};
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
          {"objective", objective_name(request.objective)},
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
               byte_size_text(c.at("memory").get<double>())});
  return text + (plan.at("best").empty() ? "  no packing keeps the bounds\n" : table.text());
}

std::string packing_bench_text(const Json& bench) {
  const int security = bench.at("security_bits").get<int>();
  std::string text = fmt::format(
      "{}\nN = 2^{}, log QP {:.1f}, {}, keys {}, load average {:.2f}\n\n", bench.at("requirement").get<std::string>(),
      bench.at("log_n").get<int>(), bench.at("log_qp").get<double>(),
      security == 0 ? "INSECURE, for tests only" : fmt::format("{}-bit security", security),
      byte_size_text(bench.at("key_bytes").get<double>()), bench.at("load_average").get<double>());
  for (const char* section : {"experiments", "sweep"}) {
    Table table = point_table();
    for (const Json& p : bench.at(section)) add_point(table, p);
    text += fmt::format("{}\n{}\n", section, table.text());
  }
  text += "shapes of the chain\n";
  for (const Json& p : bench.at("experiments")) {
    if (p.at("computation").get<std::string>().rfind("chain", 0) != 0 || p.at("way") != "published") continue;
    for (const Json& shape : p.at("shapes")) text += fmt::format("  {}\n", shape.get<std::string>());
  }
  for (const Json& plan : bench.at("plans")) {
    text += fmt::format("\n{}", plan_packing_text(plan));
    if (plan.contains("measured"))
      text += fmt::format("  the first, measured: {} latency, {} an item\n",
                          duration_text(plan.at("measured").at("latency").get<double>()),
                          duration_text(plan.at("measured").at("amortised").get<double>()));
  }
  const Json& deviation = bench.at("deviation");
  text += fmt::format("\nprediction over the sweep: time {:+.1f} to {:+.1f} %, memory {:+.1f} to {:+.1f} %\n",
                      deviation.at("time_low").get<double>() * 100, deviation.at("time_high").get<double>() * 100,
                      deviation.at("memory_low").get<double>() * 100, deviation.at("memory_high").get<double>() * 100);
  return text + fmt::format("cost table fitted to the measured prices: {}\n", bench.at("cost_table").dump());
}

}  // namespace tacit::app
