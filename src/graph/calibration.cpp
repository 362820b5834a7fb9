#include "graph/calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string_view>

#include "base/error.h"
#include "graph/serialize.h"

namespace tacit::graph {
namespace {

[[noreturn]] void refuse(std::string_view option, const std::string& measured, const std::string& asked) {
  base::refuse(
      "the ranges were measured for {} {}, and this compilation has {}: give the same, or run 'tacit "
      "calibrate' with what you give here",
      option, measured, asked);
}

template <class T, class Describe>
void require_equal(std::string_view option, const T& measured, const T& asked, const Describe& describe) {
  if (!(measured == asked)) refuse(option, describe(measured), describe(asked));
}

std::string on_or_off(bool on) { return on ? "on" : "off"; }

std::string name_of(const std::optional<params::CkksLiteral>& literal) {
  return literal ? params::to_json(*literal) : "chosen by price";
}

std::string text_of(const std::optional<params::Sharing>& sharing) {
  if (!sharing) return "none";
  return fmt::format("{} ({:g} statistical bits, {:g} decryptions)", sharing->bits, sharing->statistical_bits,
                     sharing->decryptions);
}

}  // namespace

void require_fits(const Calibration& calibration, const Graph& graph, const CalibrationChoices& asked) {
  if (const base::Digest model = digest(graph); calibration.model != model) {
    const auto shown = [](const base::Digest& bytes) { return base::hexadecimal(std::span(bytes).first(8)); };
    base::refuse(
        "the ranges were measured on another model (digest {}…; this one has {}…): run 'tacit calibrate' "
        "on the model that is compiled",
        shown(calibration.model), shown(model));
  }
  const CalibrationChoices& measured = calibration.choices;
  const auto number = [](auto value) { return fmt::format("{}", value); };
  require_equal("--batch", measured.batch, asked.batch,
                [](const std::optional<std::int64_t>& batch) { return batch ? fmt::to_string(*batch) : "auto"; });
  require_equal("--max-degree", measured.max_degree, asked.max_degree, number);
  require_equal("degrees of values (--max-degree) up to", measured.max_value_degree, asked.max_value_degree, number);
  require_equal("--max-polynomial-error", measured.max_error, asked.max_error, number);
  require_equal("--client-before", measured.client_before, asked.client_before, on_or_off);
  require_equal("client_after", measured.client_after, asked.client_after, on_or_off);
  require_equal("--keep-private", measured.keep_private, asked.keep_private,
                [](const std::set<std::string>& nodes) { return fmt::format("[{}]", fmt::join(nodes, ", ")); });
  require_equal("--parameters", measured.parameters, asked.parameters, name_of);
  require_equal("--share", measured.sharing, asked.sharing, text_of);
  require_equal("--precision", measured.precision, asked.precision,
                [](const std::optional<int>& bits) { return bits ? fmt::to_string(*bits) : std::string("none"); });
}

}  // namespace tacit::graph
