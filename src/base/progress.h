#pragma once

#include <tacit/progress.h>

namespace tacit::base {

using tacit::Progress;

}  // namespace tacit::base
