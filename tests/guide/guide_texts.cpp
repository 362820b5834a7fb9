#include "guide_texts.h"

#include <fmt/format.h>

#include "graph/pipeline.h"

namespace tacit::guide {
namespace {

template <class Number>
std::string joined(const std::vector<Number>& numbers, const char* between) {
  std::string text;
  for (const Number number : numbers) text += fmt::format("{}{}", text.empty() ? "" : between, number);
  return text;
}

std::string schemes_of(const graph::Pass& pass) {
  if (!pass.is_for(graph::Target::integers)) return "CKKS";
  return pass.is_for(graph::Target::slots) ? "both" : "TFHE";
}

}  // namespace

std::string set_text(const params::CkksLiteral& literal) {
  return fmt::format("set {}: N = 2^{}, scale 2^{}, primes of {} bits, special primes of {} bits\n", literal.name,
                     literal.log_n, literal.log_scale, joined(literal.q_bits, " "), joined(literal.p_bits, " "));
}

std::string client_text(const program::ClientInterface& client) {
  std::string text;
  for (const program::ClientInput& input : client.inputs)
    text += fmt::format("encrypt '{}' at level {}: values in [{:.3g}, {:.3g}], times {:.3g}\n", input.name, input.level,
                        input.lowest, input.highest, input.units.empty() ? 1.0 : input.units[0]);
  for (const program::ClientOutput& output : client.outputs)
    text += fmt::format("decrypt '{}' at level {}: values in [{:.3g}, {:.3g}], times {:.3g}\n", output.name,
                        output.level, output.lowest, output.highest, output.unit);
  return text;
}

std::string passes_table() {
  std::string text = "| pass | scheme | reads | makes | what it does |\n| --- | --- | --- | --- | --- |\n";
  for (const graph::Pass& pass : graph::all_passes())
    text += fmt::format("| {}`{}` | {} | {} | {} | {} |\n", pass.within ? "– " : "", pass.name, schemes_of(pass),
                        to_text(pass.from), to_text(pass.to), pass.what);
  return text;
}

std::string optional_passes_table() {
  std::string text = "| pass | scheme | what it does |\n| --- | --- | --- |\n";
  for (const graph::Pass& pass : graph::all_passes())
    if (pass.is_optional()) text += fmt::format("| `{}` | {} | {} |\n", pass.name, schemes_of(pass), pass.what);
  return text;
}

std::string explained_passes_table() {
  std::string text = "| pass | scheme | `--explain` prints |\n| --- | --- | --- |\n";
  for (const graph::Pass& pass : graph::all_passes())
    if (pass.shows.what) text += fmt::format("| `{}` | {} | {} |\n", pass.name, schemes_of(pass), pass.shows.what);
  return text;
}

}  // namespace tacit::guide
