#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "layout/placement.h"
#include "program/integers/evaluator.h"
#include "runtime/communicator.h"
#include "runtime/integers/prepared_integers.h"
#include "scheme/tfhe/evaluator.h"

namespace tacit::runtime {

/// The encrypted reading of a prepared program on integers, on one rank or on several. All ranks carry out the same
/// instructions. A rank computes the rows of a sum, the bootstraps of a lookup and the elements of a rounding that the
/// placement gives it, after it has received their operands. Key switches and bootstraps draw nothing, and sums are
/// exact. Every ciphertext is thus bit for bit the one that a single rank would compute. Calls are collective.
class EncryptedIntegers final : public integers::Evaluator {
 public:
  /// Progress has a step for every bootstrap of this rank. All arguments must outlive the evaluator.
  EncryptedIntegers(const PreparedIntegers& prepared, const scheme::tfhe::Evaluator& evaluator,
                    base::Progress& progress);

  /// Returns the number of bootstraps of a run that this rank carries out.
  std::size_t bootstraps() const;

  /// Returns the array of a value that rank 0 has completely. The other ranks pass null.
  program::ArrayPtr from_rank_0(integers::ValueId id,
                                std::shared_ptr<const scheme::tfhe::LweCiphertexts> ciphertexts) const;
  /// Returns an array whose ciphertexts all lie on rank 0; null on the other ranks.
  program::ArrayPtr to_rank_0(const program::ArrayPtr& array);
  /// Returns the ciphertexts of an array that lie on this rank, in the order of their elements.
  static const std::shared_ptr<const scheme::tfhe::LweCiphertexts>& ciphertexts_of(const program::ArrayPtr& array);

  program::ArrayPtr input(integers::ValueId, const program::ArrayPtr& given) override { return given; }
  program::ArrayPtr add_up(integers::ValueId id, std::span<const program::ArrayPtr> operands) override;
  void look_up(integers::ValueId id, const program::ArrayPtr& operand, std::span<program::ArrayPtr> values) override;
  program::ArrayPtr round_off(integers::ValueId id, const program::ArrayPtr& operand) override;
  program::ArrayPtr output(integers::ValueId, const program::ArrayPtr& operand) override { return operand; }

 private:
  using Needs = std::vector<std::vector<layout::Index>>;  ///< by rank, the elements that it reads
  std::shared_ptr<const scheme::tfhe::LweCiphertexts> fetch(const program::ArrayPtr& array, const Needs& needs);
  program::ArrayPtr placed(std::vector<layout::Interval> holders, scheme::tfhe::LweCiphertexts here) const;
  bool alone() const { return placement_.ranks() == 1; }
  layout::Interval own(std::size_t units) const {
    return placement_.blocks_of(rank_, static_cast<layout::Index>(units));
  }
  scheme::tfhe::LweCiphertexts bootstrapped(integers::ValueId id, const scheme::tfhe::LweCiphertexts& operand,
                                            const layout::Interval& own);

  const PreparedIntegers& prepared_;
  const integers::Program& program_;
  const scheme::tfhe::Evaluator& evaluator_;
  base::Progress& progress_;
  const layout::Placement placement_;
  const layout::Index rank_;
};

}  // namespace tacit::runtime
