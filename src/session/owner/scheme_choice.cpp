#include "session/owner/scheme_choice.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"

namespace tacit::session {
namespace {

/// What came of trying a scheme.
struct Tried {
  std::optional<double> seconds;  ///< none where it was refused
  std::string text;               ///< the time, or why it was refused
};

Tried tried(const std::function<double()>& compile) {
  try {
    const double seconds = compile();
    return {seconds, fmt::format("{:.3g} s", seconds)};
  } catch (const base::InputError& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace

SchemeChoice choose_scheme(const std::function<double()>& on_slots, const std::function<double()>& on_integers) {
  const Tried slots = tried(on_slots), integers = tried(on_integers);
  // What either scheme says in the same words is no matter of the scheme.
  if (!slots.seconds && !integers.seconds && slots.text == integers.text) throw base::InputError(slots.text);
  if (!slots.seconds && !integers.seconds)
    base::refuse("neither scheme computes this network. CKKS: {}. TFHE: {}", slots.text, integers.text);
  const bool take_slots = slots.seconds && (!integers.seconds || *slots.seconds <= *integers.seconds);
  return {take_slots, fmt::format("--scheme auto took {}. planned an input on one core of a Zen 5: CKKS {}; TFHE {}",
                                  take_slots ? "CKKS" : "TFHE", slots.text, integers.text)};
}

void require_either_rounds(bool exact_rounding) {
  if (exact_rounding)
    throw base::InputError(
        "exact rounding is for networks on integers, and where the scheme is chosen (auto) it may be CKKS, whose "
        "results are approximate: ask for TFHE (--scheme tfhe), or leave exact rounding out");
}

}  // namespace tacit::session
