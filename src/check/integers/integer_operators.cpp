#include "check/integers/integer_operators.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tacit::check {
namespace {

using integers::Linear;
using integers::Lookup;
using program::ValueId;
using scheme::tfhe::Torus;

/// Of a box, or of an integer: sums of doubles in another order, and jumps of a function at the middle of a box.
constexpr double kSlack = 1e-6;
/// Of a box, in a sum: the reference run rounds to the single precision of the model's tensors.
constexpr double kSinglePrecision = 1e-3;

double in_steps(Torus phase, int step) {
  return std::ldexp(static_cast<double>(static_cast<std::int64_t>(phase)), -step);
}

}  // namespace

IntegerOperators::IntegerOperators(const graph::Graph& graph, const integers::Program& program,
                                   std::span<const graph::quant::IntegerMeaning> meanings)
    : graph_(graph), messages_(graph), program_(program), meanings_(meanings) {}

void IntegerOperators::find_operands(ValueId id, Operands& found) const {
  for (const ValueId operand : integers::operands(program_.value(id).operation)) {
    if (has_tensor(operand)) {
      if (std::ranges::find(found.values, operand) == found.values.end()) found.values.push_back(operand);
      continue;
    }
    found.direct = false;
    if (const auto* lookup = std::get_if<Lookup>(&program_.value(operand).operation))
      found.rounded = found.rounded || integers::rounds(program_, *lookup);
    find_operands(operand, found);
  }
}

double IntegerOperators::real(ValueId id, std::size_t element, double integer) const {
  if (const std::vector<double>& points = meanings_[id].points; !points.empty()) {
    const std::size_t count = std::size_t{1} << program_.bits;
    const double place = std::clamp(std::round(integer), 0.0, static_cast<double>(count - 1));
    return points[element * count + static_cast<std::size_t>(place)];
  }
  const auto at = static_cast<layout::Index>(element);
  return meanings_[id].scale[at] * integer + meanings_[id].offset[at];
}

IntegerOperators::Numbers IntegerOperators::reals(ValueId id, const Numbers& integers) const {
  Numbers numbers(integers.size() / meanings_[id].addends);
  for (std::size_t i = 0; i < integers.size(); ++i) numbers[i / meanings_[id].addends] += real(id, i, integers[i]);
  return numbers;
}

IntegerOperators::Numbers IntegerOperators::message(ValueId id, const std::vector<ValueId>& from,
                                                    const std::vector<Numbers>& of) const {
  std::vector<KnownTensor> known;
  for (std::size_t i = 0; i < from.size(); ++i) known.push_back({tensor(from[i]), &of[i]});
  return messages_(tensor(id), known);
}

std::optional<OperatorDifference> IntegerOperators::compare(ValueId id, const Phases& phases,
                                                            double bootstrap_reach) const {
  const integers::Instruction& made = program_.value(id);
  Operands operands;
  if (!has_tensor(id)) return std::nullopt;
  find_operands(id, operands);
  const bool whole = !operands.direct && !operands.rounded;  // then noise tells nothing
  const auto integers_of = [&](ValueId value) {
    Numbers numbers;
    for (const Torus phase : phases[value]) {
      const double steps = in_steps(phase, program_.value(value).step);
      numbers.push_back(whole ? std::round(steps) : steps);
    }
    return numbers;
  };
  std::vector<std::string> names;
  std::vector<Numbers> known;
  for (const ValueId operand : operands.values) {
    names.push_back(tensor(operand));
    known.push_back(reals(operand, integers_of(operand)));
    // Thresholds of trees are of single precision: a feature that equals one must not lie beside it.
    if (whole)
      for (double& number : known.back()) number = static_cast<float>(number);
  }
  OperatorDifference difference{messages_.operators(tensor(id), names)};
  const Numbers values = integers_of(id), of_values = reals(id, values), expected = message(id, operands.values, known);
  const std::size_t addends = meanings_[id].addends;
  const double width =
      static_cast<double>(addends) *
      std::ldexp(static_cast<double>(std::max<std::int64_t>(made.highest - made.lowest, 1)), -program_.bits);
  Numbers off;
  for (std::size_t e = 0; e < expected.size(); ++e) {
    // Where the model's function is not defined a table goes on with its nearest number.
    off.push_back(std::isfinite(expected[e]) ? std::abs(of_values[e] - expected[e]) / real_step(id, e) : 0);
    difference.boxes = std::max(difference.boxes, off.back() / width);
  }
  if (const auto* linear = std::get_if<Linear>(&made.operation); linear != nullptr && (operands.direct || whole)) {
    const Numbers of_integers = rounding_of(*linear, made.step, phases, whole);
    Numbers allowed(off.size(), 0.0);  // in steps of the element, as `off`
    for (std::size_t i = 0; i < of_integers.size(); ++i)
      allowed[i / addends] +=
          of_integers[i] * meanings_[id].scale[static_cast<layout::Index>(i)] / real_step(id, i / addends);
    const Numbers lowest = reals(id, Numbers(values.size(), static_cast<double>(made.lowest))),
                  highest = reals(id, Numbers(values.size(), static_cast<double>(made.highest)));
    for (std::size_t e = 0; e < off.size(); ++e)
      if (off[e] > allowed[e] + kSinglePrecision * width) {
        const bool outside =
            expected[e] < lowest[e] - width * real_step(id, e) || expected[e] > highest[e] + width * real_step(id, e);
        (outside ? difference.beyond : difference.failures).push_back(e);
      }
  } else if (std::holds_alternative<Lookup>(made.operation) && operands.direct) {
    judge_table(id, phases, values, bootstrap_reach, difference);
  }
  return difference;
}

double IntegerOperators::real_step(ValueId id, std::size_t element) const {
  const std::size_t addends = meanings_[id].addends;
  double step = 0;
  for (std::size_t i = element * addends; i < (element + 1) * addends; ++i)
    step = std::max(step, meanings_[id].scale[static_cast<layout::Index>(i)]);
  return step;
}

IntegerOperators::Numbers IntegerOperators::rounding_of(const Linear& linear, int step, const Phases& phases,
                                                        bool of_tables) const {
  constexpr double kHalf = 0.5;
  Numbers most;
  layout::RowEntries entries;
  for (const integers::LinearTerm& term : linear.terms) {
    most.resize(static_cast<std::size_t>(layout::element_count(term.op->out_shape())), kHalf);
    const double unit = std::ldexp(1.0, program_.value(term.input).step - step);
    const std::vector<double>& unrounded_at = meanings_[term.input].unrounded_at;
    const auto moved_by = [&](std::size_t column) {
      const double at = unrounded_at.empty() ? 0 : unit * unrounded_at[column];
      return std::abs(in_steps(phases[term.input][column], step) - at);
    };
    for (std::size_t row = 0; row < most.size(); ++row) {
      entries.clear();
      term.op->append_row(static_cast<layout::Index>(row), entries);
      for (std::size_t k = 0; k < entries.size(); ++k)
        most[row] += kHalf * (of_tables ? std::abs(entries.weights[k] * unit)
                                        : moved_by(static_cast<std::size_t>(entries.columns[k])));
    }
  }
  return most;
}

void IntegerOperators::judge_table(ValueId id, const Phases& phases, const Numbers& values, double bootstrap_reach,
                                   OperatorDifference& difference) const {
  constexpr double kHalf = 0.5;
  const integers::Instruction& made = program_.value(id);
  const auto& lookup = std::get<Lookup>(made.operation);
  const ValueId operand = lookup.input;
  const int step = program_.value(operand).step;
  const double box = std::ldexp(1.0, integers::kMessageBits - program_.bits - step);
  const auto first = static_cast<double>(integers::first_centre(program_, lookup));
  // The operator over three boxes. A table of whole arguments has no other boxes to take.
  const bool rounds = integers::rounds(program_, lookup);
  const std::vector<double> boxes = rounds ? std::vector<double>{-1, 0, 1} : std::vector<double>{0};
  // Next to the middle, where the operator may jump, and the points whose mean an entry may be.
  constexpr std::array kWithin{-kSlack, kSlack, -3.0 / 8, -1.0 / 8, 1.0 / 8, 3.0 / 8};
  constexpr std::size_t kBesideMiddle = 2;
  std::vector<double> shifts;
  for (const double beside : boxes)
    for (const double aside : kWithin) shifts.push_back(beside + aside);
  std::vector<Numbers> points(1);
  const std::size_t count = values.size();
  for (const double shift : shifts)
    for (std::size_t e = 0; e < count; ++e) {
      const double nearest = std::round((in_steps(phases[operand][e], step) - first) / box);
      points[0].push_back(real(operand, e, first + (nearest + shift) * box));
    }
  const Numbers messages = message(id, {operand}, points);
  const double allowed = kHalf + kSlack + std::ldexp(bootstrap_reach, 64 - made.step);
  for (std::size_t e = 0; e < count; ++e) {
    const double value = real(id, e, values[e]), room = allowed * real_step(id, e);
    // Where arguments are in their margin tables end at what is far beyond all samples.
    const auto [lowest, highest] = std::ranges::minmax(lookup.tables[lookup.table(e)]);
    const bool saturated_low = value <= real(id, e, static_cast<double>(lowest)) + room,
               saturated_high = value >= real(id, e, static_cast<double>(highest)) - room;
    bool right = false;
    for (std::size_t s = 0; s < shifts.size(); s += kWithin.size()) {
      const auto at = [&](std::size_t k) { return messages[(s + k) * count + e]; };
      double low = std::min(at(0), at(1)), high = std::max(at(0), at(1)), sum = 0;
      for (std::size_t k = kBesideMiddle; k < kWithin.size(); ++k) sum += at(k);
      const double mean = sum / static_cast<double>(kWithin.size() - kBesideMiddle);
      if (!std::isfinite(low) || !std::isfinite(high)) right = true;
      if (rounds && std::isfinite(mean)) {
        low = std::min(low, mean);
        high = std::max(high, mean);
      }
      right = right || (saturated_low && low <= value) || (saturated_high && high >= value);
      right = right || (value >= low - room && value <= high + room);
    }
    if (!right) difference.failures.push_back(e);
  }
}

}  // namespace tacit::check
