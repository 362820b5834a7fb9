#include "session/owner/compiled_network.h"

#include "base/error.h"
#include "session/owner/integers/compiled_network.h"
#include "session/owner/scheme_choice.h"
#include "session/owner/slots/compiled_network.h"

namespace tacit::session {
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
        compile_integers(model, std::move(of), choices, preprocessing, public_range, private_rows, memory, progress));
  };
  switch (choices.scheme) {
    case Scheme::ckks: return on_slots(std::move(graph));
    case Scheme::tfhe: return on_integers(std::move(graph));
    case Scheme::automatic: break;
  }
  // Refusals of either scheme say only that the other one is taken, and this one would hide mistakes.
  if (!choices.shardings.empty())
    throw base::InputError("--shard lays out ciphertexts of slots: give --scheme ckks as well");
  if (!choices.costs.empty())
    throw base::InputError(
        "--costs prices CKKS alone, so that it says nothing about which scheme takes less time: give --scheme ckks as "
        "well, or leave it out");
  require_either_rounds(choices.rounding == graph::quant::Rounding::exact);
  std::unique_ptr<CompiledNetwork> slots, integers;
  const SchemeChoice choice = choose_scheme([&] { return (slots = on_slots(graph))->priced_seconds(); },
                                            [&] { return (integers = on_integers(graph))->priced_seconds(); });
  std::unique_ptr<CompiledNetwork>& taken = choice.on_slots ? slots : integers;
  taken->add_note(choice.note);
  return std::move(taken);
}

}  // namespace tacit::session
