#include <tacit/version.h>

#include "base/build_info.h"

namespace tacit {

std::string build_info() { return base::build_info(); }

}  // namespace tacit
