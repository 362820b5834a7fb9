#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
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

/// A program that is carried out in order, every value freed after its last use. What it refers to must outlive it.
class Execution {
 public:
  /// inputs[i] belongs to the i-th Input; the arrays are let go as the program goes.
  Execution(const Program& program, Evaluator& evaluator, Weights& weights, std::vector<ArrayPtr> inputs);

  bool done() const { return next_ == program_.instructions.size(); }
  ValueId next() const { return next_; }
  /// Carries out the next instruction.
  void step(const Watch& watch = {});
  /// The values that the rest of the program reads, and outputs, of what was carried out. Inputs that are still to
  /// come are not among them.
  std::vector<std::pair<ValueId, ArrayPtr>> alive() const;
  /// Goes on at `next` with what `alive` gave there.
  void resume(ValueId next, std::vector<std::pair<ValueId, ArrayPtr>> alive);
  /// Of the whole program, in order of appearance.
  std::vector<ArrayPtr> take_outputs();

 private:
  const Program& program_;
  Evaluator& evaluator_;
  Weights& weights_;
  std::vector<ArrayPtr> inputs_, values_;  ///< by instruction
  std::vector<ValueId> last_use_;
  ValueId next_ = 0;
};

/// Carries out a program in order, frees every value after its last use, and returns the outputs in order of
/// appearance. inputs[i] belongs to the i-th Input; the arrays are let go as the program goes.
std::vector<ArrayPtr> execute(const Program& program, Evaluator& evaluator, Weights& weights,
                              std::vector<ArrayPtr> inputs, const Watch& watch = {});

}  // namespace tacit::slots
