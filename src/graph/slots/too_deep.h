#pragma once

#include "base/error.h"

namespace tacit::graph::passes {

/// No parameter set has the levels that a network takes. Series of lower degrees may fit.
class TooDeep : public base::InputError {
 public:
  using base::InputError::InputError;
};

}  // namespace tacit::graph::passes
