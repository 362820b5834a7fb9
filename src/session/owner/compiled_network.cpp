#include "session/owner/compiled_network.h"

#include <fmt/format.h>

#include <functional>

#include "base/error.h"
#include "session/owner/integers/compiled_network.h"
#include "session/owner/integers/plan.h"
#include "session/owner/slots/compiled_network.h"
#include "session/owner/slots/plan.h"

namespace tacit::session {
namespace {

bool on_integers(const nlohmann::ordered_json& plan) { return plan.at("scheme") == "tfhe"; }

/// What came of trying a scheme.
struct Planned {
  std::unique_ptr<CompiledNetwork> network;  ///< null where it was refused
  double seconds = 0;                        ///< of an input
  std::string text;                          ///< the time, or why it was refused
};

Planned planned(const std::function<std::unique_ptr<CompiledNetwork>()>& compile) {
  Planned result;
  try {
    result.network = compile();
    result.seconds = result.network->plan().at("estimate").at("seconds").get<double>();
    result.text = fmt::format("{:.3g} s", result.seconds);
  } catch (const base::InputError& error) {
    result.text = error.what();
  }
  return result;
}

}  // namespace

std::unique_ptr<CompiledNetwork> make_compiled_network(const std::filesystem::path& model, graph::Graph graph,
                                                       const CompileChoices& choices,
                                                       const Preprocessing& preprocessing,
                                                       std::optional<std::pair<double, double>> public_range,
                                                       const std::optional<PrivateRows>& private_rows,
                                                       const base::MemoryBudget& memory, base::Progress& progress) {
  const auto on_slots = [&](graph::Graph of) {
    return network_on_slots(
        compile_network(model, std::move(of), choices, preprocessing, public_range, private_rows, memory, progress),
        choices);
  };
  const auto on_integers = [&](graph::Graph of) {
    return network_on_integers(
        compile_integers(model, std::move(of), choices, preprocessing, public_range, private_rows, progress));
  };
  switch (choices.scheme) {
    case Scheme::ckks: return on_slots(std::move(graph));
    case Scheme::tfhe: return on_integers(std::move(graph));
    case Scheme::automatic: break;
  }
  Planned slots = planned([&] { return on_slots(graph); }), integers = planned([&] { return on_integers(graph); });
  if (!slots.network && !integers.network)
    throw base::InputError(
        fmt::format("neither scheme computes this network. CKKS: {}. TFHE: {}", slots.text, integers.text));
  const bool take_slots = slots.network && (!integers.network || slots.seconds <= integers.seconds);
  std::unique_ptr<CompiledNetwork>& taken = take_slots ? slots.network : integers.network;
  taken->add_note(fmt::format("--scheme auto took {}. planned an input: CKKS {}; TFHE {}", take_slots ? "CKKS" : "TFHE",
                              slots.text, integers.text));
  return std::move(taken);
}

std::string plan_text_of(const nlohmann::ordered_json& plan) {
  return on_integers(plan) ? integer_plan_text(plan) : plan_text(plan);
}
std::string instructions_text_of(const nlohmann::ordered_json& plan) {
  return on_integers(plan) ? integer_instructions_text(plan) : instructions_text(plan);
}

}  // namespace tacit::session
