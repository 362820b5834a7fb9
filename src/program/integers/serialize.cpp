#include "program/integers/serialize.h"

#include <fmt/format.h>

#include "base/byte_stream.h"
#include "base/error.h"
#include "layout/serialize.h"
#include "params/tfhe_parameters.h"
#include "program/integers/weight_rows.h"
#include "program/visit.h"

namespace tacit::integers {
namespace {

using base::ByteReader;
using base::ByteWriter;
using program::Overloaded;

constexpr std::uint32_t kFormat = 0x54495003;  // "TIP" and the version
constexpr std::size_t kLongestText = 4096;
/// Of one tensor: far more than fit any memory. Shapes cost a file nothing.
constexpr std::size_t kMostElements = std::size_t{1} << 22;
/// Of all tensors of a program. What is known of them before a memory budget is asked takes a few words an element.
constexpr std::size_t kMostElementsTogether = std::size_t{1} << 24;
/// Of one instruction, and of all. Operators whose entries are generated cost a file little.
constexpr std::uint64_t kMostWeights = std::uint64_t{1} << 30, kMostWeightsTogether = std::uint64_t{1} << 31;
constexpr std::size_t kInstructionBytes = 40, kTermBytes = 20, kTableBytes = 8;

enum class Kind : std::uint8_t { input = 1, linear = 2, lookup = 3, output = 4, round = 5 };

struct OperationWriter {
  ByteWriter& out;
  void kind(Kind kind) const { out.u8(static_cast<std::uint8_t>(kind)); }
  void operator()(const Input& input) const {
    kind(Kind::input);
    out.text(input.name);
  }
  void operator()(const Linear& linear) const {
    kind(Kind::linear);
    out.u64(linear.terms.size());
    for (const LinearTerm& term : linear.terms) {
      out.u32(term.input);
      layout::write_operator(out, *term.op);
    }
    out.compact_indices(linear.bias);
  }
  void operator()(const Lookup& lookup) const {
    kind(Kind::lookup);
    out.u32(lookup.input);
    out.u64(lookup.tables.size());
    for (const auto& table : lookup.tables) out.compact_indices(table);
    const std::vector<std::int64_t> table_of(lookup.table_of.begin(), lookup.table_of.end());
    out.compact_indices(table_of);
    out.compact_indices(std::vector<std::int64_t>(lookup.argument_of.begin(), lookup.argument_of.end()));
  }
  void operator()(const Round& round) const {
    kind(Kind::round);
    out.u32(round.input);
    out.i64(round.dropped);
  }
  void operator()(const Output& output) const {
    kind(Kind::output);
    out.u32(output.input);
    out.text(output.name);
  }
  void operator()(const program::Validate&) const {
    throw base::InternalError("a program with validations cannot be written");
  }
};

Operation read_operation(ByteReader& in) {
  switch (static_cast<Kind>(in.u8())) {
    case Kind::input: return Input{in.text(kLongestText)};
    case Kind::linear: {
      Linear linear;
      const std::size_t terms = in.count(kTermBytes);
      for (std::size_t t = 0; t < terms; ++t) {
        const ValueId input = in.u32();
        linear.terms.push_back({input, layout::read_operator(in)});
      }
      linear.bias = in.compact_indices();
      return linear;
    }
    case Kind::lookup: {
      Lookup lookup;
      lookup.input = in.u32();
      const std::size_t tables = in.count(kTableBytes);
      for (std::size_t t = 0; t < tables; ++t) lookup.tables.push_back(in.compact_indices());
      for (const std::int64_t table : in.compact_indices()) {
        if (table < 0 || table >= static_cast<std::int64_t>(tables))
          in.fail("an element takes a table that is not there");
        lookup.table_of.push_back(static_cast<std::uint32_t>(table));
      }
      for (const std::int64_t argument : in.compact_indices()) {
        if (argument < 0 || argument >= static_cast<std::int64_t>(kMostElements))
          in.fail("an element reads an argument that is not there");
        lookup.argument_of.push_back(static_cast<std::uint32_t>(argument));
      }
      return lookup;
    }
    case Kind::round: {
      Round round;
      round.input = in.u32();
      round.dropped = static_cast<int>(in.i64(1, kMessageBits - 1, "the bits that are rounded off"));
      return round;
    }
    case Kind::output: {
      Output output;
      output.input = in.u32();
      output.name = in.text(kLongestText);
      return output;
    }
  }
  in.fail("an instruction is of an unknown kind");
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Program& program) {
  ByteWriter out;
  out.u32(kFormat);
  out.text(program.name);
  out.i64(program.bits);
  out.i64(program.log_tables);
  out.u64(program.instructions.size());
  for (const Instruction& made : program.instructions) {
    std::visit(OperationWriter{out}, made.operation);
    layout::write_shape(out, made.shape);
    for (const std::int64_t value : {std::int64_t{made.step}, made.lowest, made.highest}) out.i64(value);
    out.u8(made.exact ? 1 : 0);
    out.text(made.node);
    out.text(made.source);
  }
  return out.take();
}

Program program_from_bytes(std::span<const std::uint8_t> bytes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  ByteReader in(bytes, "program on integers");
  if (in.u32() != kFormat)
    in.fail("these bytes are not a program on integers of this version; compile the model again");
  Program program;
  program.name = in.text(kLongestText);
  program.bits = static_cast<int>(in.i64(1, kMostTableBits, "the bits of tables"));
  program.log_tables = static_cast<int>(
      in.i64(0, params::TfheLimits::kMostLogTables, "the tables that share a bootstrap, by their logarithm,"));
  const std::size_t count = in.count(kInstructionBytes);
  for (std::size_t i = 0; i < count; ++i) {
    Instruction made;
    made.operation = read_operation(in);
    for (const ValueId operand : operands(made.operation))
      if (operand >= i) in.fail("an instruction reads a value that is not made before it");
    made.shape = layout::read_shape(in);
    made.step = static_cast<int>(in.i64(0, kMessageBits - 1, "the step of a value"));
    made.lowest = in.i64(-kMost, kMost, "the lowest integer of a value");
    made.highest = in.i64(made.lowest, kMost, "the highest integer of a value");
    made.exact = in.u8() != 0;
    made.node = in.text(kLongestText);
    made.source = in.text(kLongestText);
    program.instructions.push_back(std::move(made));
  }
  in.expect_end();
  try {
    verify(program);
  } catch (const base::InternalError& error) {  // whoever wrote it is to blame
    in.fail(error.what());
  }
  if (const std::optional<std::string> excess = size_excess(program)) in.fail(*excess);
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
