#include "bench/slots/packing_report.h"

#include <fmt/format.h>

#include "base/byte_size.h"
#include "session/owner/packing_plan.h"
#include "session/table.h"

namespace tacit::bench {
namespace {

using base::byte_size_text;
using session::duration_text;
using session::extents_text;
using Json = nlohmann::ordered_json;

std::string percent_text(double ratio) { return fmt::format("{:+.1f} %", (ratio - 1) * 100); }

std::string points_text(const Json& points) {
  session::Table table({"computation", "way", "tile", "level", "batches", "tiles", "products", "relin", "rotations",
                        "latency", "an item", "predicted", "tensors", "process", "predicted"});
  for (const Json& p : points) {
    const auto number = [&](const char* field) { return p.at(field).get<double>(); };
    const auto count = [&](const char* field) { return fmt::to_string(p.at(field).get<std::int64_t>()); };
    table.add({p.at("computation").get<std::string>(), p.at("way").get<std::string>(), extents_text(p.at("extents")),
               count("level"), count("batches"), count("tiles"), count("products"), count("relinearisations"),
               count("rotations"), duration_text(number("latency")), duration_text(number("amortised")),
               percent_text(number("predicted_latency") / number("latency")), byte_size_text(number("tensor_bytes")),
               byte_size_text(number("process_bytes")),
               percent_text(number("predicted_process_bytes") / number("process_bytes"))});
  }
  return table.text();
}

}  // namespace

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

std::string packing_bench_text(const Json& bench) {
  const int security = bench.at("security_bits").get<int>();
  std::string text = fmt::format(
      "{}\nN = 2^{}, log QP {:.1f}, {}, keys {}, load average {:.2f}\n\n", bench.at("requirement").get<std::string>(),
      bench.at("log_n").get<int>(), bench.at("log_qp").get<double>(),
      security == 0 ? "INSECURE, for tests only" : fmt::format("{}-bit security", security),
      byte_size_text(bench.at("key_bytes").get<double>()), bench.at("load_average").get<double>());
  for (const char* section : {"experiments", "sweep"})
    text += fmt::format("{}\n{}\n", section, points_text(bench.at(section)));
  text += "shapes of the chain\n";
  for (const Json& p : bench.at("experiments")) {
    if (p.at("computation").get<std::string>().rfind("chain", 0) != 0 || p.at("way") != "published") continue;
    for (const Json& shape : p.at("shapes")) text += fmt::format("  {}\n", shape.get<std::string>());
  }
  for (const Json& plan : bench.at("plans")) {
    text += fmt::format("\n{}", session::plan_packing_text(plan));
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

}  // namespace tacit::bench
