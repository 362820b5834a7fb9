#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace tacit::app {

/// Returns one self-contained page for a browser. It holds the data, the plotting library (Chart.js) and our own
/// script, and loads nothing from the network. `data` has a "title" and any of
/// - "packing", from run_packing_bench;
/// - "packing_plan", from plan_packing_json;
/// - "merkle", from the benchmark of trees: operations, trees, published;
/// - "ckks", the results of bench ckks;
/// - "model", from plan_json, with "seconds_measured" in its instructions after a run;
/// - "validation", from session::validation_page.
std::string report_page(const nlohmann::ordered_json& data);

/// Writes the page. Does nothing if `path` is empty, because no page was requested. Throws InputError naming the path
/// if writing fails.
void write_report(const std::filesystem::path& path, const nlohmann::ordered_json& data);

}  // namespace tacit::app
