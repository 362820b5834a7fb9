#pragma once

#include <tacit/error.h>

/// What a process may do for the secrets that it holds. The library does none of it behind its host's back; the `tacit`
/// command does where it holds a secret.
namespace tacit {

/// Asks the system for no core dump of this process, and that no other process of the same user may read its memory:
/// debuggers cannot attach any more. Secret keys are left out of core dumps and kept from swap files without this, as
/// far as the system allows; inputs, results and what is computed with them are not. Where the system refuses, nothing
/// changes.
TACIT_API void forbid_core_dumps();

/// Whether what() of exceptions may state private values, elements of inputs and of decrypted results: "element 3 is
/// 1.5, outside [-1, 1]". Unless somebody asks they name the element and the bound alone, for they reach logs. For the
/// whole process.
TACIT_API void show_private_values(bool shown);

}  // namespace tacit
