#pragma once

#include <functional>
#include <string>

namespace tacit::session {

/// The scheme that a network is planned to take less time with.
struct SchemeChoice {
  bool on_slots = true;  ///< CKKS; else TFHE
  std::string note;      ///< for the plan: what was taken, and what both are planned to take or why one was refused
};

/// Each argument compiles for its scheme and returns the seconds that an input is planned to take on one core of the
/// machine of the default prices: times of other machines or of several threads would not compare. InputError of one
/// says that its scheme cannot; where neither can, InputError gives both reasons.
SchemeChoice choose_scheme(const std::function<double()>& on_slots, const std::function<double()>& on_integers);

/// Where the choice is free: throws InputError for exact rounding, which CKKS would drop without a word.
void require_either_rounds(bool exact_rounding);

}  // namespace tacit::session
