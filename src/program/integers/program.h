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

/// Bits of the torus: an integer v with step 2^s stands for v 2^s modulo 2^64. The highest bit is padding: a message
/// that a table reads lies below 2^63.
inline constexpr int kMessageBits = 63;
/// Tables have at most 2^kMostTableBits entries.
inline constexpr int kMostTableBits = 10;

/// A tensor that arrives from the client.
struct Input {
  std::string name;
};

/// sum over terms of op(input) + bias. The weights of an operator are whole numbers, and the step of the result is at
/// most the step of every operand: an operand of a larger step is multiplied up. `bias` is a number for every element,
/// in steps of the result, or none.
struct LinearTerm {
  ValueId input = 0;
  layout::LinearOperatorPtr op;
};
struct Linear {
  std::vector<LinearTerm> terms;
  std::vector<std::int64_t> bias;
};

/// A table of every element: entry b holds what becomes of an argument in box b. The boxes are 2^program.bits parts of
/// the message space, 2^(63 - program.bits - step) of the operand's integers wide. Box b is centred on
/// first_centre + b boxes. An argument that lies beside the centres is rounded to the nearest. Element e takes
/// tables[table_of[e]], or the first where `table_of` is empty. It reads element argument_of[e] of the operand, or its
/// own where `argument_of` is empty: several tables may read one argument, and share its bootstrap (bootstraps.h).
struct Lookup {
  ValueId input = 0;
  std::vector<std::vector<std::int64_t>> tables;
  std::vector<std::uint32_t> table_of{};
  std::vector<std::uint32_t> argument_of{};

  std::size_t table(std::size_t element) const { return table_of.empty() ? 0 : table_of[element]; }
  std::size_t argument(std::size_t element) const { return argument_of.empty() ? element : argument_of[element]; }
};

/// Every integer of the operand divided by 2^dropped and rounded to the nearest, halves up, exactly: bit by bit, a
/// bootstrap each, the lowest bit is found and taken off, as Concrete rounds exactly before its tables. The operand's
/// integers are above its noise. The step is the operand's + dropped.
struct Round {
  ValueId input = 0;
  int dropped = 1;
};

/// A tensor that goes back to the client, as integers of steps of 2^step of the torus (the operand's or more: lower
/// bits are rounded off, for they hold noise).
struct Output {
  ValueId input = 0;
  std::string name;
};

/// The order is part of the file format.
using Operation = std::variant<Input, Linear, Lookup, Output, Round, program::Validate>;

/// One instruction and the value it makes: a tensor with one ciphertext an element.
struct Instruction {
  Operation operation;
  layout::Shape shape;
  int step = 0;                          ///< log2 of what 1 stands for on the torus of 2^64 steps
  std::int64_t lowest = 0, highest = 0;  ///< interval of the elements
  bool exact = true;   ///< the interval holds for all inputs; otherwise samples showed it, and inputs can leave it
  std::string node;    ///< the graph node that it came from
  std::string source;  ///< where it came from, for people
};

/// A straight-line computation on tensors of encrypted integers, in topological order.
struct Program {
  std::string name;
  int bits = 0;  ///< of the argument of every table
  std::vector<Instruction> instructions;
  int log_tables = 0;  ///< 2^log_tables tables that read one argument share a bootstrap

  const Instruction& value(ValueId id) const { return instructions.at(id); }
};

/// "input", "linear", "lookup", "round", "output", "validate".
const char* mnemonic(const Operation& operation);
/// Elements of a value: ciphertexts.
std::size_t elements(const Instruction& instruction);
/// How many tables are looked up by one run.
std::size_t lookups(const Program& program);
/// True where no lookup rounds its argument and no output drops bits: then what is decrypted equals the clear reading,
/// whatever the noise.
bool is_exact(const Program& program);

/// integer / 2^dropped, rounded to the nearest, halves up. Wraps around beyond the largest integer, as the torus does.
std::int64_t rounded(std::int64_t integer, int dropped);
/// Bits that the integers of this value's interval take.
int argument_bits(const Instruction& operand);
/// True where box b of a table is no single integer: arguments are rounded to the nearest box, and noise may move those
/// that lie between two boxes to either.
bool rounds(const Program& program, const Lookup& lookup);

/// Where the first box of a table is centred: on the lowest integer of its argument. Where arguments are rounded noise
/// may fill a whole box, so that half a box lies before the lowest integer, and another behind the highest: then no
/// argument within the interval gets into the padding.
std::int64_t first_centre(const Program& program, const Lookup& lookup);

/// Throws InternalError naming the instruction if an operand is not defined before its use, or shapes, steps, tables or
/// intervals do not fit.
void verify(const Program& program);
/// The text form, one instruction a line.
std::string to_text(const Program& program);

}  // namespace tacit::integers
