#pragma once

#include <memory>

#include "program/slots/evaluator.h"
#include "runtime/communicator.h"
#include "runtime/slots/encrypted_evaluator.h"

namespace tacit::runtime {

/// The encrypted reading on several ranks, which all carry out the same instructions. Each rank computes the
/// ciphertexts that the placement gives it, after it has received their operands. Operands move at the level that the
/// instruction reads, directly between the words of both ranks. Every ciphertext is bit for bit the one that a single
/// rank would compute. Calls are collective, except encoding, which a rank does for its own ciphertexts.
///
/// A bootstrap is placed by the pairs that pass together. Plain factors are encoded completely on every rank. Throws
/// InternalError for encryption and decryption, because programs do neither.
class PlacedEvaluator : public slots::Evaluator {
 public:
  /// `local` carries out this rank's share. `local` and `ranks` must outlive the evaluator and its arrays.
  static std::unique_ptr<PlacedEvaluator> make(EncryptedEvaluator& local, Communicator& ranks);

  /// Returns an array of the encrypted reading that rank 0 holds, as an array placed there. The other ranks pass null.
  /// It has `count` ciphertexts, at the level of `at` or above.
  virtual program::ArrayPtr from_rank_0(layout::Index count, const program::ArrayPtr& array,
                                        slots::Landing at) const = 0;
  /// Returns an array of the encrypted reading with all ciphertexts on rank 0; null on the others.
  virtual program::ArrayPtr to_rank_0(const program::ArrayPtr& array) = 0;
};

}  // namespace tacit::runtime
