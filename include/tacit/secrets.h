#pragma once

#include <tacit/error.h>

/// Protection of the secrets of a process. The library changes nothing unless the host program calls these functions.
/// The `tacit` command calls them where it holds a secret.
namespace tacit {

/// Asks the system to write no core dump of this process. Also asks it to forbid other processes of the same user to
/// read its memory, so that debuggers cannot attach. If the system refuses, nothing changes.
///
/// Secret keys are protected without this call: as far as the system allows, they are left out of core dumps and swap
/// files. Inputs, results and intermediate values are not.
TACIT_API void forbid_core_dumps();

/// Allows or forbids that what() of exceptions states private values: elements of inputs and of decrypted results. An
/// example is "element 3 is 1.5, outside [-1, 1]". The default text names only the element and the bound, because
/// messages reach logs. Holds for the whole process.
TACIT_API void show_private_values(bool shown);

}  // namespace tacit
