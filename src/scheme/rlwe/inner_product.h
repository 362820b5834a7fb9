#pragma once

#include <array>
#include <memory>
#include <vector>

#include "scheme/rlwe/combination.h"
#include "scheme/rlwe/digits.h"
#include "scheme/rlwe/key_row.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/scratch.h"
#include "scheme/rlwe/switching_key.h"

namespace tacit::scheme::rlwe {

/// Makes one extended row of the pair <digits, key> + P_level * add, block by block: a BlockProducer (division.h).
/// Copies share their scratch. For one thread.
class InnerProduct {
 public:
  /// The key must reach the level of the digits and have as many digits (throws InternalError). All arguments except
  /// `add` must outlive this object, and so must the polynomials that `add` names.
  InnerProduct(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
               const std::array<Combination, 2>& add, std::size_t row);
  void operator()(std::size_t block, std::uint64_t* const* room, const std::uint64_t** values);

 private:
  const Digits* digits_;
  const ring::Modulus* q_;
  std::size_t row_, words_, run_, last_;
  std::vector<const std::uint64_t*> left_;
  std::vector<const std::uint64_t*> lying_;  ///< rows of digits that are read at an existing place
  std::vector<const std::uint64_t*> next_;
  std::shared_ptr<ScratchRows> room_;
  KeyRow key_;
  std::vector<std::shared_ptr<RowSum>> sum_;  ///< by polynomial; empty if nothing is added
};

}  // namespace tacit::scheme::rlwe
