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

/// The encoded weights of a program on ciphertexts: held where memory allows, encoded at every use where it does not.
/// Reading is thread safe once `encode` has returned.
class EncodedWeights final : public slots::Weights {
 public:
  /// `program`, with levels and scales, and the evaluator, which encodes for ciphertexts of the context, must outlive
  /// this object.
  EncodedWeights(const slots::Program& program, scheme::ckks::ContextPtr context, slots::Evaluator& evaluator);

  /// Encodes every instruction in order and keeps what fits the budget beside the `taken` bytes of keys and
  /// ciphertexts, together with the room that the largest of the others needs when it is used. Where the system limits
  /// this process, fewer are kept if it holds more than was planned: `present` of the taken bytes are in memory by now.
  /// Throws InputError with the need and the budget when the largest alone does not fit the plan.
  void encode(const base::MemoryBudget& budget, std::uint64_t taken, std::uint64_t present, base::Progress& progress);
  /// Of an instruction with weights: the held ones, or fresh ones that go when the caller lets go.
  std::shared_ptr<const slots::InstructionWeights> of(program::ValueId id) override;

  /// Bytes held between uses.
  std::uint64_t held_bytes() const { return held_bytes_; }
  /// Bytes of all weights if they were held.
  std::uint64_t total_bytes() const { return total_bytes_; }
  /// Bytes of the largest instruction whose weights are not held; 0 if all are.
  std::uint64_t largest_unheld_bytes() const { return largest_unheld_bytes_; }

 private:
  struct Held {
    std::shared_ptr<const slots::InstructionWeights> weights;
    std::uint64_t bytes = 0;
    bool chosen = false;  ///< to be held
  };
  /// Chooses what to hold by counted sizes, before anything is encoded: at most `kept` bytes. Refuses what does not fit
  /// into `room` by itself.
  void choose(const base::MemoryBudget& budget, std::uint64_t taken, std::uint64_t room, std::uint64_t kept);
  /// Chooses fewer until they fit beside the largest of the others.
  void let_go(std::uint64_t kept);
  /// The weights of `id`, or of the largest instruction, do not fit.
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
