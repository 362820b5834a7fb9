#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace tacit::app {

/// One self-contained page for a browser: the data, the plotting library (Chart.js) and our own script, nothing from
/// the network. `data` has a "title" and any of "packing" (of run_packing_bench), "packing_plan" (of
/// plan_packing_json), "merkle" (of the benchmark of trees: operations, trees, published), "ckks" (results of bench
/// ckks), "model" (of plan_json, with "seconds_measured" in its instructions where it was run) and "validation" (of
/// session::validation_page).
std::string report_page(const nlohmann::ordered_json& data);

/// Writes the page; nothing where `path` is empty, because no page was asked for. Throws InputError naming the path
/// where that fails.
void write_report(const std::filesystem::path& path, const nlohmann::ordered_json& data);

}  // namespace tacit::app
