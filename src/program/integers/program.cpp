#include "program/integers/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"
#include "params/tfhe_parameters.h"
#include "program/visit.h"

namespace tacit::integers {
namespace {

using program::Overloaded;

void require(bool holds, const Instruction& instruction, ValueId id, const char* what) {
  if (!holds)
    throw base::InternalError(
        fmt::format("instruction {} ({} of '{}'): {}", id, mnemonic(instruction.operation), instruction.node, what));
}

/// Messages of this value fill less than the bit below the padding, and neither boxes nor the noise of those that are
/// rounded move any of them into it.
bool fits_table(const Program& program, const Lookup& lookup) {
  const Instruction& operand = program.value(lookup.input);
  if (argument_bits(operand) > kMessageBits - operand.step) return false;
  if (!rounds(program, lookup)) return true;
  const auto width = static_cast<std::uint64_t>(operand.highest) - static_cast<std::uint64_t>(operand.lowest);
  const std::uint64_t box = std::uint64_t{1} << (kMessageBits - program.bits);
  // From half a box behind the first centre to half a box before the last: a box of noise reaches the ends of both.
  return (width << operand.step) <= (std::uint64_t{1} << kMessageBits) - 2 * box;
}

void verify_linear(const Program& program, const Linear& linear, const Instruction& made, ValueId id) {
  require(!linear.terms.empty(), made, id, "it has no term");
  for (const LinearTerm& term : linear.terms) {
    const Instruction& operand = program.value(term.input);
    require(layout::element_count(term.op->in_shape()) == layout::element_count(operand.shape) &&
                layout::element_count(term.op->out_shape()) == layout::element_count(made.shape),
            made, id, "an operator is of another size than its tensors");
    require(operand.step >= made.step, made, id, "an operand has a smaller step than the result");
  }
  require(linear.bias.empty() || linear.bias.size() == elements(made), made, id, "the bias is of another size");
}

void verify_round(const Program& program, const Round& round, const Instruction& made, ValueId id) {
  const Instruction& operand = program.value(round.input);
  require(elements(operand) == elements(made), made, id, "it makes another number of elements than it reads");
  require(round.dropped >= 1 && round.dropped < kMessageBits, made, id, "it drops no number of bits");
  require(operand.step >= 1, made, id, "there is no room below the bits that it drops");
  require(made.step == operand.step + round.dropped, made, id, "its step is not its operand's and the bits it drops");
  const auto ends = {rounded(operand.lowest, round.dropped), rounded(operand.highest, round.dropped)};
  require(std::ranges::min(ends) >= made.lowest && std::ranges::max(ends) <= made.highest, made, id,
          "its interval does not hold what it rounds");
}

void verify_lookup(const Program& program, const Lookup& lookup, const Instruction& made, ValueId id) {
  const Instruction& operand = program.value(lookup.input);
  if (lookup.argument_of.empty())
    require(elements(operand) == elements(made), made, id, "it makes another number of elements than it reads");
  else
    require(lookup.argument_of.size() == elements(made), made, id, "it does not give every element an argument");
  require(std::ranges::all_of(lookup.argument_of, [&](std::uint32_t a) { return a < elements(operand); }), made, id,
          "it names an argument that its operand does not have");
  require(fits_table(program, lookup), made, id, "its argument is wider than the message space");
  require(!lookup.tables.empty(), made, id, "it has no table");
  for (const auto& table : lookup.tables) {
    require(table.size() == std::size_t{1} << program.bits, made, id, "a table has another size than the boxes");
    require(std::ranges::all_of(table, [&](std::int64_t y) { return y >= made.lowest && y <= made.highest; }), made, id,
            "a table holds a number outside the interval of the value");
  }
  require(lookup.table_of.empty() ? lookup.tables.size() == 1 : lookup.table_of.size() == elements(made), made, id,
          "it does not give every element a table");
  require(std::ranges::all_of(lookup.table_of, [&](std::uint32_t t) { return t < lookup.tables.size(); }), made, id,
          "it names a table that it does not have");
}

}  // namespace

const char* mnemonic(const Operation& operation) {
  static constexpr std::array kMnemonics{"input", "linear", "lookup", "output", "round", "validate"};
  static_assert(kMnemonics.size() == std::variant_size_v<Operation>);
  return kMnemonics[operation.index()];
}

std::size_t elements(const Instruction& instruction) {
  return static_cast<std::size_t>(layout::element_count(instruction.shape));
}

std::size_t lookups(const Program& program) {
  std::size_t count = 0;
  for (const Instruction& instruction : program.instructions)
    if (std::holds_alternative<Lookup>(instruction.operation)) count += elements(instruction);
  return count;
}

bool is_exact(const Program& program) {
  return std::ranges::all_of(program.instructions, [&](const Instruction& made) {
    if (const auto* lookup = std::get_if<Lookup>(&made.operation)) return !rounds(program, *lookup);
    const auto* output = std::get_if<Output>(&made.operation);
    return output == nullptr || program.value(output->input).step == made.step;
  });
}

std::int64_t rounded(std::int64_t integer, int dropped) {
  if (dropped == 0) return integer;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(integer) + half) >> dropped;  // wraps as the torus does
}

int argument_bits(const Instruction& operand) {
  const auto width = static_cast<std::uint64_t>(operand.highest) - static_cast<std::uint64_t>(operand.lowest);
  return static_cast<int>(std::bit_width(width));
}

bool rounds(const Program& program, const Lookup& lookup) {
  return program.value(lookup.input).step < kMessageBits - program.bits;
}

std::int64_t first_centre(const Program& program, const Lookup& lookup) {
  const Instruction& operand = program.value(lookup.input);
  const std::int64_t half_box =
      rounds(program, lookup) ? std::int64_t{1} << (kMessageBits - program.bits - operand.step - 1) : 0;
  return operand.lowest - half_box;
}

void verify(const Program& program) {
  if (program.bits < 1 || program.bits > kMostTableBits)
    throw base::InternalError(fmt::format("a program has tables of {} bits", program.bits));
  if (program.log_tables < 0 || program.log_tables > params::TfheLimits::kMostLogTables)
    throw base::InternalError(fmt::format("2^{} tables share a bootstrap of a program", program.log_tables));
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& made = program.instructions[id];
    for (const ValueId operand : operands(made.operation)) {
      require(operand < id, made, id, "an operand is not defined before its use");
      require(!program::holds_any<Output, program::Validate>(program.value(operand).operation), made, id,
              "an operand is no value");
    }
    require(made.step >= 0 && made.step < kMessageBits, made, id, "its step is outside the torus");
    require(made.lowest <= made.highest, made, id, "its interval is empty");
    std::visit(Overloaded{[](const Input&) {}, [](const program::Validate&) {},
                          [&](const Linear& linear) { verify_linear(program, linear, made, id); },
                          [&](const Lookup& lookup) { verify_lookup(program, lookup, made, id); },
                          [&](const Round& round) { verify_round(program, round, made, id); },
                          [&](const Output& output) {
                            const Instruction& operand = program.value(output.input);
                            require(elements(operand) == elements(made), made, id, "it is of another size");
                            require(made.step >= operand.step, made, id, "its step is smaller than its operand's");
                          }},
               made.operation);
  }
}

std::string to_text(const Program& program) {
  std::string text = fmt::format("program \"{}\" of tables of {} bits\n", program.name, program.bits);
  if (program.log_tables > 0) text += fmt::format("2^{} tables share a bootstrap\n", program.log_tables);
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& made = program.instructions[id];
    text += fmt::format("%{} = {}", id, mnemonic(made.operation));
    for (const ValueId operand : operands(made.operation)) text += fmt::format(" %{}", operand);
    if (const auto* lookup = std::get_if<Lookup>(&made.operation))
      text += fmt::format(" through {} table{}{}", lookup->tables.size(), lookup->tables.size() == 1 ? "" : "s",
                          rounds(program, *lookup) ? ", rounded" : "");
    if (const auto* round = std::get_if<Round>(&made.operation)) text += fmt::format(" by {} bits", round->dropped);
    text += fmt::format(" : [{}] in {}..{} step 2^{}{}  # {}\n", fmt::join(made.shape, ", "), made.lowest, made.highest,
                        made.step, made.exact ? "" : " by samples", made.node);
  }
  return text;
}

}  // namespace tacit::integers
