#include "program/integers/clear_program.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "program/visit.h"

namespace tacit::integers {
namespace {

using program::Overloaded;

Integers add_up(const Program& program, const Linear& linear, const Instruction& made,
                std::span<const WeightRows> weights, std::span<const Integers> values) {
  Integers result = linear.bias.empty() ? Integers(elements(made), 0) : linear.bias;
  for (std::size_t t = 0; t < linear.terms.size(); ++t) {
    const ValueId operand = linear.terms[t].input;
    const int up = program.value(operand).step - made.step;
    for (std::size_t e = 0; e < result.size(); ++e) {
      const WeightRows::Row row = weights[t].row(e);
      std::uint64_t sum = 0;  // modulo 2^64, as ciphertexts add up
      for (std::size_t k = 0; k < row.columns.size(); ++k)
        sum += static_cast<std::uint64_t>(row.weights[k]) * static_cast<std::uint64_t>(values[operand][row.columns[k]]);
      result[e] = static_cast<std::int64_t>(static_cast<std::uint64_t>(result[e]) + (sum << up));
    }
  }
  return result;
}

std::uint64_t seed_of(const ClearProgram::Noise& noise, ValueId id) { return noise.seed * 0x9e3779b97f4a7c15u + id; }

/// All that bootstraps make. One has one error, whatever it looks up.
void look_up(const Program& program, const Bootstraps& bootstraps, ValueId id, std::vector<Integers>& values,
             const std::optional<ClearProgram::Noise>& noise) {
  const auto& leader = std::get<Lookup>(program.value(id).operation);
  const int step = program.value(leader.input).step;
  const std::int64_t first = first_centre(program, leader);
  const std::uint64_t entries = std::uint64_t{1} << program.bits;
  std::mt19937_64 random(noise ? seed_of(*noise, id) : 0);
  std::normal_distribution<double> normal;
  for (const auto& tables : bootstraps.sets)
    for (const auto& [lookup, table] : tables) values[lookup].resize(elements(program.value(lookup)));
  for (std::size_t i = 0; i < bootstraps.count(); ++i) {
    const std::int64_t above = values[leader.input][bootstraps.arguments[i]] - first;
    const std::uint64_t nearest = box_of(above, step, program.bits);
    const double error = noise && noise->deviations[id] > 0 ? normal(random) : 0;  // in deviations
    for (const auto& [value, element] : bootstraps.made(i)) {
      const auto& lookup = std::get<Lookup>(program.value(value).operation);
      const std::vector<std::int64_t>& table = lookup.tables[lookup.table(element)];
      const std::uint64_t box =
          error == 0 ? nearest : box_of(above, step, program.bits, error * noise->deviations[value]);
      if (box != nearest && !noise->moved.empty()) ++noise->moved[value];
      values[value][element] = box < entries ? table[box] : -table[box - entries];
    }
  }
}

constexpr double kNeverDrawn = 10;  // deviations
constexpr double kQuarter = 0.25;   // of a turn: where a bit flips

/// Bit by bit, as on ciphertexts: a bit that noise hides is taken for the other one, and stands in the way of the next.
Integers round_off(const Round& round, const Integers& arguments, std::span<const double> deviations,
                   std::uint64_t seed) {
  Integers result(arguments.size());
  const bool noisy = std::ranges::any_of(deviations, [](double d) { return d * kNeverDrawn > kQuarter; });
  if (!noisy) {
    for (std::size_t e = 0; e < result.size(); ++e) result[e] = rounded(arguments[e], round.dropped);
    return result;
  }
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (std::size_t e = 0; e < result.size(); ++e) {
    // As the torus wraps around.
    std::uint64_t left = static_cast<std::uint64_t>(arguments[e]) + (std::uint64_t{1} << (round.dropped - 1));
    for (int bit = 0; bit < round.dropped; ++bit) {
      const auto turns = std::ldexp(static_cast<double>(left & ((std::uint64_t{2} << bit) - 1)), -bit - 1);
      const double phase = turns + deviations[static_cast<std::size_t>(bit)] * normal(random);
      const double fraction = phase - std::floor(phase);
      if (fraction >= kQuarter && fraction < 1 - kQuarter) left -= std::uint64_t{1} << bit;
    }
    result[e] = rounded(static_cast<std::int64_t>(left), round.dropped);
  }
  return result;
}

/// Rounds off the bits that an output drops. Results beyond the torus wrap around it, as they do under encryption.
Integers read_out(const Program& program, ValueId id, const Integers& values,
                  const std::optional<ClearProgram::Noise>& noise) {
  const Instruction& made = program.value(id);
  const int dropped = made.step - program.value(std::get<Output>(made.operation).input).step;
  const double deviation = noise ? noise->deviations[id] : 0;
  std::mt19937_64 random(noise ? seed_of(*noise, id) : 0);
  std::normal_distribution<double> normal;
  Integers result(values.size());
  for (std::size_t e = 0; e < result.size(); ++e) {
    const double shift = deviation == 0 ? 0 : std::ldexp(deviation * normal(random), 64 - made.step);
    result[e] =
        shift == 0
            ? rounded(values[e], dropped)
            : static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(values[e]), -dropped) + shift + 0.5));
  }
  return result;
}

}  // namespace

std::uint64_t box_of(std::int64_t above, int step, int bits, double noise) {
  const std::uint64_t mask = (std::uint64_t{2} << bits) - 1;
  const int dropped = kMessageBits - bits;  // of the phase
  if (noise == 0) {
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    return (((static_cast<std::uint64_t>(above) << step) + half) >> dropped) & mask;
  }
  const double box = std::ldexp(static_cast<double>(above), step - dropped) + std::ldexp(noise, bits + 1);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(box + 0.5))) & mask;
}

ClearProgram::ClearProgram(const Program& program) : program_(program), last_uses_(last_uses(program)) {
  verify(program);
  const Makers makers(program);
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Operation& operation = program.value(id).operation;
    weights_.push_back(weights_of(operation));
    bootstraps_.push_back(bootstraps_at(program, makers, id));
  }
}

std::vector<Integers> ClearProgram::run(std::span<const Integers> inputs, const Observer& observer,
                                        const std::optional<Noise>& noise) const {
  std::vector<Integers> values(program_.instructions.size()), outputs;
  std::size_t next = 0;
  for (ValueId id = 0; id < values.size(); ++id) {
    const Instruction& made = program_.value(id);
    std::visit(Overloaded{[&](const Input&) {
                            if (next == inputs.size() || inputs[next].size() != elements(made))
                              throw base::InternalError("a program on integers got an input of the wrong size");
                            values[id] = inputs[next++];
                          },
                          [&](const Linear& l) { values[id] = add_up(program_, l, made, weights_[id], values); },
                          [&](const Lookup&) { look_up(program_, bootstraps_[id], id, values, noise); },
                          [&](const Round& round) {
                            const bool given = noise && !noise->of_bits.empty();
                            values[id] = round_off(
                                round, values[round.input],
                                given ? std::span<const double>(noise->of_bits[id]) : std::span<const double>(),
                                noise ? seed_of(*noise, id) : 0);
                          },
                          [&](const Output& output) {
                            values[id] = read_out(program_, id, values[output.input], noise);
                            outputs.push_back(values[id]);
                          },
                          [](const program::Validate&) {}},
               made.operation);
    if (observer && !std::holds_alternative<program::Validate>(made.operation)) observer(id, values[id]);
    for (const ValueId operand : operands(made.operation))
      if (last_uses_[operand] == id) Integers().swap(values[operand]);
  }
  return outputs;
}

}  // namespace tacit::integers
