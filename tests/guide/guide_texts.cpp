#include "guide_texts.h"

#include <fmt/format.h>

namespace tacit::guide {
namespace {

template <class Number>
std::string joined(const std::vector<Number>& numbers, const char* between) {
  std::string text;
  for (const Number number : numbers) text += fmt::format("{}{}", text.empty() ? "" : between, number);
  return text;
}

}  // namespace

std::string to_text(const params::CkksLiteral& literal) {
  return fmt::format("set {}: N = 2^{}, scale 2^{}, primes of {} bits, special primes of {} bits\n", literal.name,
                     literal.log_n, literal.log_scale, joined(literal.q_bits, " "), joined(literal.p_bits, " "));
}

std::string to_text(const program::ClientInterface& client) {
  std::string text;
  for (const program::ClientInput& input : client.inputs)
    text += fmt::format("encrypt '{}' at level {}: values in [{:.3g}, {:.3g}], times {:.3g}\n", input.name, input.level,
                        input.lowest, input.highest, input.units.empty() ? 1.0 : input.units[0]);
  for (const program::ClientOutput& output : client.outputs)
    text += fmt::format("decrypt '{}' at level {}: values in [{:.3g}, {:.3g}], times {:.3g}\n", output.name,
                        output.level, output.lowest, output.highest, output.unit);
  return text;
}

}  // namespace tacit::guide
