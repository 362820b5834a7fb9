#include "program/integers/serialize.h"

#include <fmt/format.h>

#include "base/byte_fields.h"
#include "base/error.h"
#include "layout/serialize.h"
#include "params/tfhe_parameters.h"
#include "program/integers/weight_rows.h"

namespace tacit::integers {
namespace {

using base::Of;

constexpr std::uint32_t kProgramFormat = 0x54495003;  // "TIP" and the version
/// Of one tensor: far more than fit any memory. Shapes cost a file nothing.
constexpr std::size_t kMostElements = std::size_t{1} << 22;
/// Of all tensors of a program. What is known of them before a memory budget is asked takes a few words an element.
constexpr std::size_t kMostElementsTogether = std::size_t{1} << 24;
/// Of one instruction, and of all. Operators whose entries are generated cost a file little.
constexpr std::uint64_t kMostWeights = std::uint64_t{1} << 30, kMostWeightsTogether = std::uint64_t{1} << 31;
constexpr std::size_t kInstructionBytes = 40, kTermBytes = 20, kTableBytes = 8;

/// Of the first operation. Those behind it follow in the order of the variant, which is part of the format.
constexpr std::size_t kFirstKind = 1;
constexpr const char* kUnknownKind = "an instruction is of an unknown kind";
/// The interval of a value stays within it.
constexpr std::int64_t kMostValue = std::int64_t{1} << 62;

template <class Fields>
void fields(Fields& f, Of<Fields, Input>& input) {
  f.text(input.name);
}

template <class Fields>
void fields(Fields& f, Of<Fields, Linear>& linear) {
  f.list(linear.terms, kTermBytes, [&](auto& term) {
    f.u32(term.input);
    f.by(
        term.op, [](auto& to, auto& op) { write_operator(to, *op); }, layout::read_operator);
  });
  f.compact_indices(linear.bias);
}

template <class Fields>
void fields(Fields& f, Of<Fields, Lookup>& lookup) {
  f.u32(lookup.input);
  f.list(lookup.tables, kTableBytes, [&](auto& table) { f.compact_indices(table); });
  f.compact_indices(lookup.table_of, lookup.tables.size(), "an element takes a table that is not there");
  f.compact_indices(lookup.argument_of, kMostElements, "an element reads an argument that is not there");
}

template <class Fields>
void fields(Fields& f, Of<Fields, Output>& output) {
  f.u32(output.input);
  f.text(output.name);
}

template <class Fields>
void fields(Fields& f, Of<Fields, Round>& round) {
  f.u32(round.input);
  f.integer(round.dropped, 1, kMessageBits - 1, "the bits that are rounded off");
}

template <class Fields>
void fields(Fields& f, Of<Fields, program::Validate>&) {
  if constexpr (Fields::reads) f.from.fail(kUnknownKind);
  throw base::InternalError("a program with validations cannot be written");
}

template <class Fields>
void fields(Fields& f, Of<Fields, Program>& program) {
  f.format(kProgramFormat, "these bytes are not a program on integers of this version; compile the model again");
  f.text(program.name);
  f.integer(program.bits, 1, kMostTableBits, "the bits of tables");
  f.integer(program.log_tables, 0, params::TfheLimits::kMostLogTables,
            "the tables that share a bootstrap, by their logarithm,");
  f.list(program.instructions, kInstructionBytes, [&](auto& made) {
    f.alternative(made.operation, kFirstKind, kUnknownKind, [&](auto& operation) { fields(f, operation); });
    for (const ValueId operand : operands(made.operation))
      f.require(operand < program.instructions.size(), "an instruction reads a value that is not made before it");
    f.by(made.shape, layout::write_shape, layout::read_shape);
    f.integer(made.step, 0, kMessageBits - 1, "the step of a value");
    f.integer(made.lowest, -kMostValue, kMostValue, "the lowest integer of a value");
    f.integer(made.highest, made.lowest, kMostValue, "the highest integer of a value");
    f.flag(made.exact);
    f.text(made.node);
    f.text(made.source);
  });
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Program& program) {
  base::FieldWriter out;
  fields(out, program);
  return out.to.take();
}

Program program_from_bytes(std::span<const std::uint8_t> bytes) {
  base::FieldReader in{{bytes, "program on integers"}};
  Program program;
  fields(in, program);
  in.from.expect_end();
  try {
    verify(program);
  } catch (const base::InternalError& error) {  // whoever wrote it is to blame
    in.from.fail(error.what());
  }
  if (const std::optional<std::string> excess = size_excess(program)) in.from.fail(*excess);
  return program;
}

std::optional<std::string> size_excess(const Program& program) {
  std::size_t together = 0;
  for (const Instruction& made : program.instructions) {
    if (elements(made) > kMostElements)
      return fmt::format("a tensor has {} ciphertexts, more than {}", elements(made), kMostElements);
    together += elements(made);
    if (together > kMostElementsTogether)
      return fmt::format("its tensors have more than {} ciphertexts together", kMostElementsTogether);
  }
  std::uint64_t weights = 0;
  try {
    for (const Instruction& made : program.instructions) {
      weights += count_weights(made.operation, kMostWeights);
      if (weights > kMostWeightsTogether)
        return fmt::format("its instructions have more than {} weights together", kMostWeightsTogether);
    }
  } catch (const base::InternalError& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace tacit::integers
