#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "program/slots/evaluator.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// What an instruction reads beside values, as one reading has encoded it.
struct InstructionWeights {
  std::vector<EncodedMapPtr> maps;  ///< of a Linear, term by term
  ArrayPtr plain;                   ///< bias, addend or factor; null if there is none
};

/// True for instructions with constants.
bool has_weights(const Operation& operation);
/// Encodes the constants of an instruction for a reading.
InstructionWeights encode_weights(const Program& program, ValueId id, Evaluator& evaluator);

/// Where a run finds the encoded constants of a program.
class Weights {
 public:
  virtual ~Weights() = default;
  /// Of an instruction with constants.
  virtual std::shared_ptr<const InstructionWeights> of(ValueId id) = 0;
};

/// Weights that are encoded when they are first asked for, and kept. Not thread safe before `encode_all`.
class KeptWeights final : public Weights {
 public:
  /// Both must outlive the weights.
  KeptWeights(const Program& program, Evaluator& evaluator);
  std::shared_ptr<const InstructionWeights> of(ValueId id) override;
  void encode_all();

 private:
  const Program& program_;
  Evaluator& evaluator_;
  std::vector<std::shared_ptr<const InstructionWeights>> kept_;
};

/// Carries out one instruction. `operands` follows slots::operands; an Input has its array as the only one.
ArrayPtr carry_out(const Program& program, ValueId id, Evaluator& evaluator, Weights& weights,
                   std::span<const ArrayPtr> operands);

/// Told every value right after it was made, with its operands still alive, and may replace it: what validation,
/// tracing and modelled noise hook into. A Validate makes no value (null).
using Watch = std::function<void(ValueId, ArrayPtr& value, std::span<const ArrayPtr> operands)>;

/// Carries out a program in order, frees every value after its last use, and returns the outputs in order of
/// appearance. inputs[i] belongs to the i-th Input; the arrays are let go as the program goes.
std::vector<ArrayPtr> execute(const Program& program, Evaluator& evaluator, Weights& weights,
                              std::vector<ArrayPtr> inputs, const Watch& watch = {});

}  // namespace tacit::slots
