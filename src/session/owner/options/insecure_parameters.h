#pragma once

#include <tacit/insecure.h>

#include "base/error.h"
#include "params/parameter_identity.h"

namespace tacit::session {

/// Throws InputError for an insecure set that the caller does not allow.
inline void require_permitted(const params::ParameterIdentity& set, InsecureParameters permission) {
  if (set.security_bits == 0 && permission == InsecureParameters::refuse)
    throw base::InputError(
        "the parameter set '" + set.name +
        "' is marked insecure: whoever sees its ciphertexts can read them; for a test, pass InsecureParameters::allow");
}

}  // namespace tacit::session
