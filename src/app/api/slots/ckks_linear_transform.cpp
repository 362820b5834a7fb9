#include <set>
#include <utility>

#include "app/api/slots/ckks_impl.h"
#include "base/error.h"
#include "program/slots/linear_plan.h"
#include "program/slots/operation_prices.h"

namespace tacit::ckks {
namespace {

/// Diagonals by rotation to the left in [0, slots).
using Diagonals = std::map<std::int64_t, std::vector<double>>;

params::LinearSchedule plan(const params::CkksParameters& parameters, const Diagonals& diagonals, int level) {
  layout::DiagonalSet set;
  set.slots = set.period = set.modulus = static_cast<layout::Index>(parameters.slots());
  for (const auto& [diagonal, weights] : diagonals) set.diagonals.insert(diagonal);
  set.blocks = 1;
  set.count.products = static_cast<layout::Index>(diagonals.size());
  return slots::plan_linear(set, slots::OperationPrices(parameters.literal(), params::CostTable{}).linear(level), 1, 1);
}

}  // namespace

LinearTransform LinearTransform::from_diagonals(const Context& context, const Diagonals& diagonals,
                                                std::optional<int> input_level) {
  const params::CkksParameters& parameters = context_of(context)->parameters();
  const int level = input_level.value_or(parameters.max_level());
  if (level < 1 || level > parameters.max_level())
    base::refuse("a linear transform costs a level: its input level {} must lie in [1, {}]", level,
                 parameters.max_level());
  if (diagonals.empty())
    throw InputError("a linear transform needs at least one diagonal; give a zero one for a zero map");
  const auto slots = static_cast<std::int64_t>(parameters.slots());
  Diagonals left;
  for (const auto& [steps, weights] : diagonals)
    if (!left.emplace((steps % slots + slots) % slots, weights).second)
      base::refuse("diagonal {} is given twice: steps count modulo the {} slots", steps, slots);
  params::LinearSchedule schedule = plan(parameters, left, level);
  std::vector<std::vector<double>> weights;
  for (const params::DiagonalStep& step : schedule.steps) weights.push_back(left.at(step.diagonal));
  inner::DiagonalMatrix matrix =
      inner::Encoder(context_of(context))
          .encode_diagonals(schedule.steps, weights, level, parameters.scale(), parameters.scale());
  return Access::make<LinearTransform>(std::move(schedule), std::move(matrix));
}

LinearTransform LinearTransform::from_matrix(const Context& context, std::size_t rows, std::size_t columns,
                                             std::span<const double> entries, std::optional<int> input_level) {
  const std::size_t slots = context.parameters().slots();
  if (rows == 0 || columns == 0 || rows > slots || columns > slots)
    base::refuse("a {} x {} matrix: rows and columns must lie in [1, {}], the slots of {}", rows, columns, slots,
                 context.parameters().name());
  if (entries.size() != rows * columns)
    base::refuse("a {} x {} matrix has {} entries, {} were given", rows, columns, rows * columns, entries.size());
  Diagonals diagonals;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      std::vector<double>& diagonal = diagonals[static_cast<std::int64_t>((column + slots - row) % slots)];
      diagonal.resize(slots);
      diagonal[row] = entries[row * columns + column];
    }
  return from_diagonals(context, diagonals, input_level);
}

std::vector<std::int64_t> LinearTransform::rotations() const {
  std::set<std::int64_t> steps;
  for (const params::DiagonalStep& step : impl_->schedule.steps) steps.insert({step.baby, step.giant});
  steps.erase(0);
  return {steps.begin(), steps.end()};
}

int LinearTransform::input_level() const { return impl_->matrix.level; }

}  // namespace tacit::ckks
