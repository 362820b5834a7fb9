#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "layout/diagonals.h"
#include "layout/linear_operator.h"
#include "params/lookup_schedule.h"
#include "params/schedule.h"
#include "program/instructions.h"
#include "program/validation.h"

namespace tacit::slots {

// The common parts of every kind of instruction.
using program::Detail;
using program::last_uses;
using program::Meaning;
using program::operands;
using program::Validate;
using program::ValueId;

/// A ciphertext array that arrives from the client, one per network input. The value is the client's tensor, element by
/// element, in units chosen for precision.
struct Input {
  std::string name;
  std::vector<double> units{};  ///< value = unit * element, one per logical element; empty = all 1
};

/// sum over terms of map(input) + bias. It takes one level for any operator. Each term's input has the layout map.in,
/// and the result has the common map.out. `bias` has one number per logical output element, or is empty.
struct LinearTerm {
  ValueId input = 0;
  layout::LinearMap map;
  params::LinearSchedule schedule;
  std::optional<layout::DiagonalCount> diagonals{};  ///< set if they were counted before; not in files
};
struct Linear {
  std::vector<LinearTerm> terms;
  std::optional<layout::RepeatedReals> bias;
};

/// A slot-wise Chebyshev series on [-1, 1] (coefficient k multiplies T_k). schedule.depth levels.
struct Polynomial {
  ValueId input = 0;
  std::vector<double> coefficients;
  params::PolynomialSchedule schedule;
};

/// Slot-wise products of two values in the same layout. The sums of `terms` consecutive products are relinearised and
/// rescaled. One level.
struct Multiply {
  ValueId left = 0, right = 0;
  layout::Index terms = 1;  ///< the result has one ciphertext per `terms` products
};
/// The slot-wise sum and difference of values in the same layout at the same scale. No level.
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
/// Multiplies by one number per logical element of the operand (padding by zero). It then adds `terms` consecutive
/// ciphertexts and rescales. One level.
struct MultiplyPlain {
  ValueId input = 0;
  layout::RepeatedReals factor;
  layout::Index terms = 1;
};
/// The sums of `terms` consecutive ciphertexts. No level.
struct Sum {
  ValueId input = 0;
  layout::Index terms = 1;
};
/// Rotates the slots of every ciphertext left. No level.
struct Rotate {
  ValueId input = 0;
  std::int64_t steps = 0;
};
/// The sum of the operand and its rotations to the left by all `steps`, none of which is 0. No level.
struct RotateSum {
  ValueId input = 0;
  std::vector<std::int64_t> steps;
};
/// The same values at a lower level and another scale: one product by 1. (A drop that keeps the scale is free, and
/// every instruction drops its operands.)
struct Drop {
  ValueId input = 0;
};
/// Ciphertexts of other values in sequence. Position p of a part, row-major over `extents`, is the ciphertext offset +
/// sum of index[i] * strides[i] of its value. No work.
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

/// Refreshes values that are nearly out of levels. It reads them at level schedule.input_level, at the parameters'
/// scale, with slots in [-1, 1]. It makes schedule.result(slot) at level schedule.output_level at most. An imaginary
/// part is lost. The result holds the ciphertexts of all inputs in sequence. They pass two at a time, so that values
/// with an odd number of them are refreshed together.
struct Bootstrap {
  std::vector<ValueId> inputs;
  params::BootstrapSchedule schedule;
};

/// Looks every slot up in some tables of schedule.entries numbers. It reads values as a Bootstrap does, with slots on
/// the arguments of the entries (params::entry_argument), and makes params::look_up(slot) at level
/// schedule.output_level() at most. The result holds the ciphertexts of all inputs in sequence, and of each the results
/// of all tables side by side.
struct Lookup {
  std::vector<ValueId> inputs;
  std::vector<std::vector<double>> tables;
  params::LookupSchedule schedule;
};
/// The most tables of one lookup.
inline constexpr std::size_t kMostTables = 64;

using Operation = std::variant<Input, Linear, Polynomial, Multiply, Add, Subtract, AddPlain, MultiplyPlain, Rotate,
                               Output, Validate, Bootstrap, Sum, RotateSum, Drop, Gather, Lookup>;

/// One instruction and the value it makes.
struct Instruction {
  Operation operation;
  layout::Layout layout;  ///< layout of the value
  std::string node;       ///< graph node it came from
  std::string source;     ///< its origin, for people: "model.onnx: Conv 'c1'"
  double bound = 0;       ///< calibrated largest |value| over the logical elements; 0 = unknown
  int level = -1;         ///< level of the value; -1 until assign_levels
  double scale = 0;       ///< exact scale of the value, decided by assign_levels
};

/// A straight-line computation on ciphertext arrays in topological order: the waist of the hourglass. All layers above
/// decide (without keys), and all layers below execute (without ONNX).
struct Program {
  std::string name;
  layout::Index slots = 0;
  std::vector<Instruction> instructions;

  const Instruction& value(ValueId id) const { return instructions.at(id); }
  /// Returns the instruction that computed the content of a value: its own. If it gathers ciphertexts of one value, it
  /// is the instruction of that value.
  ValueId computed_by(ValueId id) const;

  /// Appends a validation of a value by the clear reading of its instruction, over its first `length` slots. Throws
  /// InputError for an instruction without a value, for an input, and for a length or epsilon out of range.
  ValueId validate(ValueId value, layout::Index length, double epsilon);
};

/// Renames every operand.
void rename_operands(Operation& operation, const std::function<ValueId(ValueId)>& name);
/// Returns the value that a refreshed one was before its bootstrap: the operand of the bootstrap, or the one whose
/// ciphertexts it gathers from a bootstrap of several values. The result is empty for a value that is not refreshed.
std::optional<ValueId> refreshed_from(const Program& program, ValueId id);
/// Returns the value that an operand of a bootstrap is afterwards, the inverse of refreshed_from. It is the bootstrap
/// itself if nothing gathers the operand.
ValueId refreshed_as(const Program& program, ValueId bootstrap, ValueId input);

/// Returns the value whose elements another one holds in another layout, or with additional zeros. It is the operand of
/// a product by ones, or of a linear map that is the identity. The result is empty for other instructions.
std::optional<ValueId> copied_from(const Program& program, ValueId id);

/// Returns the schedule of a bootstrap, or of the bootstrap in a lookup. Null for other instructions.
const params::BootstrapSchedule* bootstrap_of(const Operation& operation);
/// Returns the highest level of the result of a bootstrap or a lookup.
int highest_refreshed_level(const Operation& operation);

/// Returns the levels between the operands and the result. A bootstrap and a lookup have 0, because they give levels
/// back.
int depth(const Operation& operation);
/// Returns the level at which an instruction reads its operands. Higher operands are dropped to it first.
int operand_level(const Instruction& instruction);
/// Returns the name of an operation: "linear", "polynomial", …
const char* mnemonic(const Operation& operation);

/// Throws InternalError naming the instruction in these cases:
/// - An operand is not defined before its use.
/// - A layout, size or schedule does not fit.
/// - Numbers in the padding of a value would harm its readers (padding.h).
///
/// It does not check scales and levels, which assign_levels makes.
void verify(const Program& program);
/// Returns the levels that the program consumes from its deepest input, or bootstrap, to its outputs or the next
/// bootstrap.
int total_depth(const Program& program);
/// Returns the text form, one instruction per line, for people and for tests.
std::string to_text(const Program& program);

}  // namespace tacit::slots
