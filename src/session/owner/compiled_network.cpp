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
  const auto on_slots = [&](std::string note) {
    Compilation compilation =
        compile_network(model, graph, choices, preprocessing, public_range, private_rows, memory, progress);
    if (!note.empty()) compilation.graph.notes.push_back(std::move(note));
    return network_on_slots(std::move(compilation), choices);
  };
  const auto on_integers = [&](std::string note) {
    IntegerCompilation compilation =
        compile_integers(model, graph, choices, preprocessing, public_range, private_rows, progress);
    if (!note.empty()) compilation.graph.notes.push_back(std::move(note));
    return network_on_integers(std::move(compilation));
  };
  switch (choices.scheme) {
    case Scheme::ckks: return on_slots({});
    case Scheme::tfhe: return on_integers({});
    case Scheme::automatic: break;
  }
  const Planned slots = planned([&] { return on_slots({}); }), integers = planned([&] { return on_integers({}); });
  if (!slots.network && !integers.network)
    throw base::InputError(
        fmt::format("neither scheme computes this network. CKKS: {}. TFHE: {}", slots.text, integers.text));
  const std::string both = fmt::format("planned an input: CKKS {}; TFHE {}", slots.text, integers.text);
  const bool take_slots = slots.network && (!integers.network || slots.seconds <= integers.seconds);
  return take_slots ? on_slots("--scheme auto took CKKS. " + both) : on_integers("--scheme auto took TFHE. " + both);
}

std::string plan_text_of(const nlohmann::ordered_json& plan) {
  return on_integers(plan) ? integer_plan_text(plan) : plan_text(plan);
}
std::string instructions_text_of(const nlohmann::ordered_json& plan) {
  return on_integers(plan) ? integer_instructions_text(plan) : instructions_text(plan);
}

}  // namespace tacit::session
