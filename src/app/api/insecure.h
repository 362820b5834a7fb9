#pragma once

#include <tacit/insecure.h>

#include "base/error.h"
#include "params/ckks_parameters.h"

namespace tacit::app::api {

/// Throws InputError for an insecure set that the caller does not allow.
inline void require_permitted(const params::ParameterIdentity& set, InsecureParameters permission) {
  if (set.security_bits == 0 && permission == InsecureParameters::refuse)
    throw base::InputError(
        "the parameter set '" + set.name +
        "' is marked insecure: whoever sees its ciphertexts can read them; for a test, pass InsecureParameters::allow");
}

/// Returns the checked set. Throws InputError for an invalid set, and for an insecure one that the caller does not
/// allow.
inline params::CkksParameters permitted(const params::CkksLiteral& literal, InsecureParameters permission) {
  params::CkksParameters checked = params::CkksParameters::check(literal);
  require_permitted(checked.identity(), permission);
  return checked;
}

}  // namespace tacit::app::api
