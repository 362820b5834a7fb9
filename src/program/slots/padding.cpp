#include "program/slots/padding.h"

#include <algorithm>
#include <cmath>

#include "program/slots/chebyshev_series.h"
#include "program/slots/trace.h"
#include "program/visit.h"

namespace tacit::slots {
namespace {

constexpr double kRounding = 0x1p-40;

bool is_zero_at_zero(params::BootstrapForm form, const std::vector<double>& table) {
  return std::abs(params::look_up(form, params::table_series(form, table), 0)) <= kRounding;
}

bool is_zero_at_zero(const std::vector<double>& coefficients) {
  std::vector<double> value{0};
  chebyshev_series_in_place(coefficients, value);
  return std::abs(value[0]) <= kRounding;
}

}  // namespace

std::vector<Padding> padding_of(const Program& program) {
  std::vector<Padding> padding;
  ValueId last_traced = 0;  // of the traces of the inputs so far
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& instruction = program.instructions[id];
    Padding read = Padding::zero;
    for (const ValueId operand : operands(instruction.operation)) read = std::max(read, padding[operand]);
    if (std::holds_alternative<Input>(instruction.operation)) last_traced = std::max(last_traced, traced(program, id));
    padding.push_back(std::visit(
        program::Overloaded{
            [](const Input&) { return Padding::zero; }, [](const MultiplyPlain&) { return Padding::zero; },
            [&](const Linear&) {
              return instruction.layout.has_fill(layout::Fill::unknown) ? Padding::unknown : Padding::zero;
            },
            [&](const Polynomial& polynomial) {
              return read == Padding::zero && is_zero_at_zero(polynomial.coefficients) ? Padding::zero
                                                                                       : Padding::bounded;
            },
            [&](const Lookup& lookup) {
              return read == Padding::zero &&
                             std::ranges::all_of(
                                 lookup.tables,
                                 [&](const auto& table) { return is_zero_at_zero(lookup.schedule.form(), table); })
                         ? Padding::zero
                         : Padding::bounded;
            },
            [&](const Rotate&) { return std::max(read, Padding::as_declared); },
            [&](const RotateSum&) { return id <= last_traced ? read : std::max(read, Padding::as_declared); },
            [&](const Gather&) {
              const auto before = refreshed_from(program, id);  // one of several that were refreshed together
              return before ? padding[*before] : read;
            },
            [&](const auto&) { return read; }},
        instruction.operation));
  }
  return padding;
}

}  // namespace tacit::slots
