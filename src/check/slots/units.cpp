#include "check/slots/units.h"

#include <algorithm>
#include <numbers>

namespace tacit::check {
namespace {

double factor_of(const program::Meaning& meaning, std::size_t element) {
  return meaning.factors.size() == 1 ? meaning.factors[0] : meaning.factors[element];
}

const params::BootstrapSchedule* with_sine(const slots::Program& program, program::ValueId value) {
  const auto* bootstrap = std::get_if<slots::Bootstrap>(&program.value(program.computed_by(value)).operation);
  return bootstrap && bootstrap->schedule.form == params::BootstrapForm::folded ? &bootstrap->schedule : nullptr;
}

}  // namespace

std::vector<double> in_units_of_tensor(const slots::Program& program, program::ValueId id,
                                       const program::Meaning& meaning, std::vector<double> value) {
  const params::BootstrapSchedule* sine = with_sine(program, id);
  const double largest = sine ? sine->ratio() / (2 * std::numbers::pi) : 0;  // that a sine reaches
  for (std::size_t e = 0; e < value.size(); ++e) {
    if (sine) value[e] = sine->inverse(std::clamp(value[e], -largest, largest));
    value[e] = (value[e] - meaning.offset) / factor_of(meaning, e);
  }
  return value;
}

std::vector<double> in_units_of_value(const slots::Program& program, program::ValueId id,
                                      const program::Meaning& meaning, std::vector<double> tensor) {
  const params::BootstrapSchedule* sine = with_sine(program, id);
  for (std::size_t e = 0; e < tensor.size(); ++e) {
    tensor[e] = tensor[e] * factor_of(meaning, e) + meaning.offset;
    if (sine) tensor[e] = sine->result(tensor[e]);
  }
  return tensor;
}

}  // namespace tacit::check
