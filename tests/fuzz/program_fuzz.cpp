#include "program/slots/clear_program.h"
#include "program/slots/key_manifest.h"
#include "program/slots/serialize.h"
#include "small_program.h"
#include "tiny_literals.h"

namespace tacit::fuzz {

namespace {

/// Slots that a clear reading of all values holds.
double held_numbers(const slots::Program& program) {
  double sum = 0;
  for (const slots::Instruction& instruction : program.instructions)
    sum += static_cast<double>(instruction.layout.ciphertexts()) * static_cast<double>(program.slots) +
           static_cast<double>(layout::element_count(instruction.layout.shape()));
  return sum;
}

}  // namespace

std::string_view target_name() { return "program"; }

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const slots::Program& program : small_programs(params::CkksParameters::check(tiny_literal())))
    all.push_back(slots::to_bytes(program));
  all.push_back(slots::to_bytes(refreshing_program(params::CkksParameters::check(tiny_bootstrapping_literal()))));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_program(from, other, random); }

/// A program has one form, and is carried out in the clear.
void check(std::span<const std::uint8_t> bytes) {
  const slots::Program program = slots::program_from_bytes(bytes);
  const Bytes again = slots::to_bytes(program);
  require(slots::to_bytes(slots::program_from_bytes(again)) == again, "a program reads as it was written");
  require(!slots::to_text(program).empty(), "a program has a text");
  slots::key_manifest(program);
  constexpr double kFewNumbers = 1 << 18;
  if (held_numbers(program) > kFewNumbers) return;
  std::vector<std::vector<double>> inputs;
  std::size_t outputs = 0;
  for (const slots::Instruction& instruction : program.instructions) {
    if (std::holds_alternative<slots::Output>(instruction.operation)) ++outputs;
    if (!std::holds_alternative<slots::Input>(instruction.operation)) continue;
    inputs.emplace_back(static_cast<std::size_t>(layout::element_count(instruction.layout.shape())), 0.5);
  }
  require(slots::ClearProgram(program).run(inputs).size() == outputs, "every output is made");
}

}  // namespace tacit::fuzz
