#pragma once

#include <functional>
#include <string>

#include "base/feasible.h"

namespace tacit::session {

/// The scheme with the shorter planned time for a network.
struct SchemeChoice {
  bool on_slots = true;  ///< CKKS; else TFHE
  std::string note;      ///< for the plan: the choice, and the planned times of both or the reason that one was refused
};

/// Chooses a scheme. Each argument compiles for its scheme and returns the planned seconds of an input on one core of
/// the machine of the default prices. Times of other machines or of several threads would not be comparable. An
/// InputError of one argument means that its scheme cannot compute the network: check the options before. If neither
/// can, there is no choice, and the problem states both reasons.
base::Feasible<SchemeChoice> choose_scheme(const std::function<double()>& on_slots,
                                           const std::function<double()>& on_integers);

}  // namespace tacit::session
