#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "layout/linear_operator.h"
#include "program/instructions.h"
#include "program/validation.h"

namespace tacit::integers {

using program::last_uses;
using program::operands;
using program::ValueId;

/// The bits of the torus. An integer v with step 2^s represents v 2^s modulo 2^64. The highest bit is padding: a
/// message that a table reads is below 2^63.
inline constexpr int kMessageBits = 63;
/// Tables have at most 2^kMostTableBits entries.
inline constexpr int kMostTableBits = 10;

/// A tensor that arrives from the client.
struct Input {
  std::string name;
};

/// sum over terms of op(input) + bias. The weights of an operator are whole numbers. The step of the result is at most
/// the step of every operand; an operand of a larger step is multiplied up. `bias` has one number per element, in steps
/// of the result, or is empty.
struct LinearTerm {
  ValueId input = 0;
  layout::LinearOperatorPtr op;
};
struct Linear {
  std::vector<LinearTerm> terms;
  std::vector<std::int64_t> bias;
};

/// A table for every element. Entry b holds the result of an argument in box b. The boxes are 2^program.bits parts of
/// the message space, each 2^(63 - program.bits - step) of the operand's integers wide. Box b is centred on
/// first_centre + b boxes. An argument between the centres is rounded to the nearest one.
///
/// Element e takes tables[table_of[e]], or the first table if `table_of` is empty. It reads element argument_of[e] of
/// the operand, or element e if `argument_of` is empty. Several tables may read one argument, and share its bootstrap
/// (bootstraps.h).
struct Lookup {
  ValueId input = 0;
  std::vector<std::vector<std::int64_t>> tables;
  std::vector<std::uint32_t> table_of{};
  std::vector<std::uint32_t> argument_of{};

  std::size_t table(std::size_t element) const { return table_of.empty() ? 0 : table_of[element]; }
  std::size_t argument(std::size_t element) const { return argument_of.empty() ? element : argument_of[element]; }
};

/// Every integer of the operand divided by 2^dropped and rounded exactly to the nearest, halves up. Bit by bit, the
/// lowest bit is found by one bootstrap and subtracted, as Concrete rounds exactly before its tables. The operand's
/// integers are above its noise. The step is the operand's step + dropped.
struct Round {
  ValueId input = 0;
  int dropped = 1;
};

/// A tensor that goes back to the client, as integers of steps of 2^step of the torus. The step is the operand's or
/// more. Lower bits are rounded off because they hold noise.
struct Output {
  ValueId input = 0;
  std::string name;
};

/// The order is part of the file format.
using Operation = std::variant<Input, Linear, Lookup, Output, Round, program::Validate>;

/// One instruction and the value it makes: a tensor with one ciphertext per element.
struct Instruction {
  Operation operation;
  layout::Shape shape;
  int step = 0;                          ///< log2 of the weight of 1 on the torus of 2^64 steps
  std::int64_t lowest = 0, highest = 0;  ///< interval of the elements
  bool exact = true;   ///< the interval holds for all inputs; otherwise samples showed it, and inputs can leave it
  std::string node;    ///< the graph node that it came from
  std::string source;  ///< where it came from, for people
};

/// A straight-line computation on tensors of encrypted integers, in topological order.
struct Program {
  std::string name;
  int bits = 0;  ///< bits of the argument of every table
  std::vector<Instruction> instructions;
  int log_tables = 0;  ///< 2^log_tables tables that read one argument share a bootstrap

  const Instruction& value(ValueId id) const { return instructions.at(id); }
};

/// Returns "input", "linear", "lookup", "round", "output" or "validate".
const char* mnemonic(const Operation& operation);
/// Returns the number of elements of a value, which are ciphertexts.
std::size_t elements(const Instruction& instruction);
/// Returns the number of tables that one run looks up.
std::size_t lookups(const Program& program);
/// Returns true if no lookup rounds its argument and no output drops bits. Then decryption equals the clear reading for
/// any noise.
bool is_exact(const Program& program);

/// Returns integer / 2^dropped, rounded to the nearest, halves up. It wraps around beyond the largest integer, as the
/// torus does.
std::int64_t rounded(std::int64_t integer, int dropped);
/// Returns the number of bits that the integers of this value's interval take.
int argument_bits(const Instruction& operand);
/// Returns true if box b of a table holds several integers. Arguments are then rounded to the nearest box, and noise
/// may move those between two boxes to either.
bool rounds(const Program& program, const Lookup& lookup);

/// Returns the centre of the first box of a table: the lowest integer of its argument. If arguments are rounded, noise
/// may fill a whole box. Half a box is then before the lowest integer, and half a box after the highest one. No
/// argument within the interval thus gets into the padding.
std::int64_t first_centre(const Program& program, const Lookup& lookup);

/// Throws InternalError naming the instruction if an operand is not defined before its use, or if shapes, steps, tables
/// or intervals do not fit.
void verify(const Program& program);
/// Returns the text form, one instruction per line.
std::string to_text(const Program& program);

}  // namespace tacit::integers
