#include "session/owner/scheme_choice.h"

#include <fmt/format.h>

#include "base/error.h"

namespace tacit::session {
namespace {

/// Returns the planned seconds, or the refusal of the network. A compiler throws the refusal because the network is the
/// user's. Options are correct here.
base::Feasible<double> tried(const std::function<double()>& compile) {
  try {
    return compile();
  } catch (const base::InputError& error) {
    return base::Infeasible{error.what()};
  }
}

std::string text_of(const base::Feasible<double>& seconds) {
  return seconds ? fmt::format("{:.3g} s", *seconds) : seconds.problem().sentence();
}

}  // namespace

base::Feasible<SchemeChoice> choose_scheme(const std::function<double()>& on_slots,
                                           const std::function<double()>& on_integers) {
  const base::Feasible<double> slots = tried(on_slots), integers = tried(on_integers);
  const std::string of_slots = text_of(slots), of_integers = text_of(integers);
  // What either scheme says in the same words is no matter of the scheme.
  if (!slots && !integers && of_slots == of_integers) return slots.problem();
  if (!slots && !integers)
    return base::infeasible("neither scheme computes this network. CKKS: {}. TFHE: {}", of_slots, of_integers);
  const bool take_slots = slots && (!integers || *slots <= *integers);
  return SchemeChoice{take_slots,
                      fmt::format("--scheme auto took {}. planned an input on one core of a Zen 5: CKKS {}; TFHE {}",
                                  take_slots ? "CKKS" : "TFHE", of_slots, of_integers)};
}

}  // namespace tacit::session
