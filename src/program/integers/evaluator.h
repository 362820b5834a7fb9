#pragma once

#include <memory>
#include <span>

#include "program/execution.h"
#include "program/integers/program.h"

namespace tacit::integers {

using program::Array;
using program::ArrayPtr;

/// One reading of the instructions of a program on integers: in the clear, on ciphertexts, or on several ranks. It
/// belongs to one program, whose instructions are called by their id. An array has one member for each element, and its
/// level is 0.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Returns a tensor that arrives from the client. Throws InputError if it does not fit the instruction.
  virtual ArrayPtr input(ValueId id, const ArrayPtr& given) = 0;
  /// Returns the result of a Linear. operands[t] belongs to term t.
  virtual ArrayPtr add_up(ValueId id, std::span<const ArrayPtr> operands) = 0;
  /// Carries out the bootstraps at the turn of a Lookup (bootstraps.h), of which there is at least one. Stores the
  /// value of every lookup that they make.
  virtual void look_up(ValueId id, const ArrayPtr& operand, std::span<ArrayPtr> values) = 0;
  /// Returns the result of a Round.
  virtual ArrayPtr round_off(ValueId id, const ArrayPtr& operand) = 0;
  /// Returns a tensor that goes back to the client.
  virtual ArrayPtr output(ValueId id, const ArrayPtr& operand) = 0;
};

/// Returns a program under a reading of its instructions. The arguments must outlive it.
std::unique_ptr<program::Reading> reading_of(const Program& program, Evaluator& evaluator);

}  // namespace tacit::integers
