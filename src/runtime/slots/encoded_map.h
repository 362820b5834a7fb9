#pragma once

#include <memory>
#include <vector>

#include "layout/placement.h"
#include "program/slots/evaluator.h"
#include "scheme/ckks/diagonal_matrix.h"
#include "scheme/ckks/encoder.h"

namespace tacit::runtime {

/// A linear map with encoded diagonals, as scheme::ckks::Evaluator::linear reads it. Immutable.
class DiagonalMap final : public slots::EncodedMap {
 public:
  using Blocks = std::vector<std::vector<const scheme::ckks::DiagonalMatrix*>>;
  /// Encodes the map for `outputs` only: blocks that none of them reads are not encoded. Throws InputError if the
  /// schedule does not have the diagonals or the folds of the map.
  DiagonalMap(const scheme::ckks::Encoder& encoder, const slots::ScheduledMap& map, slots::Landing from,
              slots::Landing to, const params::RotationPrimes& rotation_primes, const layout::Interval& outputs);
  /// Returns some outputs of one group as a map of one group, from some of its inputs. `outputs` and `inputs` are
  /// ascending. The omitted inputs have no blocks there. The part shares the blocks of this map, which must outlive it.
  DiagonalMap part(const std::vector<layout::Index>& outputs, const std::vector<layout::Index>& inputs) const;

  /// The number of groups of ciphertexts, one after the other, to which the map does the same (layout::equal_parts).
  std::size_t groups() const { return groups_; }
  /// The blocks of one group: [output][input]; null if the block is zero.
  const Blocks& blocks() const { return blocks_; }
  const params::LinearSchedule& schedule() const { return schedule_; }
  double bytes() const override;

 private:
  DiagonalMap() = default;
  params::LinearSchedule schedule_;
  std::vector<std::unique_ptr<const scheme::ckks::DiagonalMatrix>> matrices_;
  Blocks blocks_;
  std::size_t groups_ = 1;
};

}  // namespace tacit::runtime
