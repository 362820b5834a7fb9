#include "session/owner/compiled_network.h"

#include "session/owner/integers/compiled_network.h"
#include "session/owner/integers/plan.h"
#include "session/owner/slots/compiled_network.h"
#include "session/owner/slots/plan.h"

namespace tacit::session {
namespace {

bool on_integers(const nlohmann::ordered_json& plan) { return plan.at("scheme") == "tfhe"; }

}  // namespace

std::unique_ptr<CompiledNetwork> make_compiled_network(const std::filesystem::path& model, graph::Graph graph,
                                                       const CompileChoices& choices,
                                                       const Preprocessing& preprocessing,
                                                       std::optional<std::pair<double, double>> public_range,
                                                       const std::optional<PrivateRows>& private_rows,
                                                       const base::MemoryBudget& memory, base::Progress& progress) {
  if (choices.scheme == Scheme::ckks)
    return network_on_slots(
        compile_network(model, std::move(graph), choices, preprocessing, public_range, private_rows, memory, progress),
        choices);
  return network_on_integers(
      compile_integers(model, std::move(graph), choices, preprocessing, public_range, private_rows, progress));
}

std::string plan_text_of(const nlohmann::ordered_json& plan) {
  return on_integers(plan) ? integer_plan_text(plan) : plan_text(plan);
}
std::string instructions_text_of(const nlohmann::ordered_json& plan) {
  return on_integers(plan) ? integer_instructions_text(plan) : instructions_text(plan);
}

}  // namespace tacit::session
