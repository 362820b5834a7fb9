#pragma once

#include <cstddef>
#include <vector>

#include "params/ckks_parameters.h"

namespace tacit::params {

/// The parts of the secret key of several owners, of whom any `threshold` decrypt: a replicated sharing (Ito, Saito,
/// Nishizeki 1987). Each set of threshold - 1 owners has one part, which exactly the other owners hold. So any
/// `threshold` owners hold all parts together, and fewer lack at least one. There are C(owners, threshold - 1) parts,
/// at most kMostParts. One holder leads each part: it draws the seed of the part and makes its share of the keys.
/// Immutable, thread safe.
class OwnerParts {
 public:
  /// Throws InputError unless 2 <= threshold <= owners and there are at most kMostParts parts.
  OwnerParts(int owners, int threshold);

  int owners() const { return owners_; }
  int threshold() const { return threshold_; }
  std::size_t parts() const { return absent_.size(); }
  /// Returns true if the owner holds the part. Owners count from 0.
  bool holds(int owner, std::size_t part) const;
  int leader(std::size_t part) const { return leader_[part]; }
  /// Returns the parts that an owner holds, or leads, in ascending order.
  std::vector<std::size_t> held_by(int owner) const;
  std::vector<std::size_t> led_by(int owner) const;
  /// Returns the parts that `leader` leads and `other` holds, for leader != other.
  std::vector<std::size_t> given(int leader, int other) const;

 private:
  int owners_, threshold_;
  std::vector<std::vector<int>> absent_;  ///< by part: the owners that do not hold it, ascending
  std::vector<int> leader_;
};

}  // namespace tacit::params
