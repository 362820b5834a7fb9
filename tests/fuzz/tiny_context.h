#pragma once

#include "scheme/ckks/context.h"

namespace tacit::fuzz {

/// The smallest ring there is, so that an object is a few hundred bytes.
inline const scheme::ckks::ContextPtr& tiny_context() {
  static const scheme::ckks::ContextPtr context = scheme::ckks::Context::make(params::CkksParameters::check(
      {.name = "tiny", .log_n = 4, .q_bits = {40, 30}, .p_bits = {50}, .log_scale = 30, .insecure = true}));
  return context;
}

}  // namespace tacit::fuzz
