#include "base/error.h"
#include "mutate_bytes.h"
#include "params/tfhe_solver.h"
#include "program/integers/bootstraps.h"
#include "program/integers/clear_program.h"
#include "program/integers/noise.h"
#include "program/integers/serialize.h"
#include "program/integers/small_program_for_test.h"
#include "target.h"

namespace tacit::fuzz {

std::string_view target_name() { return "integer_program"; }

std::vector<Bytes> seeds() {
  integers::Program tables = integers::small_program(), rounded = tables, sums = tables;
  auto& lookup = std::get<integers::Lookup>(tables.instructions[2].operation);
  lookup.tables.emplace_back(lookup.tables[0].rbegin(), lookup.tables[0].rend());
  lookup.table_of = {1, 0};
  rounded.bits = 2;
  auto& entries = std::get<integers::Lookup>(rounded.instructions[2].operation).tables[0];
  entries = {0, 7, 3, 1};
  // Two whole boxes of two integers, with half a box and its noise at both ends.
  rounded.instructions[1].highest = rounded.instructions[1].lowest + 4;
  sums.instructions.erase(sums.instructions.begin() + 2, sums.instructions.end() - 1);
  std::get<integers::Output>(sums.instructions[2].operation).input = 1;
  sums.instructions[2].shape = sums.instructions[1].shape;
  sums.instructions[2].step = sums.instructions[1].step;
  std::vector<Bytes> all;
  for (const integers::Program& program :
       {integers::small_program(), tables, rounded, sums, integers::rounding_program(), integers::sharing_program(1)})
    all.push_back(integers::to_bytes(program));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_bytes(from, other, random); }

/// A program has one form, noise and requirements, and is carried out in the clear with and without noise.
void check(std::span<const std::uint8_t> bytes) {
  const integers::Program program = integers::program_from_bytes(bytes);
  const Bytes again = integers::to_bytes(program);
  require(integers::to_bytes(integers::program_from_bytes(again)) == again, "a program reads as it was written");
  require(!integers::to_text(program).empty(), "a program has a text");
  // What a server asks of a program before it asks for memory.
  const std::vector<int> rooms = integers::log_rooms(program);
  require(rooms.size() == program.instructions.size(), "every value has room for tables");
  for (const int room : rooms) require(room <= program.log_tables, "tables have as much room as bootstraps");
  require(integers::bootstraps(program) > 0 || integers::lookups(program) == 0, "lookups take bootstraps");
  constexpr std::size_t kFewNumbers = 1 << 16;
  std::size_t numbers = 0, outputs = 0;
  std::vector<integers::Integers> inputs;
  for (const integers::Instruction& made : program.instructions) {
    numbers += integers::elements(made);
    if (numbers > kFewNumbers) return;
    if (std::holds_alternative<integers::Output>(made.operation)) ++outputs;
    if (std::holds_alternative<integers::Input>(made.operation))
      inputs.emplace_back(integers::elements(made), made.highest);
  }
  require(integers::noise_norms(program).size() == program.instructions.size(), "every value has noise");
  const integers::ClearProgram reading(program);
  require(reading.run(inputs).size() == outputs, "every output is made");
  const std::vector<double> deviations(program.instructions.size(), 0.01);
  std::vector<std::vector<double>> of_bits(program.instructions.size());
  for (std::size_t id = 0; id < of_bits.size(); ++id)
    if (const auto* round = std::get_if<integers::Round>(&program.instructions[id].operation))
      of_bits[id].assign(static_cast<std::size_t>(round->dropped), 0.1);
  require(reading.run(inputs, {}, integers::ClearProgram::Noise{deviations, 1, of_bits}).size() == outputs,
          "every output is made with noise");
  const auto parameters = params::TfheParameters::check(params::named_tfhe_literal("T4"));
  require(integers::noise_deviations(program, parameters).size() == program.instructions.size(),
          "every value has a deviation");
  try {
    integers::require_holds(program, parameters);
  } catch (const base::InputError&) {  // too much noise
  }
}

}  // namespace tacit::fuzz
