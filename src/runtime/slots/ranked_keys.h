#pragma once

#include <cstdint>
#include <memory>

#include "runtime/communicator.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

namespace tacit::runtime {

/// Evaluation keys on a rank.
struct RankedKeys {
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys;
  int neighbours = 1;      ///< ranks of this machine, this one included
  bool in_common = false;  ///< the ranks of this machine share the memory of the words
  /// Returns this rank's share of the keys' bytes.
  std::uint64_t bytes() const { return keys->bytes() / static_cast<std::uint64_t>(in_common ? neighbours : 1); }
};

/// Sends rank 0's keys (null on the others) to all ranks, one key after the other. If several ranks are on one machine
/// that has room to share, its memory holds the words once. Collective.
RankedKeys share_keys(Communicator& ranks, const scheme::ckks::Context& context,
                      std::shared_ptr<const scheme::ckks::EvaluationKeys> keys);

}  // namespace tacit::runtime
