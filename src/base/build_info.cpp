#include "base/build_info.h"

#include <tacit/version.h>

#include "base/commit.h"
#include "base/cpu.h"

#define TACIT_TEXT_OF(x) #x
#define TACIT_TEXT(x) TACIT_TEXT_OF(x)

namespace tacit::base {

std::string_view version() {
  return TACIT_TEXT(TACIT_VERSION_MAJOR) "." TACIT_TEXT(TACIT_VERSION_MINOR) "." TACIT_TEXT(TACIT_VERSION_PATCH);
}

std::string_view commit() { return TACIT_COMMIT; }

std::string build_info() {
  std::string text = "tacit ";
  text.append(version()).append(" (commit ").append(commit()).append(", ").append(isa_name(active_isa()));
  return text + ")";
}

}  // namespace tacit::base
