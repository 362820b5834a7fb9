#pragma once

#include <memory>

#include "params/ckks_parameters.h"

namespace tacit::scheme::ckks {

/// Everything precomputed from a checked parameter set: NTT tables, base converters per level, embedding tables.
/// Immutable after construction, thread safe, shared by all actors.
class Context {
 public:
  static std::shared_ptr<const Context> make(params::CkksParameters parameters);
  const params::CkksParameters& parameters() const;
};
using ContextPtr = std::shared_ptr<const Context>;

}  // namespace tacit::scheme::ckks
