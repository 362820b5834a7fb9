#include <tacit/secrets.h>

#include "base/private_value.h"
#include "base/secret_memory.h"

namespace tacit {

void forbid_core_dumps() { base::forbid_core_dumps(); }

void show_private_values(bool shown) { base::show_private_values(shown); }

}  // namespace tacit
