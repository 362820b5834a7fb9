#pragma once

#include <tacit/insecure.h>

#include "params/ckks_parameters.h"
#include "session/owner/options/insecure_parameters.h"

namespace tacit::app::api {

using session::require_permitted;

/// Returns the checked set. Throws InputError for an invalid set, and for an insecure one that the caller does not
/// allow.
inline params::CkksParameters permitted(const params::CkksLiteral& literal, InsecureParameters permission) {
  params::CkksParameters checked = params::CkksParameters::check(literal);
  require_permitted(checked.identity(), permission);
  return checked;
}

}  // namespace tacit::app::api
