#pragma once

#include <memory>
#include <span>
#include <vector>

#include "program/execution.h"
#include "program/slots/evaluator.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The constants that an instruction reads in addition to values, as one reading has encoded them.
struct InstructionWeights {
  std::vector<EncodedMapPtr> maps;  ///< maps of a Linear, term by term
  ArrayPtr plain;                   ///< bias, addend or factor; null if there is none
};

/// Returns true for instructions with constants.
bool has_weights(const Operation& operation);
/// Encodes the constants of an instruction for a reading.
InstructionWeights encode_weights(const Program& program, ValueId id, Evaluator& evaluator);

/// Gives a run the encoded constants of a program.
class Weights {
 public:
  virtual ~Weights() = default;
  /// Returns the constants of an instruction that has some.
  virtual std::shared_ptr<const InstructionWeights> of(ValueId id) = 0;
};

/// Weights that are encoded at the first request, and kept. Not thread safe before `encode_all`.
class KeptWeights final : public Weights {
 public:
  /// Both arguments must outlive the weights.
  KeptWeights(const Program& program, Evaluator& evaluator);
  std::shared_ptr<const InstructionWeights> of(ValueId id) override;
  void encode_all();

 private:
  const Program& program_;
  Evaluator& evaluator_;
  std::vector<std::shared_ptr<const InstructionWeights>> kept_;
};

/// Executes one instruction. `operands` follows slots::operands; an Input has its array as the only one.
ArrayPtr carry_out(const Program& program, ValueId id, Evaluator& evaluator, Weights& weights,
                   std::span<const ArrayPtr> operands);

using program::Watch;

/// Returns a program under a reading of its instructions. The arguments must outlive it.
std::unique_ptr<program::Reading> reading_of(const Program& program, Evaluator& evaluator, Weights& weights);

/// Executes a program in order and frees every value after its last use. Returns the outputs in order of appearance.
/// inputs[i] belongs to the i-th Input. The arrays are freed as the program proceeds.
std::vector<ArrayPtr> execute(const Program& program, Evaluator& evaluator, Weights& weights,
                              std::vector<ArrayPtr> inputs, const Watch& watch = {});

}  // namespace tacit::slots
