#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "program/program.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/diagonal_matrix.h"
#include "scheme/ckks/encoder.h"

namespace tacit::runtime {

/// The plaintext side of one instruction: encoded diagonals of a Linear, and the bias, addend or factor, one plaintext
/// a ciphertext of the result (none where there is no bias). Immutable.
class InstructionWeights {
 public:
  using Blocks = std::vector<std::vector<const scheme::ckks::DiagonalMatrix*>>;
  InstructionWeights(std::vector<std::unique_ptr<const scheme::ckks::DiagonalMatrix>> matrices,
                     std::vector<Blocks> blocks, std::vector<scheme::ckks::Plaintext> plaintexts, std::uint64_t bytes);

  /// [output][input] of a term; null where the block is zero.
  const Blocks& blocks(std::size_t term) const { return blocks_[term]; }
  const std::vector<scheme::ckks::Plaintext>& plaintexts() const { return plaintexts_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<const scheme::ckks::DiagonalMatrix>> matrices_;
  std::vector<Blocks> blocks_;
  std::vector<scheme::ckks::Plaintext> plaintexts_;
  std::uint64_t bytes_;
};

/// The encoded weights of a program: held where memory allows, encoded at every use where it does not. Reading is
/// thread safe once `encode` has returned.
class EncodedWeights {
 public:
  /// `program`, with levels and scales, must outlive this object.
  EncodedWeights(scheme::ckks::ContextPtr context, const program::Program& program);

  /// Encodes every instruction in order and keeps what fits the budget beside the `taken` bytes of keys and
  /// ciphertexts, together with the room that the largest of the others needs when it is used. Throws InputError with
  /// the need and the budget when the largest alone does not fit.
  void encode(const base::MemoryBudget& budget, std::uint64_t taken, base::Progress& progress);
  /// Of an instruction with weights: the held ones, or fresh ones that go when the caller lets go.
  std::shared_ptr<const InstructionWeights> of(program::ValueId id) const;

  /// Bytes held between uses.
  std::uint64_t held_bytes() const { return held_bytes_; }
  /// Bytes of all weights if they were held.
  std::uint64_t total_bytes() const { return total_bytes_; }
  /// Bytes of the largest instruction whose weights are not held; 0 if all are.
  std::uint64_t largest_unheld_bytes() const { return largest_unheld_bytes_; }

 private:
  struct Encoding {
    std::shared_ptr<const InstructionWeights> weights;  ///< null if they need more than the limit
    std::uint64_t bytes = 0;
  };
  Encoding encode(program::ValueId id, std::uint64_t limit) const;
  Encoding encode_linear(const program::Linear& linear, const program::Instruction& instruction,
                         std::uint64_t limit) const;
  std::vector<scheme::ckks::Plaintext> encode_array(const layout::Layout& layout, std::span<const double> tensor,
                                                    int level, double scale) const;

  scheme::ckks::ContextPtr context_;
  scheme::ckks::Encoder encoder_;
  const program::Program& program_;
  std::vector<std::shared_ptr<const InstructionWeights>> held_;
  std::uint64_t held_bytes_ = 0, total_bytes_ = 0, largest_unheld_bytes_ = 0;
};

}  // namespace tacit::runtime
