#pragma once

#include <memory>

#include "program/slots/evaluator.h"
#include "runtime/communicator.h"
#include "runtime/slots/encrypted_evaluator.h"

namespace tacit::runtime {

/// The encrypted reading on several ranks, which all carry out the same instructions: each computes the ciphertexts
/// that the placement gives it, after it has got those that they are made from. These move at the level that the
/// instruction reads, straight from and into their words. Every ciphertext comes out as one rank alone would compute
/// it, bit for bit. Calls are collective, but for encoding, which a rank does for what it computes.
///
/// A bootstrap is placed by the pairs that pass together. Plain factors are encoded whole on every rank. Throws
/// InternalError where it is to encrypt or to decrypt: programs do neither.
class PlacedEvaluator : public slots::Evaluator {
 public:
  /// `local`, which carries out this rank's share, and `ranks` must outlive the evaluator and what it makes.
  static std::unique_ptr<PlacedEvaluator> make(EncryptedEvaluator& local, Communicator& ranks);

  /// An array of the encrypted reading that rank 0 holds, as one that lies there; the others give none. `count`
  /// ciphertexts, `at` this level or above.
  virtual program::ArrayPtr from_rank_0(layout::Index count, const program::ArrayPtr& array,
                                        slots::Landing at) const = 0;
  /// An array of the encrypted reading with all ciphertexts on rank 0; null on the others.
  virtual program::ArrayPtr to_rank_0(const program::ArrayPtr& array) = 0;
};

}  // namespace tacit::runtime
