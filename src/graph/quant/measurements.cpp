#include "graph/quant/measurements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string_view>

#include "base/error.h"
#include "graph/serialize.h"

namespace tacit::graph::quant {
namespace {

template <class T, class Describe>
void require_same(std::string_view option, const T& measured, const T& asked, const Describe& describe) {
  if (!(measured == asked))
    base::refuse(
        "the ranges were measured for {} {}, and this compilation has {}: give the same, or run 'tacit calibrate' with "
        "what you give here",
        option, describe(measured), describe(asked));
}

}  // namespace

void require_fits(const Measurements& measured, const Graph& graph, const MeasuredChoices& asked) {
  if (const base::Digest model = digest(graph); measured.model != model) {
    const auto shown = [](const base::Digest& bytes) { return base::hexadecimal(std::span(bytes).first(8)); };
    base::refuse(
        "the ranges were measured on another model (digest {}…; this one has {}…): run 'tacit calibrate' on the model "
        "that is compiled",
        shown(measured.model), shown(model));
  }
  const MeasuredChoices& of_file = measured.choices;
  require_same("--bits", of_file.bits, asked.bits, [](int bits) { return fmt::to_string(bits); });
  require_same("--rounding", of_file.rounding, asked.rounding,
               [](Rounding rounding) { return rounding == Rounding::exact ? "exact" : "approximate"; });
  require_same("--failure", of_file.log2_failure, asked.log2_failure,
               [](double log2) { return fmt::format("2^{:g}", log2); });
  require_same("--parameters", of_file.parameters, asked.parameters,
               [](const std::optional<params::TfheLiteral>& literal) {
                 return literal ? params::to_json(*literal) : std::string("chosen by price");
               });
  require_same("--client-before", of_file.client_before, asked.client_before,
               [](bool on) { return on ? "on" : "off"; });
  require_same("--keep-private", of_file.keep_private, asked.keep_private,
               [](const std::set<std::string>& nodes) { return fmt::format("[{}]", fmt::join(nodes, ", ")); });
}

}  // namespace tacit::graph::quant
