#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "program/slots/execute.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "runtime/slots/weight_bytes.h"

namespace tacit::runtime {

/// The encoded weights of a program on ciphertexts. They are held if memory allows it, and otherwise encoded at every
/// use. Reading is thread safe once `encode` has returned.
class EncodedWeights final : public slots::Weights {
 public:
  /// `program` has levels and scales. `evaluator` encodes for ciphertexts of the context. Both must outlive this
  /// object.
  EncodedWeights(const slots::Program& program, scheme::ckks::ContextPtr context, slots::Evaluator& evaluator);

  /// Encodes every instruction in order, and keeps the weights that fit the budget. The budget also covers the `taken`
  /// bytes of keys and ciphertexts, and the room that the largest unheld instruction needs at its use. If the system
  /// limits this process, fewer weights are kept when the process holds more than was planned. `present` of the taken
  /// bytes are in memory already. Throws InputError with the need and the budget if the largest instruction alone does
  /// not fit.
  void encode(const base::MemoryBudget& budget, std::uint64_t taken, std::uint64_t present, base::Progress& progress);
  /// Returns the weights of an instruction: held ones, or fresh ones that are freed with the caller's pointer.
  std::shared_ptr<const slots::InstructionWeights> of(program::ValueId id) override;

  /// Returns the bytes held between uses.
  std::uint64_t held_bytes() const { return held_bytes_; }
  /// Returns the bytes of all weights if they were held.
  std::uint64_t total_bytes() const { return total_bytes_; }
  /// Returns the bytes of the largest instruction whose weights are not held; 0 if all are.
  std::uint64_t largest_unheld_bytes() const { return largest_unheld_bytes_; }

 private:
  struct Held {
    std::shared_ptr<const slots::InstructionWeights> weights;
    std::uint64_t bytes = 0;
    bool chosen = false;  ///< to be held
  };
  /// Chooses the weights to hold by counted sizes, before anything is encoded: at most `kept` bytes. Refuses an
  /// instruction that does not fit into `room` by itself.
  void choose(const base::MemoryBudget& budget, std::uint64_t taken, std::uint64_t room, std::uint64_t kept);
  /// Removes weights from the choice until they fit together with the largest of the others.
  void let_go(std::uint64_t kept);
  /// Throws: the weights of `id`, or of the largest instruction, do not fit.
  [[noreturn]] void refuse(const base::MemoryBudget& budget, std::uint64_t taken, program::ValueId id,
                           std::uint64_t bytes) const;
  std::shared_ptr<const slots::InstructionWeights> encoded(program::ValueId id) const;

  const slots::Program& program_;
  scheme::ckks::ContextPtr context_;
  slots::Evaluator& evaluator_;
  WeightBytes sizes_;
  std::vector<Held> held_;
  std::uint64_t held_bytes_ = 0, total_bytes_ = 0, largest_unheld_bytes_ = 0;
};

}  // namespace tacit::runtime
