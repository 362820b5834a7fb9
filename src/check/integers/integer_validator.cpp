#include "check/integers/integer_validator.h"

#include <algorithm>
#include <cmath>

#include "params/tfhe_noise.h"
#include "program/visit.h"

namespace tacit::check {
namespace {

using integers::Instruction;
using integers::kMessageBits;
using integers::Linear;
using integers::Lookup;
using program::ValueId;
using scheme::tfhe::Torus;

/// Deviations that noise stays within but for this probability.
double deviations(double log2_failure) {
  const int bits = 1;
  return std::ldexp(1.0, -bits - 2) / std::sqrt(params::most_variance(bits, log2_failure));
}

/// Of two phases, in turns of the torus.
double distance(Torus a, Torus b) {
  return std::abs(std::ldexp(static_cast<double>(static_cast<std::int64_t>(a - b)), -64));
}

void fail(IntegerResult& result, std::size_t element, IntegerCause cause) {
  if (result.failures++ > 0) return;
  result.first = element;
  result.cause = cause;
}

/// The entry of a box, with those of the padding behind the table.
Torus entry(const std::vector<std::int64_t>& table, std::int64_t box, int step) {
  const auto entries = static_cast<std::int64_t>(table.size());
  const std::int64_t at = ((box % (2 * entries)) + 2 * entries) % (2 * entries);
  const std::int64_t value =
      at < entries ? table[static_cast<std::size_t>(at)] : -table[static_cast<std::size_t>(at - entries)];
  return static_cast<Torus>(value) << step;
}

}  // namespace

const char* name(IntegerCause cause) {
  constexpr const char* kNames[]{"none",
                                 "overflow of the message space",
                                 "noise beyond the budget",
                                 "wrong lookup",
                                 "wrong rounding",
                                 "wrong sum",
                                 "wrong quantisation"};
  return kNames[static_cast<std::size_t>(cause)];
}

IntegerValidator::IntegerValidator(const integers::Program& program, const params::TfheParameters& parameters,
                                   const scheme::tfhe::Decryptor& decryptor, const IntegerOperators* operators)
    : program_(program), decryptor_(decryptor), operators_(operators), phases_(program.instructions.size()) {
  const double reach = deviations(parameters.literal().log2_failure);
  const params::LookupShape& shape = parameters.shape();
  bootstrap_reach_ = reach * std::sqrt(params::bootstrap_variance(shape));
  switch_reach_ = reach * std::sqrt(params::key_switch_variance(shape) + params::modulus_switch_variance(shape));
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& made = program.value(id);
    weights_.push_back(integers::weights_of(made.operation));
    place_.push_back(results_.size());
    if (program::holds_any<Linear, Lookup, integers::Round>(made.operation))
      results_.push_back({.value = id, .node = made.node, .operation = integers::mnemonic(made.operation)});
  }
}

void IntegerValidator::value(ValueId id, const scheme::tfhe::LweCiphertexts& ciphertexts) {
  const Instruction& made = program_.value(id);
  if (program::holds_any<integers::Output, program::Validate>(made.operation)) return;
  phases_[id] = decryptor_.phases(ciphertexts);
  if (std::holds_alternative<integers::Input>(made.operation)) return;
  IntegerResult& result = results_[place_[id]];
  result.elements += phases_[id].size();
  const std::size_t failures = result.failures;
  if (std::holds_alternative<Linear>(made.operation)) {
    check_sum(id, result);
  } else if (const auto* lookup = std::get_if<Lookup>(&made.operation)) {
    check_lookup(id, *lookup, result);
  } else if (const auto* round = std::get_if<integers::Round>(&made.operation)) {
    check_round(id, *round, result);
  }
  if (operators_ == nullptr || result.failures > failures) return;
  const std::optional<OperatorDifference> difference = operators_->compare(id, phases_, bootstrap_reach_);
  if (!difference) return;
  result.operators = difference->operators;
  result.boxes = std::max(result.boxes, difference->boxes);
  for (const std::size_t element : difference->beyond) fail(result, element, IntegerCause::overflow);
  for (const std::size_t element : difference->failures) fail(result, element, IntegerCause::quantisation);
}

void IntegerValidator::check_sum(ValueId id, IntegerResult& result) const {
  const Instruction& made = program_.value(id);
  const auto& linear = std::get<Linear>(made.operation);
  std::vector<Torus> expected(phases_[id].size(), 0);
  for (std::size_t e = 0; e < linear.bias.size(); ++e) expected[e] = static_cast<Torus>(linear.bias[e]) << made.step;
  for (std::size_t t = 0; t < linear.terms.size(); ++t)
    for (std::size_t e = 0; e < expected.size(); ++e) {
      const integers::WeightRows::Row row = weights_[id][t].row(e);
      for (std::size_t k = 0; k < row.columns.size(); ++k)
        expected[e] +=
            static_cast<Torus>(std::int64_t{row.weights[k]}) * phases_[linear.terms[t].input][row.columns[k]];
    }
  for (std::size_t e = 0; e < expected.size(); ++e)
    if (phases_[id][e] != expected[e]) fail(result, e, IntegerCause::sum);
}

void IntegerValidator::check_round(ValueId id, const integers::Round& round, IntegerResult& result) const {
  constexpr double kMostNoise = 0.25;  // of an integer, where its lowest bit is told by its sign
  const int step = program_.value(round.input).step;
  const double reach = bootstrap_reach_ * std::sqrt(static_cast<double>(round.dropped));
  const Torus half = Torus{1} << (step - 1);
  for (std::size_t e = 0; e < phases_[id].size(); ++e) {
    const Torus operand = phases_[round.input][e];
    const auto integer = static_cast<std::int64_t>(operand + half) >> step;
    const Torus expected = static_cast<Torus>(integers::rounded(integer, round.dropped)) << (step + round.dropped);
    const Torus noise = operand - (static_cast<Torus>(integer) << step);
    const double off = distance(phases_[id][e], expected + noise);
    result.noise_share = std::max(result.noise_share, off / reach);
    if (off <= reach) continue;
    const bool noisy = std::ldexp(distance(noise, 0), 64 - step) > kMostNoise;
    fail(result, e, noisy ? IntegerCause::noise : IntegerCause::rounding);
  }
}

void IntegerValidator::check_lookup(ValueId id, const Lookup& lookup, IntegerResult& result) const {
  constexpr double kHalf = 0.5;
  constexpr double kNear = 4;  // times its reach: noise of weaker parameters. Tables reach ten times it and more
  const Instruction &made = program_.value(id), &operand = program_.value(lookup.input);
  const double boxes = std::ldexp(1.0, program_.bits);
  const std::int64_t centre = integers::first_centre(program_, lookup);
  const Torus first = static_cast<Torus>(centre) << operand.step;
  const auto in_boxes = [&](std::int64_t integer) {
    return std::ldexp(static_cast<double>(integer - centre), operand.step - (kMessageBits - program_.bits));
  };
  // Noise that sums carry moves no argument by more than a half box, or a whole one where it is rounded.
  const double most = integers::rounds(program_, lookup) ? 1 : kHalf;
  const double lowest = in_boxes(operand.lowest) - most, highest = in_boxes(operand.highest) + most;
  for (std::size_t e = 0; e < phases_[id].size(); ++e) {
    const std::vector<std::int64_t>& table = lookup.tables[lookup.table(e)];
    // The argument in boxes, from the middle of the first one on.
    const double argument =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(phases_[lookup.input][lookup.argument(e)] - first)),
                   -64) *
        2 * boxes;
    if (argument < lowest || argument > highest) {
      fail(result, e, IntegerCause::overflow);
      continue;
    }
    const double reach = switch_reach_ * 2 * boxes;
    const auto nearest = static_cast<std::int64_t>(std::floor(argument + 0.5));
    double best = 1;
    std::int64_t taken = nearest;
    for (auto box = static_cast<std::int64_t>(std::floor(argument - reach + 0.5));
         box <= static_cast<std::int64_t>(std::floor(argument + reach + 0.5)); ++box)
      if (const double off = distance(phases_[id][e], entry(table, box, made.step)); off < best) {
        best = off;
        taken = box;
      }
    result.noise_share = std::max(result.noise_share, best / bootstrap_reach_);
    if (best <= bootstrap_reach_) {
      // Boxes with one entry cannot be told apart.
      if (entry(table, taken, made.step) != entry(table, nearest, made.step)) ++result.moved;
      continue;
    }
    // An entry of a box not much farther away, or nearly the right one, speaks of noise.
    bool beside = best <= kNear * bootstrap_reach_;
    for (const std::int64_t box : {nearest - 1, nearest + 1})
      beside = beside || distance(phases_[id][e], entry(table, box, made.step)) <= bootstrap_reach_;
    fail(result, e, beside ? IntegerCause::noise : IntegerCause::lookup);
  }
}

}  // namespace tacit::check
