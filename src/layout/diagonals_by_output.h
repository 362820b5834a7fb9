#pragma once

#include <optional>
#include <vector>

#include "layout/diagonals.h"

namespace tacit::layout {

/// The weights of a map for one output ciphertext after another, in bounded memory. They are made in one pass over the
/// map while they are small, as they are where they repeat, and else anew for every output. Not thread safe.
class DiagonalsByOutput {
 public:
  /// `map` must outlive it. `diagonals`: the most that a block has; `asked`: of how many outputs the weights will be.
  DiagonalsByOutput(const LinearMap& map, std::size_t diagonals, std::size_t asked);

  /// By input ciphertext; to be asked for once. Holds until the next call.
  std::vector<DiagonalBlock>& blocks_of(Index output);
  /// That of the blocks of the last call.
  const DiagonalSet& set() const { return made_->set; }

 private:
  const LinearMap& map_;
  bool whole_;
  std::optional<Diagonals> made_;  // of all outputs, or of the last one
};

}  // namespace tacit::layout
