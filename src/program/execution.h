#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "program/array.h"
#include "program/instructions.h"

namespace tacit::program {

/// One reading of one program, whatever the kind of its instructions. Execution, checkpoints and ranks know a program
/// by this interface alone. It must outlive them.
class Reading {
 public:
  virtual ~Reading() = default;
  /// Returns the number of instructions.
  virtual std::size_t size() const = 0;
  virtual bool is_input(ValueId id) const = 0;
  virtual bool is_output(ValueId id) const = 0;
  /// Returns the name of an input or an output.
  virtual const std::string& name(ValueId id) const = 0;
  /// Returns true if the state after an instruction is worth keeping: a layer, which is a node of the graph, ends
  /// there, or the instruction takes long by itself.
  virtual bool ends_stage(ValueId id) const = 0;
  /// Returns the values that an instruction reads, in order.
  virtual std::vector<ValueId> operands(ValueId id) const = 0;
  /// Carries out an instruction. `operands` belongs to the values that it reads; an input has its array as the only
  /// one. Stores the value in values[id]. Instructions that are carried out together store all their values at the turn
  /// of the first. A validation stores nothing.
  virtual void carry_out(ValueId id, std::span<const ArrayPtr> operands, std::span<ArrayPtr> values) = 0;
};

/// The part of a reading that the types of the instructions give.
template <class Program, class Input, class Output>
class ReadingOf : public Reading {
 public:
  explicit ReadingOf(const Program& program) : program_(program) {}
  std::size_t size() const final { return program_.instructions.size(); }
  bool is_input(ValueId id) const final { return std::holds_alternative<Input>(program_.value(id).operation); }
  bool is_output(ValueId id) const final { return std::holds_alternative<Output>(program_.value(id).operation); }
  const std::string& name(ValueId id) const final {
    const auto& operation = program_.value(id).operation;
    const auto* const input = std::get_if<Input>(&operation);
    return input != nullptr ? input->name : std::get<Output>(operation).name;
  }
  bool ends_stage(ValueId id) const override {
    return id + 1 == size() || program_.value(id + 1).node != program_.value(id).node;
  }
  std::vector<ValueId> operands(ValueId id) const final { return program::operands(program_.value(id).operation); }

 protected:
  const Program& program_;
};

/// Receives every value right after its instruction, with its operands still alive, and may replace it. Validation,
/// tracing and modelled noise use it. A validation makes no value (null).
using Watch = std::function<void(ValueId, ArrayPtr& value, std::span<const ArrayPtr> operands)>;

/// Executes a program in order, and frees every value after its last use.
class Execution {
 public:
  /// inputs[i] belongs to the i-th input. The arrays are freed as the program proceeds. Throws InputError if an input
  /// has no array.
  Execution(Reading& reading, std::vector<ArrayPtr> inputs);

  bool done() const { return next_ == values_.size(); }
  ValueId next() const { return next_; }
  /// Executes the next instruction.
  void step(const Watch& watch = {});
  /// Returns true if the state after the last instruction is worth keeping (Reading::ends_stage).
  bool at_end_of_stage() const { return next_ > 0 && reading_.ends_stage(next_ - 1); }
  /// Returns the computed values that the rest of the program reads, and the computed outputs. It leaves out inputs
  /// that are still to come.
  std::vector<std::pair<ValueId, ArrayPtr>> alive() const;
  /// Continues at `next` with the values that `alive` returned there.
  void resume(ValueId next, std::vector<std::pair<ValueId, ArrayPtr>> alive);
  /// Returns the outputs of the whole program, in order of appearance.
  std::vector<ArrayPtr> take_outputs();

 private:
  Reading& reading_;
  std::vector<ArrayPtr> inputs_, values_;  ///< by instruction
  std::vector<ValueId> last_use_;          ///< by value; itself if nothing reads it
  ValueId next_ = 0;
};

}  // namespace tacit::program
