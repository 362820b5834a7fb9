#include "graph/far_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacit::graph {
namespace {

/// Rows that a warning names; it counts the others.
constexpr std::size_t kNamed = 3;

std::string text_of(const FarRow& far) {
  return fmt::format("row {} reaches {:.4g} in {} {} of '{}', where all others lie in [{:.4g}, {:.4g}] (factor {:.3g})",
                     far.row, far.value, far.channel ? "channel" : "element", far.element, far.node, far.others.lowest,
                     far.others.highest, far.factor);
}

std::string list_of(std::vector<FarRow> rows) {
  std::ranges::stable_sort(rows, std::ranges::greater(), &FarRow::factor);
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, rows.size()); ++i) text += (i > 0 ? "; " : "") + text_of(rows[i]);
  if (rows.size() > kNamed) text += fmt::format("; and {} more", rows.size() - kNamed);
  return text;
}

std::string count_of(std::size_t rows, const char* one, const char* many) {
  return rows == 1 ? fmt::format("1 calibration row {}", one) : fmt::format("{} calibration rows {}", rows, many);
}

}  // namespace

std::size_t most_set_aside(const CalibrationTrim& trim, std::size_t samples) {
  constexpr std::size_t kFew = 40, kShare = 100;
  if (!trim) return std::max<std::size_t>(samples < kFew ? 1 : 2, samples / kShare);
  if (*trim < 1) return static_cast<std::size_t>(std::floor(*trim * static_cast<double>(samples)));
  return std::min(samples, static_cast<std::size_t>(*trim));
}

std::vector<std::string> warnings_of(const FarRows& far) {
  std::vector<FarRow> aside, staying;
  for (const FarRow& row : far.rows) (row.set_aside ? aside : staying).push_back(row);
  std::vector<std::string> warnings;
  if (!aside.empty()) {
    std::string cost;
    if (!far.ranges.empty()) {
      const RangeWithFarRows& widest = far.ranges.front();
      cost = fmt::format(" Kept, they would widen '{}' from [{:.4g}, {:.4g}] to [{:.4g}, {:.4g}].", widest.node,
                         widest.without.lowest, widest.without.highest, widest.with.lowest, widest.with.highest);
    }
    warnings.push_back(fmt::format(
        "{} set aside: {}.{} Inputs like these get no answer; mend the data, or keep the rows by --calibrate-trim off",
        count_of(aside.size(), "is", "are"), list_of(aside), cost));
  }
  if (!staying.empty())
    warnings.push_back(fmt::format(
        "{} far from all others and widen{} the ranges: {}. Answers for ordinary inputs are coarser by about that "
        "factor; mend the data, or set the rows aside by --calibrate-trim {}",
        count_of(staying.size(), "lies", "lie"), staying.size() == 1 ? "s" : "", list_of(staying),
        aside.size() + staying.size()));
  return warnings;
}

}  // namespace tacit::graph
