#include "program/integers/drawing.h"

#include <fmt/format.h>

#include "program/visit.h"

namespace tacit::integers {
namespace {

/// Names of models are anybody's: what Mermaid or a browser would read as their own becomes an entity.
std::string label(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '#' || c == '<' || c == '>' || c == '&' || c == ';' || c == '`')
      safe += fmt::format("#{};", static_cast<int>(c));
    else
      safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return safe;
}

}  // namespace

std::string to_mermaid(const Program& program) {
  std::string text = "flowchart LR\n";
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& made = program.value(id);
    const std::string source = label(made.source);
    const auto count = elements(made);
    text += std::visit(
        program::Overloaded{
            [&](const Input& input) {
              return fmt::format("  v{}([\"{}, {} inputs\"])\n", id, label(input.name), count);
            },
            [&](const Linear&) { return fmt::format("  v{}[\"{}<br>{} sums\"]\n", id, source, count); },
            [&](const Lookup& lookup) {
              return fmt::format("  v{}{{{{\"{}<br>{} lookups, {} tables\"}}}}\n", id, source, count,
                                 lookup.tables.size());
            },
            [&](const Round& round) {
              return fmt::format("  v{}[/\"{}<br>{} rounded by {} bits\"/]\n", id, source, count, round.dropped);
            },
            [&](const Output& output) {
              return fmt::format("  v{}([\"{}, {} outputs\"])\n", id, label(output.name), count);
            },
            [&](const program::Validate&) { return fmt::format("  v{}[/\"validate {}\"/]\n", id, source); }},
        made.operation);
    for (const ValueId operand : operands(made.operation)) text += fmt::format("  v{} --> v{}\n", operand, id);
  }
  return text;
}

}  // namespace tacit::integers
