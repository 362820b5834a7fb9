#include "graph/quant/pass_texts.h"

#include <fmt/format.h>

namespace tacit::graph::quant {

std::string far_rows_text(const FarRows& far) {
  if (far.rows.empty()) return "no row is far from all others\n";
  std::string text;
  for (const FarRow& row : far.rows)
    text += fmt::format("row {}: node '{}', {} {}: {:.4g}, where others are in [{:.4g}, {:.4g}]; {}\n", row.row,
                        row.node, row.channel ? "channel" : "element", row.element, row.value, row.others.lowest,
                        row.others.highest, row.set_aside ? "set aside" : "stays");
  return text;
}

std::string changed_ranges_text(const passes::Network& before, const passes::Network& after) {
  std::string text;
  for (passes::ValueId id = 0; id < after.values.size(); ++id) {
    const std::vector<Range>&old = before.values[id].element_ranges, &ranges = after.values[id].element_ranges;
    for (std::size_t e = 0; e < ranges.size(); ++e)
      if (!(ranges[e] == old[e]))
        text +=
            fmt::format("node '{}', element {}: [{:.4g}, {:.4g}] in place of [{:.4g}, {:.4g}]\n", after.values[id].node,
                        e, ranges[e].lowest, ranges[e].highest, old[e].lowest, old[e].highest);
  }
  return text.empty() ? "every feature keeps its ends\n" : text;
}

std::string neighbour_rates_text(const integers::Program& program, const std::vector<double>& rates) {
  std::string text;
  for (integers::ValueId id = 0; id < program.instructions.size(); ++id)
    if (const auto* lookup = std::get_if<integers::Lookup>(&program.value(id).operation);
        lookup != nullptr && integers::rounds(program, *lookup))
      text += fmt::format("%{} (node '{}'): {:.2g} % of {} lookups read the next box\n", id, program.value(id).node,
                          100 * rates[id], integers::elements(program.value(id)));
  return text.empty() ? "no lookup rounds its argument\n" : text;
}

}  // namespace tacit::graph::quant
