#pragma once

#include "params/tfhe_solver.h"

namespace tacit::params {

/// One table of so many bits behind weights of this 2-norm.
inline LookupRequirement requirement(int bits, double norm2, double failure = -128) {
  return {.layer = "layer 'conv2'",
          .bits = bits,
          .norm2 = norm2,
          .log2_failure = failure,
          .log_tables = 0,
          .most_key_bytes = 0};
}

}  // namespace tacit::params
