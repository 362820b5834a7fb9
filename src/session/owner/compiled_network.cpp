#include "session/owner/compiled_network.h"

#include "base/error.h"
#include "session/owner/scheme_choice.h"

namespace tacit::session {
std::unique_ptr<CompiledNetwork> make_compiled_network(CompileRequest request, base::Progress& progress) {
  const CompileChoices choices = request.choices;
  const auto on_slots = [&](CompileRequest of) {
    return network_on_slots(compile_network(std::move(of), progress), choices);
  };
  const auto on_integers = [&](CompileRequest of) {
    return network_on_integers(compile_integers(std::move(of), progress));
  };
  switch (choices.scheme) {
    case Scheme::ckks: return on_slots(std::move(request));
    case Scheme::tfhe: return on_integers(std::move(request));
    case Scheme::automatic: break;
  }
  // Refusals of either scheme say only that the other one is taken, and this one would hide mistakes.
  if (!choices.shardings.empty())
    throw base::InputError("--shard lays out ciphertexts of slots: give --scheme ckks as well");
  if (!choices.passes.skipped.empty())
    throw base::InputError("--passes steers the compiler of CKKS: give --scheme ckks as well");
  if (!choices.costs.empty())
    throw base::InputError(
        "--costs prices CKKS alone, so that it says nothing about which scheme takes less time: give --scheme ckks as "
        "well, or leave it out");
  require_either_rounds(choices.rounding == graph::quant::Rounding::exact);
  std::unique_ptr<CompiledNetwork> slots, integers;
  const SchemeChoice choice = choose_scheme([&] { return (slots = on_slots(request))->priced_seconds(); },
                                            [&] { return (integers = on_integers(request))->priced_seconds(); });
  std::unique_ptr<CompiledNetwork>& taken = choice.on_slots ? slots : integers;
  taken->add_note(choice.note);
  return std::move(taken);
}

}  // namespace tacit::session
