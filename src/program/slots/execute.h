#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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

/// Receives every value right after it was made, with its operands still alive, and may replace it. Validation, tracing
/// and modelled noise use it. A Validate makes no value (null).
using Watch = std::function<void(ValueId, ArrayPtr& value, std::span<const ArrayPtr> operands)>;

/// Executes a program in order, and frees every value after its last use. The arguments must outlive it.
class Execution {
 public:
  /// inputs[i] belongs to the i-th Input. The arrays are freed as the program proceeds.
  Execution(const Program& program, Evaluator& evaluator, Weights& weights, std::vector<ArrayPtr> inputs);

  bool done() const { return next_ == program_.instructions.size(); }
  ValueId next() const { return next_; }
  /// Executes the next instruction.
  void step(const Watch& watch = {});
  /// Returns the computed values that the rest of the program reads, and the computed outputs. It leaves out inputs
  /// that are still to come.
  std::vector<std::pair<ValueId, ArrayPtr>> alive() const;
  /// Continues at `next` with the values that `alive` returned there.
  void resume(ValueId next, std::vector<std::pair<ValueId, ArrayPtr>> alive);
  /// Returns the outputs of the whole program, in order of appearance.
  std::vector<ArrayPtr> take_outputs();

 private:
  const Program& program_;
  Evaluator& evaluator_;
  Weights& weights_;
  std::vector<ArrayPtr> inputs_, values_;  ///< by instruction
  std::vector<ValueId> last_use_;
  ValueId next_ = 0;
};

/// Executes a program in order and frees every value after its last use. Returns the outputs in order of appearance.
/// inputs[i] belongs to the i-th Input. The arrays are freed as the program proceeds.
std::vector<ArrayPtr> execute(const Program& program, Evaluator& evaluator, Weights& weights,
                              std::vector<ArrayPtr> inputs, const Watch& watch = {});

}  // namespace tacit::slots
