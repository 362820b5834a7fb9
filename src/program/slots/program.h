#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "layout/diagonals.h"
#include "layout/linear_operator.h"
#include "params/bootstrap_schedule.h"
#include "params/schedule.h"
#include "program/instructions.h"
#include "program/validation.h"

namespace tacit::slots {

// What every kind of instruction shares.
using program::Detail;
using program::last_uses;
using program::Meaning;
using program::operands;
using program::Validate;
using program::ValueId;

/// A ciphertext array that arrives from the client, one per network input. The value is the client's tensor, element by
/// element in the units that precision asks for.
struct Input {
  std::string name;
  std::vector<double> units{};  ///< value = unit * element, one per logical element; empty = all 1
};

/// sum over terms of map(input) + bias. One level, whatever the operator. Each term's input lies in map.in; the result
/// lies in the common map.out. `bias` is a number for every logical output element, or none.
struct LinearTerm {
  ValueId input = 0;
  layout::LinearMap map;
  params::LinearSchedule schedule;
  std::optional<layout::DiagonalCount> diagonals{};  ///< where they were counted before; not in files
};
struct Linear {
  std::vector<LinearTerm> terms;
  std::optional<layout::RepeatedReals> bias;
};

/// Slot-wise Chebyshev series on [-1, 1] (coefficient k multiplies T_k). schedule.depth levels.
struct Polynomial {
  ValueId input = 0;
  std::vector<double> coefficients;
  params::PolynomialSchedule schedule;
};

/// Slot-wise products of two values in the same layout, the sums of `terms` consecutive ones relinearised and rescaled.
/// One level.
struct Multiply {
  ValueId left = 0, right = 0;
  layout::Index terms = 1;  ///< the result has one ciphertext for so many
};
/// Slot-wise sum and difference of values in the same layout at the same scale. No level.
struct Add {
  ValueId left = 0, right = 0;
};
struct Subtract {
  ValueId left = 0, right = 0;
};
/// Adds one number per logical element. No level.
struct AddPlain {
  ValueId input = 0;
  layout::RepeatedReals addend;
};
/// Multiplies by one number per logical element of the operand (padding by zero), adds `terms` consecutive ciphertexts
/// up, then rescales. One level.
struct MultiplyPlain {
  ValueId input = 0;
  layout::RepeatedReals factor;
  layout::Index terms = 1;
};
/// Sums of `terms` consecutive ciphertexts. No level.
struct Sum {
  ValueId input = 0;
  layout::Index terms = 1;
};
/// Rotates the slots of every ciphertext left. No level.
struct Rotate {
  ValueId input = 0;
  std::int64_t steps = 0;
};
/// The operand and its rotations to the left by all `steps`, none of which is 0, added up. No level.
struct RotateSum {
  ValueId input = 0;
  std::vector<std::int64_t> steps;
};
/// The same values at a lower level and another scale: one product by 1. (Where the scale stays, dropping is free, and
/// every instruction drops its operands.)
struct Drop {
  ValueId input = 0;
};
/// Ciphertexts of other values behind each other. Position p of a part, row-major over `extents`, is the ciphertext
/// offset + sum of index[i] * strides[i] of its value. No work.
struct GatherPart {
  ValueId input = 0;
  std::vector<layout::Index> extents, strides;
  layout::Index offset = 0;
};
struct Gather {
  std::vector<GatherPart> parts;
};
/// A ciphertext array that goes back to the client.
struct Output {
  ValueId input = 0;
  std::string name;
};

/// Refreshes values that are nearly out of levels: reads them at level schedule.input_level, at the parameters' scale,
/// with slots in [-1, 1], and makes schedule.result(slot) at level schedule.output_level at most. An imaginary part is
/// lost. The ciphertexts of all inputs stand behind each other in the result. They pass two at a time, so that values
/// with an odd number of them are refreshed together.
struct Bootstrap {
  std::vector<ValueId> inputs;
  params::BootstrapSchedule schedule;
};

using Operation = std::variant<Input, Linear, Polynomial, Multiply, Add, Subtract, AddPlain, MultiplyPlain, Rotate,
                               Output, Validate, Bootstrap, Sum, RotateSum, Drop, Gather>;

/// One instruction and the value it makes.
struct Instruction {
  Operation operation;
  layout::Layout layout;  ///< of the value
  std::string node;       ///< the graph node it came from
  std::string source;     ///< where it came from, for people: "model.onnx: Conv 'c1'"
  double bound = 0;       ///< calibrated largest |value| over the logical elements; 0 = unknown
  int level = -1;         ///< of the value; -1 until assign_levels
  double scale = 0;       ///< exact scale of the value, decided by assign_levels
};

/// A straight-line computation on ciphertext arrays in topological order: the waist of the hourglass. Everything above
/// decides (without keys), everything below executes (without ONNX).
struct Program {
  std::string name;
  layout::Index slots = 0;
  std::vector<Instruction> instructions;

  const Instruction& value(ValueId id) const { return instructions.at(id); }
  /// The instruction that computed what a value holds: its own, or where it gathers ciphertexts of one value, that
  /// one's.
  ValueId computed_by(ValueId id) const;

  /// Appends the validation of a value by the clear reading of the instruction that made it, over its first `length`
  /// slots. Throws InputError for what is no value, for an input, and for a length or epsilon out of range.
  ValueId validate(ValueId value, layout::Index length, double epsilon);
};

/// Gives every operand another name.
void rename_operands(Operation& operation, const std::function<ValueId(ValueId)>& name);
/// The value that another one is after a bootstrap: its operand, or the operand whose ciphertexts it gathers from a
/// bootstrap of several values. None for what is not refreshed.
std::optional<ValueId> refreshed_from(const Program& program, ValueId id);
/// The value that an operand of a bootstrap is afterwards: the other way round. The bootstrap itself where nothing
/// gathers it.
ValueId refreshed_as(const Program& program, ValueId bootstrap, ValueId input);

/// The value whose elements another one holds in another layout, or with zeros beside them: the operand of a product by
/// ones, or of a linear map that is the identity. None for other instructions.
std::optional<ValueId> copied_from(const Program& program, ValueId id);

/// Levels between the operands and the result; 0 for a bootstrap, which gives levels back.
int depth(const Operation& operation);
/// The level that an instruction reads its operands at: operands that are higher are dropped to it first.
int operand_level(const Instruction& instruction);
/// The name of an operation: "linear", "polynomial", …
const char* mnemonic(const Operation& operation);

/// Throws InternalError naming the instruction if an operand is not defined before its use, or a layout, size or
/// schedule does not fit, or if numbers beside the elements of a value would harm what reads it (padding.h). Scales and
/// levels are assign_levels' to get right.
void verify(const Program& program);
/// Levels that the program consumes from its deepest input, or bootstrap, to its outputs or the next bootstrap.
int total_depth(const Program& program);
/// The text form, one instruction a line, for people and for tests.
std::string to_text(const Program& program);

}  // namespace tacit::slots
