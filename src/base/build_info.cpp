#include "base/build_info.h"

#include "base/cpu.h"
#include TACIT_COMMIT_HEADER

namespace tacit::base {

std::string_view version() { return TACIT_VERSION; }

std::string_view commit() { return TACIT_COMMIT; }

std::string build_info() {
  std::string text = "tacit ";
  text.append(version()).append(" (commit ").append(commit()).append(", ").append(isa_name(active_isa()));
  return text + ")";
}

}  // namespace tacit::base
